import { checkKeys as check } from "@toolglot/internal";

/**
 * Refuses options that nobody would read: a misspelt limit must not become no limit. Refuses values of a wrong kind, too. Keys whose value
 * is `undefined` count as names, and as values they are absent. Nothing given (`undefined`) is fine, unless something is required.
 *
 * @param what What the options belong to, as the caller knows it: `createRouter`, `createAgent: limits`.
 * @param known All keys, as words with a space between two, or as several such texts. A word may name the kinds that its key takes:
 * `key:kind|kind`, of `text` (not empty), `string`, `boolean`, `number`, `count` (whole, from 0), `size` (whole, from 1), `Infinity`,
 * `function`, `list`, `object`, `{a,b}` (an object with these functions), `url`, `signal`, `null`, `true`, `false`, `any`, and `"x"` (the text x itself).
 * @param required Options that a call can't do without, to be named when none are given.
 * @param cures What to do instead, by the key: for another library's word, or for a value of a wrong kind.
 * @throws `TypeError` for anything but an object, for an unknown key (it names the nearest known one), and for a value of a wrong kind (it
 * names key, wanted and got).
 */
export function checkKeys(
  what: string,
  given: object | undefined,
  known: string | readonly string[],
  required?: readonly string[],
  cures?: Readonly<Record<string, string>>,
): void {
  check<Record<string, unknown>, string>(what, given as Record<string, unknown> | undefined, known, required, cures);
}
