import { callAt } from "./head.ts";
import { behindSpace, last, markAt, more } from "./marks.ts";
import type { DialectFinder, RowMarks } from "./parts.ts";

/** So much white space may stand between an opener and what shows whose it is. */
const maxSpace = 64;

/** Returns those of the first units of calls that are asked for besides `<`. */
export const headsIn = (firsts: string): string => firsts.replace(/[^[\]]/g, "");

/** Finds the calls of one dialect. */
export function onlyOne(marks: RowMarks): DialectFinder {
  const firsts = [...new Set(beginnings(marks).map((text) => text.charAt(0)))].join("");
  return {
    heads: headsIn(firsts),
    find(text, at, ended, isLineStart) {
      const begins = firsts.includes(text.charAt(at)) ? beginsAt(text, at, marks, ended, isLineStart) : 0;
      return begins === more ? "more" : begins > 0 ? marks : undefined;
    },
  };
}

/** Returns the texts that runs of a dialect begin with. */
export function beginnings({ open, callOpen, isHeader, header, nameEnds, row }: RowMarks): string[] {
  const opensCall = callOpen && (!callOpen.optional || callOpen.special) ? [callOpen] : [];
  const names = row.call.nameKey === undefined ? [] : nameEnds;
  return [
    ...[...open, ...opensCall, ...names].flatMap(({ texts }) => texts),
    ...(isHeader ? ["<|start|>", "to=", "<|channel|>"] : []),
    ...(header?.befores ?? []),
  ].map((text) => text.trimStart());
}

/** Whether a run of a dialect begins at an index: 0, a higher number, or {@link more}. */
export function beginsAt(text: string, place: number, marks: RowMarks, ended: boolean, isLineStart: boolean): number {
  const header = marks.header?.endAt(text, place, ended) ?? 0;
  let undecided = header === more;
  const at = header > 0 ? behindSpace(text, header) : place;
  for (const opener of marks.open) {
    if (opener.lineStart && !isLineStart) continue;
    const end = markAt(text, at, opener, ended);
    undecided ||= end === more;
    if (end <= 0) continue;
    const { isOther } = last;
    const call = behindSpace(text, end) - end > maxSpace ? 0 : callAt(text, end, marks, ended);
    // Marks that another dialect has for its own: the type mark of the first argument tells.
    const typed = (call !== 0 && isOther ? marks.typeMarkAt?.(text, end, marks, ended) : 1) ?? 1;
    if (call > 0 && typed > 0) return call;
    undecided ||= (call === more && typed !== 0) || (call !== 0 && typed === more);
  }
  const { callOpen, isHeader } = marks;
  if (isHeader) {
    const call = callAt(text, at, marks, ended);
    if (call !== 0) return call;
  } else if (callOpen && (!callOpen.optional || callOpen.special) && (!callOpen.lineStart || isLineStart)) {
    const end = markAt(text, at, callOpen, ended);
    const typed = (end > 0 && last.isOther ? marks.typeMarkAt?.(text, at, marks, ended) : 1) ?? 1;
    // At the end of the text a whole opener is a call that was cut off.
    const call = end > 0 && typed > 0 ? callAt(text, at, marks, ended) : 0;
    undecided ||= typed === more;
    undecided ||= end === more || call === more;
    if (call > 0) return call;
  }
  // The name stands in the arguments, too: what is before it may be missing.
  if (marks.row.call.nameKey !== undefined)
    for (const mark of marks.nameEnds) {
      const end = markAt(text, at, mark, ended);
      const call = end > 0 ? callAt(text, at, marks, ended) : 0;
      undecided ||= end === more || call === more;
      if (call > 0) return call;
    }
  return undecided ? more : 0;
}
