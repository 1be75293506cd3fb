import type { Cursor, Reading } from "../scan/cursor.ts";
import { type Mark, markOf } from "../scan/marks.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import { readAttributes } from "./tag-attributes.ts";
import { readUpTo } from "./tag-text.ts";

const tagEnd = markOf({ text: ">" });

/** The opening tag of an argument, or of an element in one. */
export interface ArgumentTag {
  key: string;
  /** The value of its type mark. */
  type: string | undefined;
  close: Mark;
}

/** Reads an opening tag behind its mark; undefined when it is none. */
export function* readTag(cursor: Cursor, marks: RowMarks): Reading<ArgumentTag | undefined> {
  const { row, argOpen, argClose, argEnd } = marks;
  const { key: rule, typeMark } = row.arguments;
  if (rule === "tag") {
    const key = (yield* readUpTo(cursor, [tagEnd], /[<>\s/]/))?.trim();
    return key ? { key, type: undefined, close: markOf(closerOf(argOpen as Mark, key)) } : undefined;
  }
  const attributes = yield* readAttributes(cursor, argEnd, row.entities);
  if (!attributes || typeof rule !== "object" || !("attribute" in rule)) return undefined;
  const type = typeMark && "attribute" in typeMark ? attributes.get(typeMark.attribute) : undefined;
  return { key: attributes.get(rule.attribute)?.trim() ?? "", type, close: argClose as Mark };
}

const closerOf = ({ texts: [open = "<"] }: Mark, name: string): { text: string; special: true } => ({
  text: `${open.trim()}/${name}>`,
  special: true,
});
