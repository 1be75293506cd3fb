import type { Locale } from "@toolglot/core";
import { numeral } from "../text.ts";

/** A span of days. Without a year it means that month or day of every year in the data. */
export interface Period {
  /** ISO date of the first day; absent where there is no beginning. */
  from?: string;
  /** ISO date of the day after the last one; absent where there is no end. */
  to?: string;
  /** Months from 1 to 12, where no year is named. */
  months?: readonly number[];
  /** Day of the one month. */
  day?: number;
}

/** A period as it stands in a request. */
export interface PeriodToken {
  kind: "period";
  value: "";
  period: Period;
  start: number;
  end: number;
}

const monthNames = "january february march april may june july august september october november december".split(" ");
const month =
  "(January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?";
const year = "((?:19|20)\\d\\d)";
const han = "[一二三四五六七八九十]|十[一二]|\\d{1,2}";
const amount = "(\\d{1,3}|[a-z]+|[一二两三四五六七八九十]+)";

/** How a moment is written, and the period that it means. */
type Moment = [pattern: RegExp, read: (match: RegExpExecArray, today: Day) => Period | undefined];

/** A day as year, month from 1, day. */
type Day = [year: number, month: number, day: number];

const moments: readonly Moment[] = [
  [/((?:19|20)\d\d)-(\d\d?)-(\d\d?)(?!\d)/y, ([, y, m, d]) => dayOf(y, Number(m), Number(d))],
  [/((?:19|20)\d\d)-(\d\d?)(?![-\d])/y, ([, y, m]) => monthIn(Number(y), Number(m))],
  [
    new RegExp(`${month} (\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,? ${year})?(?!\\d)`, "iy"),
    ([, m, d, y]) => dayOf(y, monthOf(m), Number(d)),
  ],
  [
    new RegExp(`(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}(?:,? ${year})?(?!\\d|\\p{L})`, "iyu"),
    ([, d, m, y]) => dayOf(y, monthOf(m), Number(d)),
  ],
  [new RegExp(`${month}(?: of)?,? ${year}(?!\\d)`, "iy"), ([, m, y]) => months(Number(y), monthOf(m))],
  [new RegExp(`${month}(?!\\p{L})`, "iyu"), ([, m]) => ({ months: [monthOf(m)] })],
  [
    new RegExp(`(?:the )?(?:Q([1-4])|(first|second|third|fourth) quarter)(?:(?: of)?,? ${year})?(?!\\d)`, "iy"),
    ([, n, word, y]) =>
      quarter(y, Number(n ?? "first second third fourth".split(" ").indexOf(word?.toLowerCase() ?? "") + 1)),
  ],
  [
    new RegExp(`(?:the )?(first|second) half (?:of )?${year}(?!\\d)`, "iy"),
    ([, word, y]) => half(Number(y), word?.toLowerCase() === "first"),
  ],
  [/(today|yesterday)(?!['’\p{L}])/iuy, ([, word], now) => days(now, word?.toLowerCase() === "today" ? 0 : -1)],
  [
    /(this|last|previous|the last|the previous) (week|month|quarter|year)(?!\p{L})/iuy,
    ([, which, unit], now) => around(now, unit ?? "", which?.toLowerCase() === "this" ? 0 : -1),
  ],
  [
    new RegExp(`(?:the |in the )?(?:last|past|previous) ${amount} (day|week|month|year)s?(?!\\p{L})`, "iyu"),
    ([, n, unit], now) => back(now, n, unit),
  ],
  [
    new RegExp(`${year}年(${han})月(${han}|[二三]?十[一二三四五六七八九]?)[日号]`, "y"),
    ([, y, m, d]) => dayOf(y, numeral(m ?? "") ?? 0, numeral(d ?? "") ?? 0),
  ],
  [
    new RegExp(`(?:${year}|(今|去|前))年(${han})月份?`, "y"),
    ([, y, word, m], now) => monthIn(yearOf(y, word, now), numeral(m ?? "") ?? 0),
  ],
  [
    new RegExp(`(${han})月(\\d{1,2}|[二三]?十?[一二三四五六七八九]|[二三]?十)[日号]`, "y"),
    ([, m, d]) => dayOf(undefined, numeral(m ?? "") ?? 0, numeral(d ?? "") ?? 0),
  ],
  [new RegExp(`(${han})月份?`, "y"), ([, m]) => ({ months: [numeral(m ?? "") ?? 0] })],
  [
    new RegExp(`(?:${year}年|(今|去|前)年)?第?([一二三四1-4])季度`, "y"),
    ([, y, word, n], now) => quarter(y ?? (word && String(yearOf(y, word, now))), numeral(n ?? "") ?? 0),
  ],
  [
    new RegExp(`(?:${year}|(今|去|前))年(上|下)半年`, "y"),
    ([, y, word, side], now) => half(yearOf(y, word, now), side === "上"),
  ],
  [new RegExp(`(?:${year}|(今|去|前))年`, "y"), ([, y, word], now) => months(yearOf(y, word, now), 1, 12)],
  [/今天|昨天/y, ([word], now) => days(now, word === "今天" ? 0 : -1)],
  [
    /(本|这个?|上一?个?)(周|星期|月|季度)/y,
    ([, which, unit], now) =>
      around(
        now,
        { 周: "week", 星期: "week", 月: "month", 季度: "quarter" }[unit ?? ""] ?? "",
        which?.startsWith("上") ? -1 : 0,
      ),
  ],
  [
    new RegExp(`(?:最近|过去|近)的?\\s*${amount}\\s*个?(天|周|星期|月|年)`, "y"),
    ([, n, unit], now) => back(now, n, { 天: "day", 周: "week", 星期: "week", 月: "month", 年: "year" }[unit ?? ""]),
  ],
  [new RegExp(`${year}(?![\\p{L}\\d.-])`, "yu"), ([, y]) => months(Number(y), 1, 12)],
];

/** The periods that a text names, in their order. `now` is what "last week" is counted from, in UTC. */
export function findPeriods(text: string, now: Date): PeriodToken[] {
  const today: Day = [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()];
  const found: PeriodToken[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (/[\p{Script=Latin}\p{N}_-]/u.test(text[at - 1] ?? "") && /[\p{Script=Latin}\p{N}]/u.test(text[at] ?? ""))
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
  for (const [pattern, read] of moments) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    const end = start + (match?.[0].length ?? 0);
    if (match === null || end <= (best?.end ?? start) || isNoDate(text, start, match[0])) continue;
    const period = read(match, today);
    if (period && valid(period)) best = { kind: "period", value: "", period, start, end };
  }
  return best;
}

/** `May I …`, `march on`, and the number of a record are no dates. */
function isNoDate(text: string, start: number, found: string): boolean {
  const before = text.slice(0, start);
  if (/^(?:may|march|mar)$/i.test(found)) {
    const dated =
      /\b(?:in|since|before|after|during|until|till|and|or|to|of|from|between|for|vs|versus|with|by|,)\s*$/i.test(
        before,
      );
    return found.toLowerCase() === "mar" || !(dated || (/^[A-Z]/.test(found) && before.trim() !== ""));
  }
  // A bare number is a year only where a year may stand.
  if (/^\d{4}$/.test(found))
    return !/(?:^|\b(?:in|since|before|after|during|until|till|and|or|to|of|from|between|for|vs|versus|year|than|by|with|revenue|sales|turnover|,)|[-–和与到至从自在，、])\s*$/i.test(
      before,
    );
  return false;
}

/** Takes in what stands around a moment: since, before, between … and … */
function bounded(text: string, found: readonly PeriodToken[], today: Day): PeriodToken[] {
  const tokens: PeriodToken[] = [];
  for (let index = 0; index < found.length; index += 1) {
    const token = found[index] as PeriodToken;
    const before = text.slice(tokens.at(-1)?.end ?? 0, token.start);
    const next = found[index + 1];
    const link = next && text.slice(token.end, next.start);
    const opening = /(?:\b(?:between|from)|从|自)\s*$/i.exec(before);
    if (next && link !== undefined && opening && /^\s*(?:and|to|until|till|through|–|-|到|至|和)\s*$/i.test(link)) {
      const tail = /^\s*(?:之间|期间)/.exec(text.slice(next.end))?.[0].length ?? 0;
      const last = dated(next.period, today);
      const first = dated(token.period, today, last.from);
      if (first.from !== undefined && last.to !== undefined) {
        tokens.push({
          ...token,
          start: token.start - opening[0].length,
          end: next.end + tail,
          period: { from: first.from, to: last.to },
        });
        index += 1;
        continue;
      }
    }
    const prefix = /\b(since|starting in|after|before|until|till|up to)\s*(?:the\s*)?$/i.exec(before);
    const suffix = /^\s*(?:(以来|至今|起|开始)|(之后|以后|后)|(之前|以前|前))/.exec(text.slice(token.end));
    const side =
      prefix?.[1]?.toLowerCase() ??
      (suffix?.[1] ? "since" : suffix?.[2] ? "after" : suffix?.[3] ? "before" : undefined);
    const { from, to } = side === undefined ? token.period : dated(token.period, today);
    const period: Period | undefined = {
      since: { from },
      "starting in": { from },
      after: { from: to },
      before: { to: from },
      until: { to },
      till: { to },
      "up to": { to },
    }[side ?? ""] as Period | undefined;
    if (period === undefined) tokens.push(token);
    else
      tokens.push({
        ...token,
        start: token.start - (prefix?.[0].length ?? 0),
        end: token.end + (prefix ? 0 : (suffix?.[0].length ?? 0)),
        period,
      });
  }
  return tokens;
}

/** The same with a year: the last such month that has begun, or the last one before `limit`. */
function dated(period: Period, [y, m, d]: Day, limit?: string): Period {
  const { months: named, day } = period;
  if (named === undefined) return period;
  const [first = 1, last = first] = [named[0], named.at(-1)];
  const edge = limit ?? iso([y, m, d]);
  for (let tried = y; ; tried -= 1) {
    const made = day === undefined ? months(tried, first, last) : days([tried, first, day]);
    if ((made.from ?? "") <= edge || tried < 1900) return made;
  }
}

function iso([y, m, d]: Day): string {
  return new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10);
}

function days([y, m, d]: Day, move = 0): Period {
  return { from: iso([y, m, d + move]), to: iso([y, m, d + move + 1]) };
}

function months(y: number, first: number, last = first): Period {
  return { from: iso([y, first, 1]), to: iso([y, last + 1, 1]) };
}

/** A day that the calendar has: 31 February is none. */
function dayOf(y: string | undefined, m: number, day: number): Period | undefined {
  const real = iso([y === undefined ? 2024 : Number(y), m, day]).slice(5);
  if (real !== `${String(m).padStart(2, "0")}-${String(day).padStart(2, "0")}`) return undefined;
  return y === undefined ? { months: [m], day } : days([Number(y), m, day]);
}

function monthIn(y: number, m: number): Period | undefined {
  return m < 1 || m > 12 ? undefined : months(y, m);
}

function quarter(y: string | undefined, n: number): Period {
  const first = n * 3 - 2;
  return y === undefined ? { months: [first, first + 1, first + 2] } : months(Number(y), first, first + 2);
}

function half(y: number, first: boolean): Period {
  return first ? months(y, 1, 6) : months(y, 7, 12);
}

/** This or the last week (from Monday), month, quarter or year. */
function around([y, m, d]: Day, unit: string, move: number): Period {
  if (unit === "year") return months(y + move, 1, 12);
  if (unit === "month") return months(y, m + move);
  if (unit === "quarter") return months(y, m - ((m - 1) % 3) + move * 3, m - ((m - 1) % 3) + move * 3 + 2);
  const weekday = (new Date(Date.UTC(y, m - 1, d)).getUTCDay() + 6) % 7;
  return { from: iso([y, m, d - weekday + move * 7]), to: iso([y, m, d - weekday + move * 7 + 7]) };
}

/** The last so many days, weeks, months or years, today included. */
function back([y, m, d]: Day, count: string | undefined, unit: string | undefined): Period | undefined {
  const words = "one two three four five six seven eight nine ten eleven twelve".split(" ");
  const n = words.indexOf(count?.toLowerCase() ?? "") + 1 || numeral(count ?? "");
  if (!n) return undefined;
  const to = iso([y, m, d + 1]);
  const from: Day =
    unit === "year"
      ? [y - n, m, d + 1]
      : unit === "month"
        ? [y, m - n, d + 1]
        : [y, m, d + 1 - n * (unit === "week" ? 7 : 1)];
  return { from: iso(from), to };
}

function monthOf(name = ""): number {
  return monthNames.findIndex((known) => known.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

function yearOf(y: string | undefined, word: string | undefined, [now]: Day): number {
  return y === undefined ? now - ({ 今: 0, 去: 1, 前: 2 }[word ?? ""] ?? 0) : Number(y);
}

function valid({ from, to, months: named, day }: Period): boolean {
  if (named?.some((number) => number < 1 || number > 12)) return false;
  return (day === undefined || (day >= 1 && day <= 31)) && (from === undefined || to === undefined || from < to);
}

/** A period for people: what was asked about, without a doubt. */
export function periodText({ from, to, months: named, day }: Period, language: Locale): string {
  const zh = language === "zh";
  if (named) {
    const names = named.map((number) => (zh ? `${number} 月` : capital(monthNames[number - 1] ?? "")));
    if (day !== undefined) return zh ? `${names[0]} ${day} 日` : `${names[0]} ${day}`;
    return named.length === 1 ? `${names[0]}` : `${names[0]}${zh ? "至 " : " to "}${names.at(-1)}`;
  }
  if (from === undefined) return zh ? `${to} 之前` : `before ${to}`;
  if (to === undefined) return zh ? `${from} 以来` : `since ${from}`;
  const last = new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10);
  if (from === last) return from;
  if (from.endsWith("-01-01") && last === `${from.slice(0, 4)}-12-31`)
    return zh ? `${from.slice(0, 4)} 年` : from.slice(0, 4);
  const wholeMonth = from.endsWith("-01") && from.slice(0, 7) === last.slice(0, 7) && to.endsWith("-01");
  if (wholeMonth)
    return zh
      ? `${Number(from.slice(0, 4))} 年 ${Number(from.slice(5, 7))} 月`
      : `${capital(monthNames[Number(from.slice(5, 7)) - 1] ?? "")} ${from.slice(0, 4)}`;
  return zh ? `${from} 至 ${last}` : `${from} to ${last}`;
}

/** A period as a condition on a column of ISO dates. */
export function periodSql({ from, to, months: named, day }: Period, column: string): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  if (named && day !== undefined) return `substr(${column}, 6, 5) = '${two(named[0] ?? 0)}-${two(day)}'`;
  if (named) return `substr(${column}, 6, 2) IN (${named.map((number) => `'${two(number)}'`).join(", ")})`;
  return [
    ...(from === undefined ? [] : [`${column} >= '${from}'`]),
    ...(to === undefined ? [] : [`${column} < '${to}'`]),
  ].join(" AND ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
