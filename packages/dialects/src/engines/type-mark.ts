import { markAt, more } from "../scan/marks.ts";
import type { RowMarks } from "../scan/row-marks.ts";

/** So far behind an opener its first argument may stand. */
const maxHead = 600;

/** Whether the first argument behind an opener has the dialect's type mark: 0, a higher number, or {@link more}. */
export function typeMarkAt(text: string, at: number, { row, argOpen, callClose }: RowMarks, ended: boolean): number {
  const { typeMark } = row.arguments;
  if (!typeMark || !("attribute" in typeMark)) return 1;
  const limit = Math.min(text.length, at + maxHead);
  for (let next = text.indexOf("<", at); next >= 0 && next < limit; next = text.indexOf("<", next + 1)) {
    if (callClose && markAt(text, next, callClose, true) > 0) return 0;
    const tag = argOpen ? markAt(text, next, argOpen, ended) : 0;
    if (tag === more) return more;
    const end = tag > 0 ? text.indexOf(">", tag) : -1;
    if (end >= 0) return new RegExp(`\\s${typeMark.attribute}\\s*=`).test(text.slice(tag, end)) ? 1 : 0;
  }
  return ended || text.length - at > maxHead ? 0 : more;
}
