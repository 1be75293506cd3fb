import type { DialectRow } from "../table/types.ts";
import { onlyOne } from "./detect.ts";
import type { DialectFinder, Parts, ProseFinder } from "./parts.ts";
import { isMarkless, marksOf, type RowMarks } from "./row-marks.ts";

/** What reading needs of the dialects that may stand in a text, whatever the text and the tools. */
export interface ReadingPlan {
  /** The one that is asked for first. */
  readonly rows: readonly RowMarks[];
  readonly detector: DialectFinder;
  readonly prose: ProseFinder | undefined;
  /** Those whose wrapper is a fence. */
  readonly fenced: readonly RowMarks[];
  /** Those whose calls are found by the names of tools. */
  readonly bare: readonly RowMarks[];
  /** The host has chosen a dialect without marks: if no tools are given, every name counts. */
  readonly isMarkless: boolean;
}

/** Makes the plan for a list of dialects. `isFixed`: the host has chosen the first. */
export function planOf(dialects: readonly DialectRow[], isFixed: boolean, parts: Parts): ReadingPlan {
  const rows = dialects.map((row) => marksOf(row, parts));
  const bare = rows.filter(({ row }) => row.bare === "known-names");
  return {
    rows,
    detector: parts.detector ? new parts.detector(rows) : onlyOne(rows[0] as RowMarks),
    prose: parts.prose && new parts.prose(rows, parts.heads),
    fenced: rows.filter(({ open }) => open.some(({ texts, optional }) => !optional && texts[0]?.startsWith("```"))),
    bare,
    isMarkless: isFixed && bare.every(isMarkless),
  };
}
