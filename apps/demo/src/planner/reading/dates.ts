import { numeral, type Say } from "../text.ts";

/** A span of days. Without a year it means that month or day of every year in the data. */
export interface Period {
  /** ISO date of the first day; absent where there is no beginning. */
  from?: string | undefined;
  /** ISO date of the day after the last one; absent where there is no end. */
  to?: string | undefined;
  /** Months from 1 to 12, where no year is named. */
  months?: readonly number[];
  /** Day of the one month. */
  day?: number;
}

/** A period as it stands in a request. */
type PeriodToken = { kind: "period"; value: ""; period: Period; start: number; end: number };

/** A day as year, month from 1, day. */
type Day = readonly [year: number, month: number, day: number];

const monthNames = "January February March April May June July August September October November December".split(" ");
const pieces: Record<string, string> = {
  YEAR: "(?<year>(?:19|20)\\d\\d)",
  SAID: "(?<said>[今去前])",
  NAME: "(?<name>January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?",
  MONTH: "(?<month>[一二三四五六七八九十]|十[一二]|\\d{1,2})月",
  DAY: "(?<date>\\d{1,2}|[二三]?十?[一二三四五六七八九]|[二三]?十)",
  DATE: "(?<date>\\d{1,2})(?:st|nd|rd|th)?",
  COUNT: "(?<count>\\d{1,3}|[a-z]+|[一二两三四五六七八九十]+)",
};

const pieceNames = new RegExp(Object.keys(pieces).join("|"), "g");

/** How a moment is written; words in capitals stand for the pieces above. */
const moments = String.raw`
YEAR-(?<month>\d\d?)-(?<date>\d\d?)(?!\d)
YEAR-(?<month>\d\d?)(?![-\d])
NAME DATE(?!\d)(?:,? YEAR)?(?!\d)
DATE(?: of)? NAME(?:,? YEAR)?(?!\d|\p{L})
NAME(?: of)?,? YEAR(?!\d)
NAME(?!\p{L})
(?:the )?(?:Q(?<quarter>[1-4])|(?<ordinal>first|second|third|fourth) quarter)(?:(?: of)?,? YEAR)?(?!\d)
(?:the )?(?<half>first|second) half (?:of )?YEAR(?!\d)
(?<day>today|yesterday)(?!['’\p{L}])
(?:the )?(?<which>this|last|previous) (?<unit>week|month|quarter|year)(?!\p{L})
(?:the |in the )?(?:last|past|previous) COUNT (?<unit>day|week|month|year)s?(?!\p{L})
YEAR年MONTHDAY[日号]
(?:YEAR|SAID)年MONTH份?
MONTHDAY[日号]
MONTH份?
(?:YEAR年|SAID年)?第?(?<quarter>[一二三四1-4])季度
(?:YEAR|SAID)年(?<half>上|下)半年
(?:YEAR|SAID)年
(?<day>今天|昨天)
(?<which>本|这个?|上一?个?)(?<unit>周|星期|月|季度)
(?:最近|过去|近)的?\s*COUNT\s*个?(?<unit>天|周|星期|月|年)
YEAR(?![\p{L}\d.-])`
  .trim()
  .split("\n")
  .map(
    (line) =>
      new RegExp(
        line.replaceAll(pieceNames, (name) => pieces[name] ?? name),
        "iuy",
      ),
  );

const units: Record<string, string> = { 天: "day", 周: "week", 星期: "week", 月: "month", 季度: "quarter", 年: "year" };

/** The periods that a text names, in their order. `now` is what "last week" is counted from, in UTC. */
export function findPeriods(text: string, now: Date): PeriodToken[] {
  const today: Day = [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()];
  const found: PeriodToken[] = [];
  for (let at = 0; at < text.length; at += 1) {
    // Not in the middle of a word or a number.
    if (/^[\p{Script=Latin}\p{N}_-][\p{Script=Latin}\p{N}]/u.test(text.slice(Math.max(0, at - 1), at + 1)) && at > 0)
      continue;
    const moment = momentAt(text, at, today);
    if (moment === undefined) continue;
    found.push(moment);
    at = moment.end - 1;
  }
  return bounded(text, found, today);
}

function momentAt(text: string, start: number, today: Day): PeriodToken | undefined {
  let best: PeriodToken | undefined;
  for (const pattern of moments) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    const end = start + (match?.[0].length ?? 0);
    if (match === null || end <= (best?.end ?? start) || isNoDate(text.slice(0, start), match[0])) continue;
    const period = readMoment(match.groups ?? {}, today);
    if (period && (period.from === undefined || period.to === undefined || period.from < period.to))
      best = { kind: "period", value: "", period, start, end };
  }
  return best;
}

