import type { Node } from "jsonc-parser";
import { parse } from "smol-toml";

/** Where a key of a TOML text stands, and its value. */
interface Place {
  key: number;
  value: number;
  members: Map<string, Place>;
}

/**
 * Returns the tree of a TOML text, as of a JSON text. Keys inside of a value, as of an inline table, are where that begins.
 *
 * @throws `TomlError`, with the line and the column of the mistake; `RangeError` for dotted keys and tables that are nested too deep.
 */
export function tomlTree(text: string, maxDepth: number): Node {
  return nodeOf(parse(text, { maxDepth }), placesOf(text), maxDepth);
}

function nodeOf(value: unknown, place: Place, depth: number, parent?: Node): Node {
  if (depth < 0) throw new RangeError("nested too deep");
  const node: Node = { type: "null", offset: place.value, length: 0, ...(parent && { parent }) };
  if (Array.isArray(value)) {
    const children = value.map((item, index) => nodeOf(item, placeIn(place, String(index)), depth - 1, node));
    return Object.assign(node, { type: "array", children });
  }
  if (value instanceof Date) return Object.assign(node, { type: "string", value: value.toISOString() });
  if (typeof value !== "object" || value === null) return Object.assign(node, { type: typeof value, value });
  const children = Object.entries(value).map(([key, inner]) => {
    const at = placeIn(place, key);
    const property: Node = { type: "property", offset: at.key, length: 0, parent: node };
    const keyNode: Node = { type: "string", value: key, offset: at.key, length: 0, parent: property };
    return Object.assign(property, { children: [keyNode, nodeOf(inner, at, depth - 1, property)] });
  });
  return Object.assign(node, { type: "object", children });
}

const placeIn = ({ value, members }: Place, key: string): Place =>
  members.get(key) ?? { key: value, value, members: new Map() };

/** The texts, comments and other letters of a TOML text that has no mistake. */
const part =
  /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|#[^\n]*|[\s\S]/g;

/** Finds tables and keys at the beginnings of lines. */
function placesOf(text: string): Place {
  const root: Place = { key: 0, value: 0, members: new Map() };
  let table = root;
  /** Where the line of a table or a key begins; the key, once its `=` was read. */
  let start: number | undefined;
  let entry: Place | undefined;
  let depth = 0;
  const endLine = (end: number): void => {
    if (start !== undefined && text[start] === "[") table = placeAt(root, text.slice(start, end), start);
    start = undefined;
    entry = undefined;
  };
  for (const { 0: token, index } of text.matchAll(part)) {
    if (token === "\n" && depth === 0) endLine(index);
    if (/^[\s#]/.test(token)) continue;
    if (entry !== undefined && entry.value < 0) entry.value = index;
    start ??= index;
    if (token === "[" || token === "{") depth++;
    if (token === "]" || token === "}") depth--;
    if (token === "=" && entry === undefined) {
      entry = placeAt(table, text.slice(start, index), start);
      entry.value = -1;
    }
  }
  endLine(text.length);
  return root;
}

/** Notes where a table (`[a.b]`), one of a list (`[[a.b]]`), or a key (`a.b`) stands. */
function placeAt(from: Place, written: string, offset: number): Place {
  const isTable = written.startsWith("[");
  let place = from;
  let value: unknown = parse(isTable ? written : `${written} = 0`);
  while (typeof value === "object" && value !== null) {
    const [key = "", inner] = Object.entries(value)[0] ?? [];
    if (key === "" && inner === undefined) break;
    place = step(place, key, offset);
    value = inner;
    if (Array.isArray(value)) {
      place = step(place, String(place.members.size), offset);
      value = value[0];
    }
  }
  return place;
}

function step({ members }: Place, key: string, offset: number): Place {
  const place = members.get(key) ?? { key: offset, value: offset, members: new Map() };
  members.set(key, place);
  return place;
}
