import { UsageError } from "../cli/usage-error.ts";
import type { GatewayWords } from "../words/gateway.ts";

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a date, in milliseconds since the epoch. Throws `UsageError`. */
export function dateOf(flag: string, text: string, say: GatewayWords): number {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new UsageError(say.badDate(flag, text));
  return time;
}

/** Reads a time to come: `90d`, `12h`, `30m`, or a date. Throws `UsageError`. */
export function expiryOf(text: string, say: GatewayWords): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const time =
    count === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : Number.NaN
      : Date.now() + Number(count) * (units[unit] ?? Number.NaN);
  // A token that has ended already is of no use.
  if (!(time > Date.now())) throw new UsageError(say.token.badExpires(text));
  return time;
}
