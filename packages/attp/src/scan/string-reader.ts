import { closesFence, type Source } from "@toolglot/core/text";
import { lineEnd, matchAt } from "@toolglot/internal";
import { endsInLiteral } from "../repair/code.ts";
import type { Draft } from "./draft.ts";
import type { Entry } from "./entry.ts";
import { documentStart, multiLineOpener } from "./patterns.ts";
import { findSeam, type Opener, OpenerWatch, type Seam } from "./seam.ts";
import { admits, force, readQuotes, settle, surplusQuotes } from "./string-ends.ts";
import { afterQuotes, type Candidate, findQuotes, type OpenString, quotesOf } from "./string-scan.ts";
import { ValueStream } from "./value-stream.ts";

/** `more`: text is missing. `line`: a line break is. Undefined: it can continue at once. */
export type Wait = "more" | "line" | undefined;

/** Another document begins inside the code. */
export interface Cut {
  code: Entry;
  seam: Seam;
}

/** A fence that opens after another one was closed. */
const opensOther = /^[ \t]*(?:`{3,}|~{3,})[ \t]*\w/;
const opensDocument = /^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:toml|attp)/i;

/** Opens the multi-line string that is a key's value, if it is one; the line need not be complete. */
export function opensString(draft: Draft, source: Source, entry: Entry): boolean {
  const { text, at } = source;
  const value = entry.valueStart - source.base;
  const opener = matchAt(multiLineOpener, text, value);
  const fence =
    !opener && entry.field === "code" ? /^`{3,}[\w+-]*[ \t]*\r?\n/.exec(text.slice(value, value + 40)) : null;
  if (!opener && !fence) return false;
  if (draft.beginsNext(entry) || !admits(draft, source.offset)) return false;
  settle(draft);
  const delimiter = (opener ?? fence)?.[0] ?? "";
  const odd = /[“”„‘’‚]/.test(delimiter);
  if (fence) draft.note("nested-fence", entry.valueStart, entry.valueStart + delimiter.trimEnd().length);
  else if (odd) draft.note("odd-delimiters", entry.valueStart, entry.valueStart + delimiter.length);
  entry.form = fence ? "backticks" : opener?.[1] ? "multi-literal" : "multi-basic";
  entry.bodyStart = entry.bodyEnd = entry.valueStart + delimiter.length;
  const streams = !fence && draft.options.hasListener && streamsOut(draft, entry);
  draft.add(entry, text.slice(at, value));
  const first = draft.of(entry.field).length === 1;
  if (first && (entry.field === "code" || entry.field === "message")) draft.options.announce(draft.entries, source);
  const values = new ValueStream(entry, streams, draft.options);
  if (streams && entry.field) draft.streams.push([entry.field, values]);
  const quotes = quotesOf(fence ? "`" : opener?.[1] ? "'" : '"', odd);
  const watch = entry.field === "code" ? new OpenerWatch(entry.bodyStart, quotes.three) : undefined;
  if (watch) draft.watch = watch;
  draft.open = { entry, quotes, values, runs: 0, dead: undefined, watch, begun: false, fenceEnd: undefined };
  source.seek(entry.bodyStart);
  draft.midLine = fence === null;
  return true;
}

/** Whether a value is given out while it comes in: it is the first of its key, and nothing later can replace it or indent it less. */
function streamsOut(draft: Draft, entry: Entry): boolean {
  if (!draft.options.fence && entry.keyStart > entry.lineStart) return false;
  if (draft.pending || draft.of(entry.field).length > 0) return false;
  if (entry.field === "thought") return entry.table === 0;
  return entry.field === "code";
}

/** Reads on in the open string. Returns `"end"` when the text has ended inside it. */
export function readString(draft: Draft, source: Source, open: OpenString, ended: boolean): Wait | Cut | "end" {
  const lineWise = open.quotes.mark === "`" || open.dead !== undefined;
  return lineWise ? readLine(draft, source, open, ended) : readText(draft, source, open, ended);
}

function readText(draft: Draft, source: Source, open: OpenString, ended: boolean): Wait | Cut | "end" {
  const { text } = source;
  if (!open.begun && !begins(draft, source, open, ended)) return "more";
  for (let at = source.at; ; ) {
    const { index, hold } = findQuotes(open, text, source.base, at);
    const safe = watchCode(draft, source, open, index < 0 ? hold : index, index >= 0 || ended);
    if (typeof safe !== "number") return safe;
    if (index < 0) {
      // Quotes are counted once.
      source.at = Math.max(safe, at);
      // A line break that waits for what follows it belongs to the code all the same.
      const isBreak = source.at < hold && text.charCodeAt(source.at) === 10;
      open.values.pass(source, source.offset + (isBreak ? 1 : 0));
      if (ended) return "end";
      return safe < hold ? "line" : "more";
    }
    const after = afterQuotes(open.quotes, text, index + 3);
    const answer = readQuotes(draft, source, open, text, index, after, ended);
    if (answer === "more") {
      source.at = index;
      open.values.pass(source, source.offset);
      return "line";
    }
    if (answer) return undefined;
    at = after;
  }
}

