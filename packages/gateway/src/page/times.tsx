import type { View } from "./layout.tsx";
import type { Markup } from "./markup.ts";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Returns how far a time is from now: `3 minutes ago`, `in 2 hours`. */
function distance(at: number, { language, now }: View): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const [unit, ms] = units.find(([, size]) => Math.abs(at - now) >= size) ?? (["second", 1_000] as const);
  const count = Math.round((at - now) / ms);
  // `now` for both: "in 0 seconds" is nothing that anybody says.
  return count === 0 ? format.format(0, "second") : format.format(count, unit);
}

/** A time as people say it; the whole of it, in UTC, when one points at it. */
export function Time({ at, view }: { at: number; view: View }): Markup {
  const iso = new Date(at).toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}>
      {distance(at, view)}
    </time>
  );
}

/** The version of what shows times: another one twice a minute. */
export function minute({ now }: View): number {
  return Math.floor(now / 30_000);
}
