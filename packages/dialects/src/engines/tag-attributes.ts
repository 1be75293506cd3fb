import type { Cursor, Reading } from "../scan/cursor.ts";
import { maxTagLength, tagEndAt } from "../scan/head.ts";
import type { Mark } from "../scan/marks.ts";

/** Reads the attributes of an opening tag, and goes behind what ends it. Undefined when it is none. */
export function* readAttributes(
  cursor: Cursor,
  tagEnd: Mark,
  hasEntities = false,
): Reading<Map<string, string> | undefined> {
  const end = yield* cursor.decide((text, at, ended) => tagEndAt(text, at, tagEnd, ended));
  const { source } = cursor;
  const { text, at } = source;
  if (end === 0) {
    cursor.isCut ||= text.length - at < maxTagLength;
    return undefined;
  }
  source.at = end;
  const [mark = ">"] = tagEnd.texts;
  return attributesIn(text.slice(at, text.lastIndexOf(mark.charAt(0), end - 1)), hasEntities);
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
