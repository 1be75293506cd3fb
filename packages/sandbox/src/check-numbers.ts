import { checkKeys } from "@toolglot/internal";

/** Least and largest value of each number, by its name. */
export type Ranges = Readonly<Record<string, readonly [least: number, most: number]>>;

/** Throws `TypeError` for what is no object, for an unknown name, and for what is no whole number in its range. `what`: the option. */
export function checkNumbers(what: string, given: object | undefined, ranges: Ranges): void {
  checkKeys<object, string>(what, given, Object.keys(ranges));
  for (const [name, value] of Object.entries(given ?? {})) {
    const [least, most] = ranges[name] as Ranges[string];
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
      throw new TypeError(`${what}.${name} must be a whole number from ${least} to ${most}, not ${String(value)}.`);
    }
  }
}
