/** Checks for `{…}`, of any class; false for arrays, functions and null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks for a whole number from 0 that a double holds exactly. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether JSON can express the whole value, nested no deeper than 1,000. Members that are undefined count as absent. */
export function isJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null) return true;
      if (depth > maxDepth) return false;
      // A hole is undefined.
      if (Array.isArray(value)) return !value.includes(undefined) && value.every((item) => isJson(item, depth + 1));
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const key in value) {
        const inner: unknown = value[key as never];
        if (inner !== undefined && !isJson(inner, depth + 1)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

/** Returns the value at a JSON pointer, own properties only; undefined when there is none. */
export function atPointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Returns the value of a JSON text; undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Returns a copy of JSON that shares nothing with it, several times faster than `structuredClone`. Keys like `__proto__` stay data; what is
 * undefined stays so. What is no plain object or array (a date that a schema made, say) is taken over as it is.
 */
export function copyJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // Spreading defines properties, so that an own `__proto__` is one in the copy too, and the assignment below finds it.
  const copy: Record<string, unknown> = prototype === null ? Object.assign(Object.create(null), value) : { ...value };
  // All of them are its own; `for in` is the quickest way through them.
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === "object" && inner !== null) copy[key] = copyJson(inner);
  }
  return copy as Value;
}

/** Deeper than any frame; what is deeper goes round in a circle. */
const maxDepth = 1_000;
/** Deep values are rare, and the engine has no limit of its own. */
const maxOrderedDepth = 50;

/** Letters that JSON writes differently from how they are. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const needsEscape = /[\u0000-\u001f"\\\ud800-\udfff]/;

/**
 * Returns the one JSON text of a value, by RFC 8785: no spaces, keys in order of their UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Equal values give equal texts, whatever order their keys came in.
 *
 * Where the RFC has no answer: a lone surrogate, which the RFC refuses, is written as its `\udXXX` escape, so that the
 * text is always valid Unicode and different strings stay different. What JSON can't say is treated as `JSON.stringify`
 * treats it (`undefined` members left out, `undefined` and functions in arrays and non-finite numbers `null`, `toJSON`
 * obeyed), and a bigint is written as its digits. `TypeError` for what goes round in a circle.
 */
export function canonicalJson(value: unknown): string {
  // The engine writes what is in order already in half the time.
  return (isInOrder(value, 0) ? JSON.stringify(value) : write(value, 0)) ?? "null";
}

/** Whether `JSON.stringify` writes a value as {@link canonicalJson} does: plain objects with their names in order. */
function isInOrder(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (depth > maxOrderedDepth || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  if (Array.isArray(value)) return value.every((item) => isInOrder(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  let last = "";
  for (const name in value) {
    if (name < last || !isInOrder((value as Record<string, unknown>)[name], depth + 1)) return false;
    last = name;
  }
  return true;
}

/** Returns a value's JSON text; undefined for what has no form in JSON. */
function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return quoteJson(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "null" : writeObject(value, depth);
    default:
      return undefined;
  }
}

function writeObject(value: object, depth: number): string | undefined {
  if (depth > maxDepth) throw new TypeError(`can't be written as JSON: nested deeper than ${maxDepth}, or in a circle`);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return write(toJSON.call(value, ""), depth + 1);
  if (Array.isArray(value)) {
    let text = "[";
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text += ",";
      text += write(value[index], depth + 1) ?? "null";
    }
    return `${text}]`;
  }
  const keys = Object.keys(value);
  sortNames(keys);
  let text = "{";
  for (const key of keys) {
    const member = write((value as Record<string, unknown>)[key], depth + 1);
    if (member === undefined) continue;
    text += text.length > 1 ? `,${quoteJson(key)}:${member}` : `${quoteJson(key)}:${member}`;
  }
  return `${text}}`;
}

/** Sorts names as `sort()` does; few of them by insertion, which needs no copies. */
function sortNames(names: string[]): void {
  if (names.length > 16) {
    names.sort();
    return;
  }
  for (let index = 1; index < names.length; index++) {
    const name = names[index] as string;
    let at = index;
    for (; at > 0 && (names[at - 1] as string) > name; at--) names[at] = names[at - 1] as string;
    names[at] = name;
  }
}

/** Returns a text as JSON writes it, quoted. */
export function quoteJson(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** An object's members without those that are `undefined`. */
export type Defined<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & { [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined> };

/** Returns the members that are not `undefined`: `{ ...result, ...defined({ data, error }) }`. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    const value = (members as Record<string, unknown>)[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept as Defined<Members>;
}
