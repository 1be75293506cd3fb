import { linesOf } from "../files/text.ts";

/** A line number as listings have it: `  12 | `, `12: `, `12→`, or with a tab behind. */
const linePrefix = /^[ \t]{0,12}(\d{1,7})(?: ?[|→│] ?|: |\t)/;

/** A find without the line numbers of a listing. */
export interface WithoutLineNumbers {
  text: string;
  /** Lines that had a number. */
  lines: number;
  /** The first number with all that is taken off. */
  first: string;
}

/** Undefined unless each line that is not empty begins with a line number, and each number is one more than the number before it. */
export function withoutLineNumbers(find: string): WithoutLineNumbers | undefined {
  let [lines, last, text] = [0, 0, ""];
  let first: string | undefined;
  for (const line of linesOf(find)) {
    const [prefix, number] = linePrefix.exec(line) ?? [];
    if (prefix === undefined && line.trim() === "") text += line;
    else if (prefix === undefined || (lines > 0 && Number(number) !== last + 1)) return undefined;
    else {
      first ??= prefix;
      last = Number(number);
      text += line.slice(prefix.length);
      lines++;
    }
  }
  return first === undefined || text.trim() === "" ? undefined : { text, lines, first };
}
