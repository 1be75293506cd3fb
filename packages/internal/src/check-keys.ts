import { nearest } from "./nearest.ts";

/** The kinds of values by their word: what they are, said after "must be", and who belongs to them. */
const kinds: Readonly<Record<string, readonly [wanted: string, is: (value: unknown) => boolean]>> = {
  text: ["text that is not empty", (value) => typeof value === "string" && value !== ""],
  string: ["text", (value) => typeof value === "string"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  number: ["a number", (value) => typeof value === "number"],
  count: ["a whole number from 0", (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  size: ["a whole number from 1", (value) => Number.isSafeInteger(value) && (value as number) > 0],
  function: ["a function", (value) => typeof value === "function"],
  list: ["an array", Array.isArray],
  object: ["an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
  url: ["a URL", (value) => (typeof value === "string" && value !== "") || value instanceof URL],
  signal: ["an AbortSignal", (value) => has(value, "addEventListener") && typeof Object(value).aborted === "boolean"],
  any: ["anything", () => true],
};

/** The types of the kinds, for the compiler. */
interface KindTypes {
  text: string;
  string: string;
  boolean: boolean;
  number: number;
  count: number;
  size: number;
  Infinity: number;
  function: ((...args: never) => unknown) | (abstract new (...args: never) => unknown);
  list: readonly unknown[];
  object: object;
  url: string | URL;
  signal: { readonly aborted: boolean };
  null: null;
  true: true;
  false: false;
  any: unknown;
}

type Split<Text extends string, Between extends string> = Text extends `${infer First}${Between}${infer Rest}`
  ? First | Split<Rest, Between>
  : Text;
type KeyOf<Word extends string> = Word extends `${infer Key}:${string}` ? Key : Word;
type TypeOf<Kind extends string> = Kind extends `"${infer Literal}"`
  ? Literal
  : Kind extends `${infer Item}[]`
    ? readonly TypeOf<Item>[]
    : Kind extends `{${string}}`
      ? object
      : Kind extends keyof KindTypes
        ? KindTypes[Kind]
        : never;
/** The words whose kinds leave out a part of the option's type, and would refuse what the type takes. */
type TooNarrow<Options, Word extends string> = Word extends `${infer Key extends keyof Options & string}:${infer Kinds}`
  ? [Exclude<Options[Key], undefined>] extends [TypeOf<Split<Kinds, "|">>]
    ? never
    : Word
  : never;

/**
 * The text itself, when its words are exactly the keys of an options type, and the kinds take all that the keys' types take. The
 * compiler refuses any other literal. It accepts a text that is built at run time, because it can't check it.
 */
type KeyWords<Options, Text extends string> = string extends Text
  ? Text
  : [keyof Options & string, KeyOf<Split<Text, " ">>] extends [KeyOf<Split<Text, " ">>, keyof Options & string]
    ? [TooNarrow<Options, Split<Text, " ">>] extends [never]
      ? Text
      : `too narrow: ${TooNarrow<Options, Split<Text, " ">>}`
    : never;

/** All keys of an options type, each with its kinds, as the words of one text or of several texts. */
export type KnownKeys<Options, Text extends string> = KeyWords<Options, Text> | readonly KeyWords<Options, Text>[];

/**
 * Refuses unknown options, because a misspelt limit must not mean "no limit", and values of a wrong kind, because they fail
 * where nobody looks for the cause. A key with the value `undefined` counts as a name, too, because a misspelt one is just as
 * wrong; as a value it is absent. No options (`undefined`) are accepted, unless one is required.
 *
 * @param what What the options belong to, as the caller knows it: `createRouter`, `createAgent: limits`.
 * @param known All keys that the options may have, as words `key:kind|kind`. Kinds: `text` (not empty), `string`, `boolean`,
 * `number`, `count` (whole, from 0), `size` (whole, from 1), `Infinity`, `function`, `list`, `x[]` (a list of values of the kind
 * x), `object`, `{a,b}` (an object with these functions), `url`, `signal`, `null`, `true`, `false`, `any`, and `"x"` for the text x
 * itself. A key without a kind takes anything.
 * @param required Required options: the error names them when no options are given, and they can't be given as `undefined`.
 * @param cures What to do about a key that is another library's word, or whose value is of a wrong kind.
 * @throws `TypeError` for anything but an object, for an unknown key (it names the nearest known one), and for a value of a
 * wrong kind (it names key, wanted and got).
 */
export function checkKeys<Options extends object, const Text extends string>(
  what: string,
  given: Options | undefined,
  known: KnownKeys<Options, Text>,
  required: readonly (keyof Options & string)[] = [],
  cures: Readonly<Record<string, string>> = {},
): void {
  if (given === undefined) {
    if (required.length > 0) throw new TypeError(`${what} needs options: { ${required.join(", ")} }`);
    return;
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const type = given === null ? "null" : Array.isArray(given) ? "a list" : `a ${typeof given}`;
    throw new TypeError(`${what} takes an object of options, not ${type}`);
  }
  // With each call of a tool: no list, no text and no function is made unless there may be a mistake.
  if (required.length === 0 && typeof known === "string" && areFine(given, tableOf(known))) return;
  const cure = (key: string): string => (Object.hasOwn(cures, key) ? ` ${cures[key]}` : "");
  const keys = Object.keys(given);
  if (!keys.length) return;
  const table = tableOf(typeof known === "string" ? known : known.join(" "));
  const isUnknown = (key: string): boolean => !table.has(key);
  const odd = keys.find((key) => isUnknown(key) && cure(key)) ?? keys.find(isUnknown);
  if (odd !== undefined) {
    const names = [...table.keys()];
    const [near] = nearest(odd, names, 1);
    const hint = cure(odd) || (near ? ` Did you mean ${JSON.stringify(near)}?` : ` It has: ${names.join(", ")}.`);
    throw new TypeError(`${what} has no option ${JSON.stringify(odd)}.${hint}`);
  }
  const check = (key: string, value: unknown, wanted: readonly string[], place = key): void => {
    for (const kind of wanted) if (isOfKind(kind, value)) return;
    const item = wanted.find(isList)?.slice(0, -2);
    if (item && Array.isArray(value)) {
      // Holes are undefined.
      for (const [index, each] of value.entries()) check(key, each, [item], `${place}[${index}]`);
      return;
    }
    const hint = cure(key) || (has(value, "abort") && wanted.includes("signal") ? " Pass controller.signal." : "");
    throw new TypeError(
      `${what}${what.includes(": ") ? "." : ": "}${place} must be ${wanted.map(wantedText).join(" or ")}, not ${gotText(value)}.${hint}`,
    );
  };
  for (const key of keys) {
    const value = (given as Record<string, unknown>)[key];
    if (value !== undefined || (required as readonly string[]).includes(key)) check(key, value, table.get(key) ?? []);
  }
}

type Table = ReadonlyMap<string, readonly string[]>;
/** Each text is read once: some are asked for with each call of a tool. They are written in the code, so that there is an end of them. */
const tables: Map<string, Table> = /* @__PURE__ */ new Map();

function tableOf(text: string): Table {
  let table = tables.get(text);
  if (table === undefined) {
    // A choice may hold a colon, too: "node:sqlite".
    const words = text.split(" ").map((word) => /^([^:]*):?(.*)$/.exec(word) as unknown as [string, string, string]);
    table = new Map(words.map(([, key, kind]) => [key, (kind || "any").split("|")]));
    tables.set(text, table);
  }
  return table;
}

/** Whether there is no mistake; false says only that there may be one. */
function areFine(given: object, table: Table): boolean {
  for (const key in given) {
    const wanted = table.get(key);
    if (wanted === undefined) return false;
    const value = (given as Record<string, unknown>)[key];
    if (value !== undefined && !wanted.some((kind) => isOfKind(kind, value))) return false;
  }
  return true;
}

const membersOf = (kind: string): string[] => kind.slice(1, -1).split(",");
const isList = (kind: string): boolean => kind.endsWith("]");
const has = (value: unknown, member: string): boolean => typeof Object(value)[member] === "function";

/** Values that are kinds of their own, as texts are in quotes. */
const literals: readonly unknown[] = [null, true, false, 1 / 0];

function isOfKind(kind: string, value: unknown): boolean {
  if (kind.endsWith("}")) return membersOf(kind).every((member) => has(value, member));
  if (isList(kind)) return Array.isArray(value) && areOfKind(kind.slice(0, -2), value);
  const known = kinds[kind];
  if (known) return known[1](value);
  return kind === (typeof value === "string" ? `"${value}"` : literals.includes(value) && `${value}`);
}

/** Holes are undefined. */
function areOfKind(kind: string, values: readonly unknown[]): boolean {
  for (const value of values) if (!isOfKind(kind, value)) return false;
  return true;
}

function wantedText(kind: string): string {
  if (isList(kind)) return "an array";
  if (kind.endsWith("}")) return `an object with ${membersOf(kind).join("() and ")}()`;
  return kinds[kind]?.[0] ?? kind;
}

/** Returns a value in a few words: texts are quoted, and an object of a class is named by it. */
export function gotText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return `${String(value)}${typeof value === "bigint" ? "n" : ""}`;
  const name: unknown = value.constructor?.name;
  if (typeof name !== "string" || name === "" || name === "Object") return "an object";
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;
}