/** What stands before a month that is also a verb, or before a bare year. */
const dating = "in|since|before|after|during|until|till|and|or|to|of|from|between|for|vs|versus|with|by";
const beforeMonth = new RegExp(`(?:\\b(?:${dating})|,)\\s*$`, "i");
const beforeYear = new RegExp(
  `(?:^|\\b(?:${dating}|year|than|revenue|sales|turnover)|[-–,和与到至从自在，、])\\s*$`,
  "i",
);

/** `May I …`, `march on`, and the number of a record are no dates. */
function isNoDate(before: string, found: string): boolean {
  const named = beforeMonth.test(before) || (/^[A-Z]/.test(found) && before.trim() !== "");
  if (/^(?:may|march|mar)$/i.test(found)) return !named || /^mar$/i.test(found);
  return /^\d{4}$/.test(found) && !beforeYear.test(before);
}

function readMoment(groups: Partial<Record<string, string>>, today: Day): Period | undefined {
  const { name, month, date, quarter, ordinal, half, day, which, count, said } = groups;
  const unit = units[groups.unit ?? ""] ?? groups.unit?.toLowerCase();
  const year = groups.year ? Number(groups.year) : said ? today[0] - "今去前".indexOf(said) : undefined;
  if (day) return days(today, /today|今天/i.test(day) ? 0 : -1);
  if (which) return around(today, unit, /last|previous|上/i.test(which) ? -1 : 0);
  if (count) return back(today, count, unit);
  if (half && year) return /first|上/i.test(half) ? months(year, 1, 6) : months(year, 7, 12);
  if (quarter || ordinal) {
    const last = 3 * (quarter ? (numeral(quarter) ?? 0) : ordinals.indexOf(ordinal?.toLowerCase() ?? "") + 1);
    return year ? months(year, last - 2, last) : { months: [last - 2, last - 1, last] };
  }
  if (!name && !month) return year ? months(year, 1, 12) : undefined;
  const short = name?.slice(0, 3).toLowerCase() ?? "";
  const m = month ? (numeral(month) ?? 0) : 1 + monthNames.findIndex((known) => known.toLowerCase().startsWith(short));
  if (m < 1 || m > 12) return undefined;
  if (!date) return year ? months(year, m) : { months: [m] };
  const d = numeral(date) ?? 0;
  // A day that the calendar has: 31 February is none.
  if (iso([year ?? 2024, m, d]).slice(5) !== `${two(m)}-${two(d)}`) return undefined;
  return year ? days([year, m, d]) : { months: [m], day: d };
}

const ordinals = "first second third fourth".split(" ");
const counts = "one two three four five six seven eight nine ten eleven twelve".split(" ");

/** What stands around a moment and gives it one end: its sides are what comes before, and what comes after. */
const sides: readonly [before: RegExp, after: RegExp, bound: (period: Period) => Period][] = [
  [/\b(?:since|starting in)\s*(?:the\s*)?$/i, /^\s*(?:以来|至今|起|开始)/, ({ from }) => ({ from })],
  [/\bafter\s*(?:the\s*)?$/i, /^\s*(?:之后|以后|后)/, ({ to }) => ({ from: to })],
  [/\bbefore\s*(?:the\s*)?$/i, /^\s*(?:之前|以前|前)/, ({ from }) => ({ to: from })],
  [/\b(?:until|till|up to)\s*(?:the\s*)?$/i, /^(?!)/, ({ to }) => ({ to })],
];

/** Takes in what stands around a moment: since, before, between … and … */
function bounded(text: string, found: readonly PeriodToken[], today: Day): PeriodToken[] {
  const tokens: PeriodToken[] = [];
  for (let index = 0; index < found.length; index += 1) {
    const token = found[index] as PeriodToken;
    const before = text.slice(tokens.at(-1)?.end ?? 0, token.start);
    const next = found[index + 1];
    const opening = /(?:\b(?:between|from)|从|自)\s*$/i.exec(before);
    const link = /^\s*(?:and|to|until|till|through|–|-|到|至|和)\s*$/i;
    if (next && opening && link.test(text.slice(token.end, next.start))) {
      const { from, to } = latest(next.period, iso(today));
      const first = latest(token.period, from ?? "");
      const tail = /^\s*(?:之间|期间)/.exec(text.slice(next.end))?.[0].length ?? 0;
      const start = token.start - opening[0].length;
      tokens.push({ ...token, start, end: next.end + tail, period: { from: first.from, to } });
      index += 1;
      continue;
    }
    const after = text.slice(token.end);
    const side = sides.find(([pattern]) => pattern.test(before)) ?? sides.find(([, pattern]) => pattern.test(after));
    const [prefix, suffix] = [side?.[0].exec(before)?.[0].length, side?.[1].exec(after)?.[0].length ?? 0];
    const [start, end] = prefix === undefined ? [token.start, token.end + suffix] : [token.start - prefix, token.end];
    tokens.push(side ? { ...token, start, end, period: side[2](latest(token.period, iso(today))) } : token);
  }
  return tokens;
}

