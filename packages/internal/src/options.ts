import { nearest } from "./nearest.ts";

/** All keys of an options type: the compiler refuses the list when one is missing or one too many. */
export type KnownKeys<Options> = Readonly<Record<keyof Options & string, true>>;

/** The words of a text, with one space between two. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The text, when its words are all keys of an options type and nothing else; the compiler refuses any other. */
type KeyWords<Options, Text extends string> = [keyof Options & string, Words<Text>] extends [
  Words<Text>,
  keyof Options & string,
]
  ? Text
  : never;

/**
 * Refuses options that nobody would read: a misspelt limit must not become no limit. Keys whose value is `undefined` count,
 * since their name is as wrong. Nothing given (`undefined`) is fine, unless something is required.
 *
 * @param what What the options belong to, as the caller knows it: `createRouter`, `createAgent: limits`.
 * @param known All keys: as the words of a text, or of several, or as an object.
 * @param required Options that a call can't do without, to be named when none are given.
 * @throws `TypeError` for anything but a plain object, and for an unknown key; it names the nearest known one.
 */
export function checkKeys<Options extends object>(
  what: string,
  given: Options | undefined,
  known: KnownKeys<Options>,
  required?: readonly (keyof Options & string)[],
): void;
export function checkKeys<Options extends object, const Text extends string>(
  what: string,
  given: Options | undefined,
  known: KeyWords<Options, Text> | readonly KeyWords<Options, Text>[],
  required?: readonly (keyof Options & string)[],
): void;
export function checkKeys(
  what: string,
  given: object | undefined,
  known: KnownNames | string | readonly string[],
  required: readonly string[] = [],
): void {
  if (given === undefined) {
    if (required.length > 0) throw new TypeError(`${what} needs options: { ${required.join(", ")} }`);
    return;
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new TypeError(
      `${what} takes an object of options, not ${given === null ? "null" : Array.isArray(given) ? "a list" : `a ${typeof given}`}`,
    );
  }
  const table = typeof known === "string" || Array.isArray(known) ? tableOf(`${known}`) : (known as KnownNames);
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(table, key)) continue;
    const names = Object.keys(table);
    const [near] = nearest(key, names, 1);
    throw new TypeError(
      `${what} has no option ${JSON.stringify(key)}. ${near === undefined ? `It has: ${names.join(", ")}.` : `Did you mean ${JSON.stringify(near)}?`}`,
    );
  }
}

type KnownNames = Readonly<Record<string, true>>;

/** Of the texts of words that were checked: some are checked in every call. */
const tables = new Map<string, KnownNames>();

function tableOf(words: string): KnownNames {
  let table = tables.get(words);
  if (table === undefined) {
    table = Object.fromEntries(words.split(/[ ,]/).map((name) => [name, true]));
    tables.set(words, table);
  }
  return table;
}

/** An object's members without those that are `undefined`. */
export type Defined<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & { [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined> };

/** The members that are not `undefined`: `{ ...result, ...defined({ data, error }) }`. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    const value = (members as Record<string, unknown>)[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept as Defined<Members>;
}
