import type { Source } from "@toolglot/core/text";
import { lineEnd } from "@toolglot/internal";
import { Brackets } from "./brackets.ts";
import type { Draft } from "./draft.ts";
import type { Entry } from "./entry.ts";
import { readLineValue } from "./line-value.ts";
import { documentStart, restPattern } from "./patterns.ts";
import { settle, skipLine } from "./string-ends.ts";

/**
 * Reads a value from its key's line; it may continue over further ones. False when the line is no TOML and cannot be read as
 * meant.
 */
export function readValue(draft: Draft, source: Source, entry: Entry, line: string, next: number): boolean {
  const text = line.slice(entry.valueStart - source.offset).trimEnd();
  const keyText = line.slice(0, entry.valueStart - source.offset);
  // In a line that may still be code, only what TOML itself can read is a value.
  const read = readLineValue(entry, text, draft.pending?.open.entry.field === "code");
  if (!read) return false;
  settle(draft);
  draft.add(entry, keyText);
  for (const { code, start, end } of read.notes) draft.note(code, start, end);
  if (read.kind === "brackets") {
    draft.brackets = new Brackets();
    bracketLine(draft, source, draft.brackets, line.slice(keyText.length), next);
    return true;
  }
  if (read.kind === "loose") {
    draft.loose = { entry, quote: read.quote, end: -1 };
    looseEnd(draft, text, entry.valueStart + text.length, entry.valueStart + 1);
  }
  draft.contentEnd = read.kind === "closed" ? entry.valueStart + text.length : entry.valueEnd;
  source.seek(next);
  return true;
}

/** Whether a value continues over the next line. */
export function isOpen({ brackets, loose }: Draft): boolean {
  return brackets !== undefined || loose !== undefined;
}

/** Reads a further line of a value; `ends`: it is one that ends the document, a header, or begins with a key that is known. */
export function readFurther(
  draft: Draft,
  source: Source,
  line: string,
  next: number,
  ends: "fence" | "next" | "key" | undefined,
): void {
  const brackets = draft.brackets;
  if (brackets && (brackets.inString || !(ends === "fence" || documentStart.test(line))))
    bracketLine(draft, source, brackets, line, next);
  else if (brackets) {
    const { valueStart, valueEnd } = draft.entries.at(-1) as Entry;
    draft.note("syntax", valueStart, valueEnd);
    draft.brackets = undefined;
  } else if (ends) endLoose(draft, source);
  else {
    const text = line.trimEnd();
    looseEnd(draft, text, source.offset + text.length, source.offset);
    source.seek(next);
  }
}

/** Continues a value in brackets, or ends it. */
function bracketLine(draft: Draft, source: Source, brackets: Brackets, line: string, next: number): void {
  const entry = draft.entries.at(-1) as Entry;
  const closed = brackets.line(line);
  entry.valueEnd = entry.bodyEnd = draft.contentEnd = next - (line.length - line.trimEnd().length);
  if (closed >= 0) {
    const lineStart = Math.max(source.offset, entry.valueStart);
    entry.valueEnd = entry.bodyEnd = lineStart + closed;
    draft.contentEnd = lineStart + line.trimEnd().length;
    if (!restPattern.test(line.slice(closed))) draft.note("syntax", lineStart + closed, draft.contentEnd);
    draft.brackets = undefined;
  }
  source.seek(next);
}

/** Notes the last quote of a line, when nothing but a comment follows it. */
function looseEnd(draft: Draft, line: string, lineEnd: number, from: number): void {
  const match = draft.loose?.quote.exec(line);
  if (!match || !draft.loose) return;
  const at = lineEnd - line.length + match.index;
  if (at >= from) draft.loose.end = at + 1;
}

/** Ends a string that was not closed on its line at its last quote, if one is open; reading continues behind its line. */
function endLoose(draft: Draft, source: Source): void {
  if (!draft.loose) return;
  const { entry, end } = draft.loose;
  draft.loose = undefined;
  if (end < 0) {
    entry.bodyEnd = entry.valueEnd = entry.valueStart + lineEnd(source.slice(entry.valueStart, source.offset), 0);
    draft.note("syntax", entry.valueStart, entry.valueEnd, "The string is not closed.");
  } else {
    entry.bodyEnd = end - 1;
    entry.valueEnd = end;
    draft.note("loose-string", entry.valueStart, end);
  }
  draft.contentEnd = entry.valueEnd;
  skipLine(source, entry.valueEnd);
}

/** Ends the text inside a value: false when that closed it, and reading continues behind it. */
export function cutOff(draft: Draft, source: Source): boolean {
  const loose = draft.loose;
  if (loose && loose.end >= 0) {
    endLoose(draft, source);
    return false;
  }
  const entry = draft.entries.at(-1) as Entry;
  entry.valueEnd = entry.bodyEnd = source.length;
  if (!loose) return true;
  draft.loose = undefined;
  entry.cut = true;
  draft.contentEnd = source.length;
  return true;
}
