import type { Source } from "@toolglot/core/text";
import type { Draft } from "./draft.ts";
import type { Candidate } from "./string-scan.ts";

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
