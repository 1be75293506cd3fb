import { nearest } from "./nearest.ts";

/** The words of a text, with one space between two. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/**
 * The text, when its words are all keys of an options type and nothing else; the compiler refuses any other. It can't look into
 * a text that is put together at run time, and takes it.
 */
type KeyWords<Options, Text extends string> = string extends Text
  ? Text
  : [keyof Options & string, Words<Text>] extends [Words<Text>, keyof Options & string]
    ? Text
    : never;

/** All keys of an options type, as the words of a text, or of several. */
export type KnownKeys<Options, Text extends string> = KeyWords<Options, Text> | readonly KeyWords<Options, Text>[];

/**
 * Refuses options that nobody would read: a misspelt limit must not become no limit. Keys whose value is `undefined` count,
 * since their name is as wrong. Nothing given (`undefined`) is fine, unless something is required.
 *
 * @param what What the options belong to, as the caller knows it: `createRouter`, `createAgent: limits`.
 * @param known All keys.
 * @param required Options that a call can't do without, to be named when none are given.
 * @throws `TypeError` for anything but a plain object, and for an unknown key; it names the nearest known one.
 */
export function checkKeys<Options extends object, const Text extends string>(
  what: string,
  given: Options | undefined,
  known: KnownKeys<Options, Text>,
  required: readonly (keyof Options & string)[] = [],
): void {
  if (given === undefined) {
    if (required.length > 0) throw new TypeError(`${what} needs options: { ${required.join(", ")} }`);
    return;
  }
  const kind = given === null ? "null" : Array.isArray(given) ? "a list" : `a ${typeof given}`;
  if (kind !== "a object") throw new TypeError(`${what} takes an object of options, not ${kind}`);
  const names = [known].flat().join(" ").split(" ");
  for (const key of Object.keys(given)) {
    if (names.includes(key)) continue;
    const [near] = nearest(key, names, 1);
    throw new TypeError(
      `${what} has no option ${JSON.stringify(key)}. ${near ? `Did you mean ${JSON.stringify(near)}?` : `It has: ${names.join(", ")}.`}`,
    );
  }
}
