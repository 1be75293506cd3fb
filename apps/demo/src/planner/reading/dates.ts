import { numeral, type Say } from "../text.ts";

/** A comparison of a date with a part of one: `2026`, `2026-07`, `2026-07-03`, or without a year `-07` and `-07-03`. */
export type Bound = readonly [operator: string, part: string];

/** A span of days: one or two comparisons, all of which hold. */
export type Period = readonly Bound[];

const months = "January February March April May June July August September October November December".split(" ");
const month = `(?<name>${months.join("|")})`;
const year = "(?<year>(?:19|20)\\d\\d)(?!\\d)";
const day = "(?<day>\\d{1,2})(?:st|nd|rd|th)?(?!\\d)";

/** How a moment is written. `may` and `march` are other words, too, and a bare year is a number: they need a word before. */
export const moments: readonly RegExp[] = [
  `${year}-(?<month>\\d\\d?)(?:-${day})?(?![-\\d])`,
  `${month}(?: ${day})?(?:,? ${year})?(?!\\p{L})(?<!(?<!\\b(?:in|since|before|after|and|to|of|from|between) )(?:may|march))`,
  `${day} (?:of )?${month}(?:,? ${year})?(?!\\p{L})`,
  `(?<=\\b(?:in|since|before|after|until|to|and|of|from|between|for) )${year}(?![\\p{L}.-])`,
  `(?:${year}年)?(?<month>十[一二]?|[一二三四五六七八九]|\\d{1,2})月份?(?:(?<day>\\d{1,2})[日号])?`,
  `${year}年`,
  "(?<said>yesterday|today|昨天|今天|去年|今年|[上这本]个?月|[上这本]个?(?:周|星期))",
  "(?<said>(?:last|this) (?:week|month|year))(?!\\p{L})",
].map((source) => new RegExp(source, "iuy"));

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
  const words: Record<string, string> = {
    ">=": say`since ${from} ‖ ${from}以来`,
    ">": say`after ${from} ‖ ${from}之后`,
    "<": say`before ${from} ‖ ${from}之前`,
    "<=": say`until ${from} ‖ 到${from}为止`,
  };
  return words[period[0]?.[0] ?? ""] ?? from;
}

function partText(part: string, say: Say): string {
  const [, month, day] = /^-(\d\d)(?:-(\d\d))?$/.exec(part)?.map(Number) ?? [];
  const name = month && say`${months[month - 1]} ‖ ${month} 月`;
  return name ? name + (day ? say` ${day} ‖  ${day} 日` : "") : part;
}

/** A period as a condition on a column of ISO dates. */
export function periodSql(period: Period, column: string): string {
  const from = (part: string): number => (part.startsWith("-") ? 5 : 1);
  const conditions = period.map(
    ([operator, part]) => `substr(${column}, ${from(part)}, ${part.length}) ${operator} '${part}'`,
  );
  return conditions.join(" AND ");
}

/** Whether a period reaches to the ends of the data or beyond them, so that it may be there only in part. */
export const reachesBeyond = (period: Period, first: string, last: string): boolean =>
  period.some(([operator, part]) => {
    const [begins, ends] = [first.slice(0, part.length), last.slice(0, part.length)];
    const touches = (part === begins && operator !== ">") || (part === ends && operator !== "<");
    return !part.startsWith("-") && (part < begins || part > ends || touches);
  });
