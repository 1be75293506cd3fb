import type { Cursor, Reading } from "../scan/cursor.ts";
import { maxTagLength } from "../scan/head.ts";
import { type Mark, markAt, more } from "../scan/marks.ts";

/**
 * Reads text up to one of several marks, and goes behind that; undefined when a line break, `<` or the end comes first, and nothing is taken.
 * Without marks, it reads up to white space or what opens a body.
 */
export function* readUpTo(cursor: Cursor, marks: readonly Mark[], stops: RegExp): Reading<string | undefined> {
  for (let length = 0; ; ) {
    const { source, ended } = cursor;
    const { text, at } = source;
    let waits = false;
    for (; at + length <= text.length && length < maxTagLength; length += 1) {
      const here = at + length;
      let undecided = false;
      for (const mark of marks) {
        const end = markAt(text, here, mark, ended, cursor.variable);
        if (end > 0) {
          const read = text.slice(at, here);
          source.at = end;
          return read;
        }
        undecided ||= end === more;
      }
      if (undecided) {
        waits = true;
        break;
      }
      if (here < text.length && stops.test(text.charAt(here))) return undefined;
    }
    if (!waits || !(yield* cursor.wait())) return undefined;
  }
}
