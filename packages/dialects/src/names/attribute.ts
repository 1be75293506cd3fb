import { readAttributes } from "../engines/tag-attributes.ts";
import { bodyAt, maxTagLength, tagEndAt } from "../scan/head.ts";
import { more } from "../scan/marks.ts";
import type { NameReader } from "../scan/parts.ts";

/** Attributes that the end of the text cut off. */
const cutAttributes =
  /^(?:\s{1,9}[\w:-]{1,100}\s{0,9}=\s{0,9}(?:"[^"<]*"|'[^'<]*'))*\s{0,9}(?:[\w:-]{1,100}\s{0,9}=\s{0,9}(?:"[^"<]*|'[^'<]*)?)?$/;

/** The name is an attribute of the element that the opener begins. */
export const attributeName: NameReader = {
  callAt(text, at, marks, ended) {
    if (at >= text.length) return ended ? 1 : more;
    if (!/\s/.test(text.charAt(at))) return 0;
    const end = tagEndAt(text, at, marks.callEnd, ended);
    if (end > 0) return bodyAt(text, end, marks, ended);
    return end === 0 && ended && cutAttributes.test(text.slice(at, at + maxTagLength)) ? 1 : end;
  },
  *read(call, cursor, marks) {
    const { name: rule, id } = marks.row.call;
    const span = { start: call.start, end: cursor.offset };
    const attributes = yield* readAttributes(cursor, marks.callEnd, marks.row.entities);
    if (!attributes && cursor.isCut) cursor.source.seek(cursor.source.length);
    if (!attributes) return call.fail(cursor.isCut ? "truncated" : "missing-name", span);
    if (id && "attribute" in id) call.id = attributes.get(id.attribute);
    const name = rule.at === "attribute" ? attributes.get(rule.attribute) : undefined;
    call.named(name ?? "", { start: call.start, end: cursor.offset });
    return !call.failure;
  },
};
