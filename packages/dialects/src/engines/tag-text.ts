import type { Cursor, Reading } from "../scan/cursor.ts";
import { maxTagLength, tagEndAt } from "../scan/head.ts";
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

/** Reads the attributes of an opening tag, and goes behind what ends it. Undefined when it is none. */
export function* readAttributes(
  cursor: Cursor,
  tagEnd: Mark,
  hasEntities = false,
): Reading<Map<string, string> | undefined> {
  for (;;) {
    const { source, ended } = cursor;
    const { text, at } = source;
    const end = tagEndAt(text, at, tagEnd, ended);
    if (end === more) {
      yield;
      continue;
    }
    if (end === 0) {
      cursor.isCut ||= text.length - at < maxTagLength;
      return undefined;
    }
    source.at = end;
    const [mark = ">"] = tagEnd.texts;
    return attributesIn(text.slice(at, text.lastIndexOf(mark.charAt(0), end - 1)), hasEntities);
  }
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Reads attributes; undefined where anything else stands among them: the tag's end was lost, and this is the value. */
function attributesIn(text: string, hasEntities: boolean): Map<string, string> | undefined {
  const found = new Map<string, string>();
  const attributes = /([\w:-]{1,100})\s{0,99}=\s{0,99}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
  let at = 0;
  for (const { 0: all, 1: name = "", 2: quoted, 3: single, 4: bare = "", index } of text.matchAll(attributes)) {
    if (!(at === 0 ? blank : between).test(text.slice(at, index))) return undefined;
    at = index + all.length;
    const value = quoted ?? single ?? bare;
    found.set(
      name,
      hasEntities ? value.replace(/&(lt|gt|amp|quot|apos);/g, (written, entity) => entities[entity] ?? written) : value,
    );
  }
  return blank.test(text.slice(at)) ? found : undefined;
}

const blank = /^[\s/]*$/;
const between = /^(?:[\s/]+|\s*,\s*)$/;
