import type { Source } from "@toolglot/core/text";
import { isSeen, lastLineBreak, lineEnd } from "@toolglot/internal";
import type { Draft } from "./draft.ts";
import type { Entry } from "./entry.ts";
import { restPattern } from "./patterns.ts";
import { type Candidate, isCleanEnd, type OpenString } from "./string-scan.ts";

export const surplusQuotes = "Code begins and ends with three quotes; more of them were left out.";

/** Whether a line may stand behind the quotes that are in question; if so, it counts as read. */
export function admits(draft: Draft, line: number): boolean {
  if (!draft.pending) return true;
  if (draft.deadLines?.has(line)) return false;
  draft.pending.lines.push(line);
  return true;
}

/** Settles where the last string ends, unless it is the code's. */
export function settle(draft: Draft): void {
  if (draft.pending && draft.pending.open.entry.field !== "code") draft.pending = undefined;
}

/**
 * Reads three or more quotes in a string, from one index of a text to another: true when they are taken for its end, or may be it;
 * `"more"` when their line decides.
 */
export function readQuotes(
  draft: Draft,
  source: Source,
  open: OpenString,
  text: string,
  index: number,
  end: number,
  ended: boolean,
): boolean | "more" {
  const { entry } = open;
  let next = end;
  while (next < text.length && text.charCodeAt(next) !== 10 && !isSeen(text.charCodeAt(next))) next += 1;
  if (next === text.length && !ended) return "more";
  const mayEnd = next === text.length || /[\n#/]/.test(text.charAt(next));
  let rest = "";
  if (mayEnd) {
    const to = lineEnd(text, next);
    if (to === text.length && !ended) return "more";
    rest = text.slice(end, to).replace(/\r$/, "");
  }
  const quotes = source.base + index;
  const after = source.base + end;
  open.runs += 1;
  // Quotes before these are data now, whatever follows.
  open.dead = undefined;
  const isEnd = mayEnd && isEndBefore(draft, rest, after);
  const near = source.slice(Math.max(entry.bodyStart, quotes - 80), quotes);
  const before = near.slice(lastLineBreak(near, 0, near.length) + 1);
  const alone = before.trim() === "" && (before.length < 80 || near.includes("\n"));
  const clean = isCleanEnd(entry, before, isEnd && onOpenersLine(source, entry, quotes));
  if (!isEnd) {
    entry.innerQuotes ??= quotes;
    // Quotes at a line's start, with something behind them: the end, if nothing better comes.
    if (!alone || !clean || !open.watch) return false;
  }
  open.values.pass(source, quotes);
  const candidate: Candidate = {
    open,
    quotes,
    after,
    lines: [],
    clean,
    mayEnd: clean || alone,
    surplus: alone && end - index > 3 && open.watch !== undefined && draft.options.allows("inner-quotes"),
    runs: open.runs,
    mark: draft.mark(),
  };
  if (isEnd) {
    close(draft, source, candidate, rest);
    draft.pending = candidate;
    if (entry.field === "code") draft.codeEnd = candidate;
  } else {
    open.dead = candidate;
    source.seek(after);
    draft.midLine = true;
  }
  return true;
}

/** Whether the rest of a line lets a string end before it. A comment is checked a few times only, for its cost. */
function isEndBefore(draft: Draft, rest: string, after: number): boolean {
  if (rest.trim() === "") return true;
  const end = after + rest.length;
  draft.commentChecks = {
    count: draft.commentChecks.lineEnd === end ? draft.commentChecks.count + 1 : 0,
    lineEnd: end,
  };
  return draft.commentChecks.count < 8 && restPattern.test(rest);
}

/** Ends the open string at a candidate, and reads on after its line. */
function close(draft: Draft, source: Source, { open, quotes, after, surplus }: Candidate, rest: string): void {
  const { entry } = open;
  entry.bodyEnd = surplus || open.quotes.mark === "`" ? quotes : after - 3;
  entry.valueEnd = after;
  if (surplus) {
    entry.mended = true;
    draft.note("inner-quotes", quotes, after, surplusQuotes);
  }
  draft.contentEnd = after + rest.trimEnd().length;
  const foreign = restPattern.exec(rest);
  if (!foreign) draft.note("stray-text", after, draft.contentEnd);
  else if (foreign[1]) draft.note("loose-syntax", draft.contentEnd - foreign[1].trimEnd().length, draft.contentEnd);
  draft.open = undefined;
  skipLine(source, after + rest.length);
}

/** Continues behind the line that an offset stands on. */
export function skipLine(source: Source, offset: number): void {
  source.seek(offset);
  source.at = Math.min(lineEnd(source.text, source.at) + 1, source.text.length);
}

/** Rolls back to just after the quotes that were taken for the end: they are data. */
export function rollBack(draft: Draft, source: Source): undefined {
  const candidate = draft.pending as Candidate;
  const { open, quotes, after, lines, mayEnd, mark } = candidate;
  draft.pending = undefined;
  if (draft.codeEnd === candidate) draft.codeEnd = undefined;
  draft.deadLines ??= new Set();
  for (const line of lines) draft.deadLines.add(line);
  draft.restore(mark);
  open.entry.innerQuotes ??= quotes;
  open.dead = mayEnd || !draft.options.fence ? candidate : undefined;
  draft.open = open;
  source.seek(after);
  draft.midLine = true;
}

/** Takes the last quotes as the end after all: what follows is no part of the document. */
export function force(draft: Draft, source: Source, candidate: Candidate): undefined {
  const { open, clean, runs, quotes, after, mark } = candidate;
  draft.restore(mark);
  open.dead = open.fenceEnd = undefined;
  if (open.entry.innerQuotes === quotes) open.entry.innerQuotes = undefined;
  source.seek(after);
  const rest = source.text.slice(source.at, lineEnd(source.text, source.at)).replace(/\r$/, "");
  if (open.entry.field === "code") {
    draft.forced = true;
    draft.codeEnd = candidate;
  }
  doubtEnd(draft, source);
  if (draft.options.fence ? !clean || runs % 2 === 0 : /\w/.test(rest) && !restPattern.test(rest))
    doubtQuotes(draft, candidate);
  close(draft, source, candidate, rest);
}

function onOpenersLine(source: Source, { bodyStart }: Entry, quotes: number): boolean {
  // Further on it makes no difference which line it is, and looking back costs.
  return quotes < bodyStart + 400 && !source.slice(bodyStart, quotes).includes("\n");
}

const unsureEnd = "The code was taken to end here; what follows may be part of it.";

/** Notes a doubt: the quotes may have been data. */
export function doubtQuotes(draft: Draft, { quotes, after }: Candidate): void {
  draft.doubt ??= { start: quotes, end: after, message: unsureEnd };
}

/** Notes a doubt about text directly below code on one line: it may have been meant for several. */
export function doubtLine(draft: Draft, source: Source, start: number): void {
  const last = draft.entries.at(-1);
  if (last?.field !== "code" || !/^(?:basic|literal)$/.test(last.form)) return;
  if (!/^\r?\n$/.test(source.slice(draft.contentEnd, start))) return;
  draft.doubt = { start: last.valueStart, end: last.valueEnd, message: unsureEnd };
}

/**
 * Notes a doubt where another document follows, but the code's quotes stand behind other text, or inside a string of the code: the
 * code may continue there.
 */
export function doubtEnd(draft: Draft, source: Source): void {
  const end = draft.codeEnd;
  if (!end) return;
  const { clean, quotes, after, open } = end;
  const other = open.quotes.mark === "'" ? '"""' : "'''";
  const inString = source.slice(open.entry.bodyStart, quotes).split(other).length % 2 === 0;
  if (!clean || inString) draft.doubt = { start: quotes, end: after, message: unsureEnd };
}

/** Unknown keys stand behind the code's quotes: lines of the code may have been read as keys. */
export function doubtKeys(draft: Draft, source: Source): void {
  const code = draft.entries.findIndex(({ field }) => field === "code");
  if (code >= 0 && !draft.doubt && draft.entries.some(({ field }, index) => index > code && !field))
    doubtEnd(draft, source);
}
