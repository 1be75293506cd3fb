import { checkKeys as check } from "@toolglot/internal";

/**
 * Refuses options that nobody would read: a misspelt limit must not become no limit. Keys whose value is `undefined` count. Nothing given
 * (`undefined`) is fine, unless something is required.
 *
 * @param what What the options belong to, as the caller knows it: `createRouter`, `createAgent: limits`.
 * @param known All keys, as words with a space between two, or as several such texts.
 * @param required Options that a call can't do without, to be named when none are given.
 * @throws `TypeError` for anything but a plain object, and for an unknown key; it names the nearest known one.
 */
export function checkKeys(
  what: string,
  given: object | undefined,
  known: string | readonly string[],
  required?: readonly string[],
): void {
  check<Record<string, unknown>, string>(what, given as Record<string, unknown> | undefined, known, required);
}
