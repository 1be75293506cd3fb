import { numeral, type Say } from "../text.ts";
import table from "../words/dates.json" with { type: "json" };

/** A comparison of a date with a part of one: `2026`, `2026-07`, `2026-07-03`, or without a year `-07` and `-07-03`. */
export type Bound = readonly [operator: string, part: string];

/** A span of days: one or two comparisons, all of which hold. */
export type Period = readonly Bound[];

const { months, bounds }: { months: string[]; bounds: Record<string, string[]> } = table;
const parts: Record<string, string> = { ...table.parts, MONTH: `(?<name>${months.join("|")})` };

/** How a moment is written. `may` and `march` are other words, too, and a bare year is a number: they need a word before. */
export const moments: readonly RegExp[] = table.moments
  .map((source) => source.replaceAll(/MONTH|YEAR|DAY/g, (part) => parts[part] ?? ""))
  .map((source) => new RegExp(source, "iuy"));

const iso = (...[y, m, d]: [number, number, number]): string => new Date(Date.UTC(y, m, d)).toISOString().slice(0, 10);

/** What a moment means; `now` is what "last week" is counted from, in UTC. */
export function readMoment({ said, name, month, year, day }: Partial<Record<string, string>>, now: Date) {
  const named = months.findIndex((one) => one.toLowerCase() === name?.toLowerCase()) + 1;
  const number = named || (numeral(month ?? "") ?? 0);
  const numbers = name || month ? [number, ...(day ? [day] : [])] : [];
  const part = numbers.map((one) => `-${String(one).padStart(2, "0")}`).join("");
  const period: Period = said ? saidMoment(said, now) : [["=", (year ?? "") + part]];
  // Only what the calendar has: 31 February is none.
  const exists = part === "" || iso(Number(year ?? 2024), number - 1, Number(day ?? 1)).startsWith(part, 4);
  return exists ? { kind: "period", value: "", period } : null;
}

/** `Last week` (from Monday), `this month`, `yesterday`. */
function saidMoment(said: string, now: Date): Period {
  const back = /last|yester|上|去|昨/i.test(said) ? 1 : 0;
  const [y, m, d] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (/day|天/i.test(said)) return [["=", iso(y, m, d - back)]];
  if (/year|年/i.test(said)) return [["=", String(y - back)]];
  if (/month|月/i.test(said)) return [["=", iso(y, m - back, 1).slice(0, 7)]];
  const monday = d - ((now.getUTCDay() + 6) % 7) - 7 * back;
  return between(iso(y, m, monday), iso(y, m, monday + 6));
}

export const between = (first: string, last: string): Period => [
  [">=", first],
  ["<=", last],
];

/** What begins or ends with a month or a day without a year means the last one that had begun by now. */
export function withYear(part: string, now: Date): string {
  if (!part.startsWith("-")) return part;
  const year = now.getUTCFullYear();
  return (year + part <= now.toISOString() ? year : year - 1) + part;
}

export function periodText(period: Period, say: Say): string {
  const [from = "", to = ""] = period.map(([, part]) => partText(part, say));
  if (period.length > 1) return say`${from} to ${to} ‖ ${from}至${to}`;
  return (bounds[period[0]?.[0] ?? "="]?.[say.zh ? 1 : 0] ?? "").replace("{}", from);
}

function partText(part: string, say: Say): string {
  const [, month, day] = /^-(\d\d)(?:-(\d\d))?$/.exec(part)?.map(Number) ?? [];
  const name = month && say`${months[month - 1]} ‖ ${month} 月`;
  return name ? name + (day ? say` ${day} ‖  ${day} 日` : "") : part;
}

/** A period as a condition on a column of ISO dates. */
export function periodSql(period: Period, column: string): string {
  const place = (part: string): string => `${part.startsWith("-") ? 5 : 1}, ${part.length}`;
  return period.map(([operator, part]) => `substr(${column}, ${place(part)}) ${operator} '${part}'`).join(" AND ");
}

/** Whether a period reaches to the ends of the data or beyond them, so that it may be there only in part. */
export const reachesBeyond = (period: Period, first: string, last: string): boolean =>
  period.some(([operator, part]) => {
    const [begins, ends] = [first.slice(0, part.length), last.slice(0, part.length)];
    const touches = (part === begins && operator !== ">") || (part === ends && operator !== "<");
    return !part.startsWith("-") && (part < begins || part > ends || touches);
  });