/** Reads the first text of a string; false while it is not known. Code may be opened with a quote or two more. */
function begins(draft: Draft, source: Source, open: OpenString, ended: boolean): boolean {
  const { entry, watch, quotes } = open;
  const { text, at } = source;
  const after = afterQuotes(quotes, text, at, Math.min(at + 3, text.length));
  if (after === text.length && !ended) return false;
  open.begun = true;
  const isSurplus = watch !== undefined && after > at && after < at + 3 && /[\r\n]/.test(text.charAt(after));
  if (!isSurplus || !draft.options.allows("inner-quotes")) return true;
  draft.note("inner-quotes", entry.bodyStart, source.base + after, surplusQuotes);
  entry.bodyStart = source.base + after;
  entry.mended = true;
  open.values.startAt(entry.bodyStart);
  source.at = after;
  return true;
}

/** Searches the code for lines that begin another document. Returns the index up to which text is known, or where to cut. */
function watchCode(draft: Draft, source: Source, open: OpenString, to: number, known: boolean): number | Cut {
  const { watch, values } = open;
  if (!watch) return to;
  for (;;) {
    const found = watch.read(source, to, known);
    values.stopAt(watch.limit);
    if (typeof found === "number") return found;
    values.pass(source, watch.limit);
    const cut = cutBefore(draft, source, open, found);
    if (cut) return cut;
  }
}

/** Returns where to end the document before an opener in its code, unless that stands in a string or comment of the code. */
function cutBefore(draft: Draft, source: Source, { entry, watch }: OpenString, opener: Opener): Cut | undefined {
  const { fence, language, allows } = draft.options;
  if (!watch || draft.openerChecks >= 8 || !allows("inner-quotes")) return undefined;
  draft.openerChecks += 1;
  const seam = findSeam(source, entry.bodyStart, opener, watch, fence, language);
  return seam && { code: entry, seam };
}

/** Whether quotes stand outside of the strings of the code: those inside are one's end rather than the code's. */
function standsOutside(draft: Draft, source: Source, { open, quotes }: Candidate): boolean {
  if (draft.openerChecks >= 8) return false;
  draft.openerChecks += 1;
  return !endsInLiteral(source.slice(open.entry.bodyStart, quotes), draft.options.language);
}

/** Reads the string line by line: the line may begin another document, or be the end of a fence. */
function readLine(draft: Draft, source: Source, open: OpenString, ended: boolean): Wait | Cut | "end" {
  const { length } = source.text;
  const to = lineEnd(source.text, source.at);
  if (to === length && !ended) return "line";
  if (source.at >= length) return "end";
  const next = Math.min(to + 1, length);
  const line = source.text.slice(source.at, next);
  const base = source.offset;
  const cut = draft.midLine ? undefined : lineStart(draft, source, open, line);
  if (cut || !draft.open) return cut;
  const isFence = open.quotes.mark === "`" && /^[ \t]*`{3,}[ \t]*\r?\n?$/.test(line);
  for (let at = 0; open.quotes.mark !== "`" || isFence; ) {
    const { index } = findQuotes(open, line, base, at);
    if (index < 0) break;
    const after = afterQuotes(open.quotes, line, index + 3);
    if (readQuotes(draft, source, open, source.text, source.at + index, source.at + after, true)) return undefined;
    at = after;
  }
  source.at = next;
  draft.midLine = false;
  if (open.dead) return undefined;
  open.values.pass(source, source.offset);
  // From here on text is read unit by unit: a line begins behind its break.
  if (open.quotes.mark !== "`" && line.endsWith("\n")) source.at -= 1;
  return undefined;
}

/** Reads a line's beginning: the string has ended before it (then it is not open any more), or returns where to cut. */
function lineStart(draft: Draft, source: Source, open: OpenString, line: string): Cut | undefined {
  const { fence } = draft.options;
  const { dead, fenceEnd, watch } = open;
  const last = fenceEnd ?? dead;
  if (last?.clean && (documentStart.test(line) || opensDocument.test(line))) return force(draft, source, last);
  if (fenceEnd && opensOther.test(line)) return force(draft, source, fenceEnd);
  const opener = watch?.line(source, line, source.offset);
  if (watch) open.values.stopAt(watch.limit);
  if (opener) {
    if (last?.clean && standsOutside(draft, source, last)) return force(draft, source, last);
    const cut = cutBefore(draft, source, open, opener);
    if (cut) return cut;
  }
  if (fence && dead && closesFence(line.trimEnd(), fence)) {
    open.fenceEnd = dead;
    open.values.stopAt(dead.quotes);
  }
  return undefined;
}
