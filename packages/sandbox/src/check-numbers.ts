import { isObject } from "@toolglot/internal";

/** Least and largest value of each number, by its name. */
export type Ranges = Readonly<Record<string, readonly [least: number, most: number]>>;

/** Throws `TypeError` for what is no object, for an unknown name, and for what is no whole number in its range. `what`: the option. */
export function checkNumbers(what: string, given: unknown, ranges: Ranges): void {
  if (given === undefined) return;
  const names = Object.keys(ranges).join(", ");
  if (!isObject(given)) throw new TypeError(`${what} must be an object, { ${names} }.`);
  for (const [name, value] of Object.entries(given)) {
    const range = Object.hasOwn(ranges, name) ? ranges[name] : undefined;
    if (range === undefined) throw new TypeError(`${what}.${name} is unknown: there are ${names}.`);
    const [least, most] = range;
    const isFit =
      value === undefined || (Number.isInteger(value) && (value as number) >= least && (value as number) <= most);
    if (!isFit) {
      throw new TypeError(`${what}.${name} must be a whole number from ${least} to ${most}, not ${String(value)}.`);
    }
  }
}
