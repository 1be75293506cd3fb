import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";

/**
 * Whether the next object of a list of calls begins here: with a string as its first key, behind the end of another one. Where that key is
 * the name, it must be a tool's, behind the end of both arguments and call.
 */
export function* isNextInList({ block, start }: CallDraft, cursor: Cursor): Reading<boolean> {
  const isNamed = block.row.call.name.at === "only-key";
  const before = cursor.slice(Math.max(start, cursor.offset - 64), cursor.offset);
  if (!(isNamed ? /\}\s*\}[\s,]*$/ : /\}[\s,]*$/).test(before)) return false;
  for (;;) {
    const { source } = cursor;
    const match = /^\{\s*(?:(["'])([\w.:-]{0,40})(\1)?)?/.exec(source.text.slice(source.at, source.at + 100));
    if (!match) return false;
    if (match[3]) return !isNamed || block.host.tools.has(match[2] ?? "");
    if (match[0].length < Math.min(100, source.text.length - source.at) || !(yield* cursor.wait())) return false;
  }
}
