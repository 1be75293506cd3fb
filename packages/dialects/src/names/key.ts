import { more } from "../scan/marks.ts";
import type { NameReader } from "../scan/parts.ts";
import { readName } from "./text.ts";

/** The name is in the JSON. */
export const keyName: NameReader = {
  callAt: (text, at) => (text.charCodeAt(at) === 123 ? 1 : 0),
};

/** As {@link keyName}, and some write it before the object in a list, all the same. */
export const keyOrTextName: NameReader = {
  callAt(text, at, marks, ended) {
    const { row, close } = marks;
    if (row.call.name.at !== "key" || !row.list || close.length === 0)
      return keyName.callAt(text, at, marks, ended, true);
    const rest = text.slice(at, at + 102);
    if (/^(?:[\w.:-]{1,100})?\{/.test(rest)) return 1;
    return /^[\w.:-]{1,100}$/.test(rest) && rest.length < 101 && !ended ? more : 0;
  },
  *read(call, cursor, marks) {
    const { row, openers } = marks;
    const isBefore =
      row.call.name.at === "key" && openers.length > 0 && /[^{[]/.test(cursor.source.text.charAt(cursor.source.at));
    return !isBefore || (yield* readName(call, cursor, marks));
  },
};
