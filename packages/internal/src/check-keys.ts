import { nearest } from "./nearest.ts";

/** The words of a text, which have one space between them. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/**
 * The text itself, when its words are exactly the keys of an options type. The compiler refuses any other literal. It
 * accepts a text that is built at run time, because it can't check it.
 */
type KeyWords<Options, Text extends string> = string extends Text
  ? Text
  : [keyof Options & string, Words<Text>] extends [Words<Text>, keyof Options & string]
    ? Text
    : never;

/** All keys of an options type, as the words of one text or of several texts. */
export type KnownKeys<Options, Text extends string> = KeyWords<Options, Text> | readonly KeyWords<Options, Text>[];

/**
 * Refuses unknown options, because a misspelt limit must not mean "no limit". A key with the value `undefined` counts, too,
 * because its name is just as wrong. No options (`undefined`) are accepted, unless one is required.
 *
 * @param what What the options belong to, as the caller knows it: `createRouter`, `createAgent: limits`.
 * @param known All keys that the options may have.
 * @param required Required options, which the error names when no options are given.
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