/** The same with a year: the last such month or day that had begun by then. */
export function latest({ months: named, day, ...period }: Period, limit: string): Period {
  if (named === undefined) return period;
  const [first = 1, last = first] = [named[0], named.at(-1)];
  for (let year = Number(limit.slice(0, 4)); ; year -= 1) {
    const made = day === undefined ? months(year, first, last) : days([year, first, day]);
    if ((made.from ?? "") <= limit || year < 1900) return made;
  }
}

function iso([y, m, d]: Day): string {
  return new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10);
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

function days([y, m, d]: Day, move = 0, length = 1): Period {
  return { from: iso([y, m, d + move]), to: iso([y, m, d + move + length]) };
}

function months(y: number, first: number, last = first): Period {
  return { from: iso([y, first, 1]), to: iso([y, last + 1, 1]) };
}

/** This or the last week (from Monday), month, quarter or year. */
function around([y, m, d]: Day, unit: string | undefined, move: number): Period {
  if (unit === "year") return months(y + move, 1, 12);
  if (unit === "month") return months(y, m + move);
  const first = m - ((m - 1) % 3) + move * 3;
  if (unit === "quarter") return months(y, first, first + 2);
  const weekday = (new Date(Date.UTC(y, m - 1, d)).getUTCDay() + 6) % 7;
  return days([y, m, d], move * 7 - weekday, 7);
}

/** The last so many days, weeks, months or years, today included. */
function back([y, m, d]: Day, count: string, unit: string | undefined): Period | undefined {
  const n = counts.indexOf(count.toLowerCase()) + 1 || numeral(count);
  if (!n) return undefined;
  if (unit === "year") return { from: iso([y - n, m, d + 1]), to: iso([y, m, d + 1]) };
  if (unit === "month") return { from: iso([y, m - n, d + 1]), to: iso([y, m, d + 1]) };
  const length = n * (unit === "week" ? 7 : 1);
  return days([y, m, d], 1 - length, length);
}

/** A period for people: what was asked about, without a doubt. */
export function periodText({ from, to, months: named, day }: Period, say: Say): string {
  if (named) {
    const [first, last] = [named[0], named.at(-1)].map((one = 1) => (say.zh ? `${one} 月` : monthNames[one - 1]));
    if (day !== undefined) return say`${first} ${day} ‖ ${first} ${day} 日`;
    return named.length === 1 ? String(first) : say`${first} to ${last} ‖ ${first}至 ${last}`;
  }
  if (from === undefined) return say`before ${to} ‖ ${to} 之前`;
  if (to === undefined) return say`since ${from} ‖ ${from} 以来`;
  const last = new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10);
  const [year, month] = [from.slice(0, 4), Number(from.slice(5, 7))];
  if (from === last) return from;
  if (from === `${year}-01-01` && last === `${year}-12-31`) return say`${year} ‖ ${year} 年`;
  if (from.endsWith("-01") && to.endsWith("-01") && from.slice(0, 7) === last.slice(0, 7))
    return say`${monthNames[month - 1]} ${year} ‖ ${year} 年 ${month} 月`;
  return say`${from} to ${last} ‖ ${from} 至 ${last}`;
}

/** A period as a condition on a column of ISO dates. */
export function periodSql({ from, to, months: named, day }: Period, column: string): string {
  if (named && day !== undefined) return `substr(${column}, 6, 5) = '${two(named[0] ?? 0)}-${two(day)}'`;
  if (named) return `substr(${column}, 6, 2) IN (${named.map((number) => `'${two(number)}'`).join(", ")})`;
  return [...(from ? [`${column} >= '${from}'`] : []), ...(to ? [`${column} < '${to}'`] : [])].join(" AND ");
}
