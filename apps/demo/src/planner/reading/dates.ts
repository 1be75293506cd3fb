import { numeral, type Say } from "../text.ts";

/** A comparison of a date with a part of one: `2026`, `2026-07`, `2026-07-03`, or without a year `-07` and `-07-03`. */
type Bound = readonly [operator: "=" | "<" | "<=" | ">" | ">=", part: string];

/** A span of days: one or two comparisons, all of which hold. */
export type Period = readonly Bound[];

/** A period as it stands in a request. */
type PeriodToken = { kind: "period"; value: ""; period: Period; start: number; end: number };

const months = "January February March April May June July August September October November December".split(" ");
const month = `(?<name>${months.join("|")})`;
const year = "(?<year>(?:19|20)\\d\\d)(?!\\d)";
const day = "(?<day>\\d{1,2})(?:st|nd|rd|th)?(?!\\d)";

/** How a moment is written. `may` and `march` are other words, too, and a bare year is a number: they need a word before. */
const moments = [
  `${year}-(?<month>\\d\\d?)(?:-${day})?(?![-\\d])`,
  `${month}(?: ${day})?(?:,? ${year})?(?!\\p{L})(?<!(?<!\\b(?:in|since|before|after|and|to|of|from|between) )(?:may|march))`,
  `${day} (?:of )?${month}(?:,? ${year})?(?!\\p{L})`,
  `(?<=\\b(?:in|since|before|after|until|to|and|of|from|between|for) )${year}(?![\\p{L}.-])`,
  `(?:${year}年)?(?<month>十[一二]?|[一二三四五六七八九]|\\d{1,2})月份?(?:(?<day>\\d{1,2})[日号])?`,
  `${year}年`,
  "(?<said>yesterday|today|昨天|今天|去年|今年|上个?月|[这本]个?月|上个?(?:周|星期)|[这本]个?(?:周|星期))",
  "(?:the )?(?<said>(?:last|this) (?:week|month|year))(?!\\p{L})",
].map((source) => new RegExp(source, "iuy"));

/** What stands before or after a moment and makes it a beginning or an end. */
const sides: readonly [before: RegExp, after: RegExp, operator: Bound[0]][] = [
  [/\bsince\s+$/i, /^\s*(?:以来|至今)/, ">="],
  [/\bafter\s+$/i, /^\s*(?:之后|以后)/, ">"],
  [/\bbefore\s+$/i, /^\s*(?:之前|以前)/, "<"],
  [/\buntil\s+$/i, /^(?!)/, "<="],
];

/** The periods that a text names, in their order. `now` is what "last week" is counted from, in UTC. */
export function findPeriods(text: string, now: Date): PeriodToken[] {
  const found: PeriodToken[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const inWord = at > 0 && /^[\p{Script=Latin}\p{N}_-][\p{Script=Latin}\p{N}]/u.test(text.slice(at - 1, at + 1));
    const moment = inWord ? undefined : momentAt(text, at, now);
    if (moment === undefined) continue;
    const before = text.slice(found.at(-1)?.end ?? 0, at);
    const previous = found.at(-1);
    const from = previous && text.slice(0, previous.start).search(/(?:\b(?:between|from)|从)\s*$/i);
    const [first, last] = [previous?.period[0]?.[1], moment.period[0]?.[1] ?? ""];
    const side = sides.find(([pattern]) => pattern.test(before));
    const after = sides.find(([, pattern]) => pattern.test(text.slice(moment.end)));
    if (
      previous &&
      from !== undefined &&
      from >= 0 &&
      first &&
      first <= last &&
      /^\s*(?:and|to|until|到|至)\s*$/i.test(before)
    ) {
      const end = moment.end + (/^\s*之间/.exec(text.slice(moment.end))?.[0].length ?? 0);
      found.splice(-1, 1, {
        ...previous,
        start: from,
        end,
        period: [
          [">=", first],
          ["<=", last],
        ],
      });
    } else if (side) {
      const start = at - (side[0].exec(before)?.[0].length ?? 0);
      found.push({ ...moment, start, period: [[side[2], withYear(last, now)]] });
    } else if (after) {
      const end = moment.end + (after[1].exec(text.slice(moment.end))?.[0].length ?? 0);
      found.push({ ...moment, end, period: [[after[2], withYear(last, now)]] });
    } else found.push(moment);
    at = (found.at(-1)?.end ?? at) - 1;
  }
  return found;
}

function momentAt(text: string, start: number, now: Date): PeriodToken | undefined {
  let best: PeriodToken | undefined;
  for (const pattern of moments) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    const end = start + (match?.[0].length ?? 0);
    const period = match && end > (best?.end ?? start) ? readMoment(match.groups ?? {}, now) : undefined;
    if (period) best = { kind: "period", value: "", period, start, end };
  }
  return best;
}

const two = (number: number): string => String(number).padStart(2, "0");
const iso = (date: Date): string => date.toISOString().slice(0, 10);

function readMoment(groups: Partial<Record<string, string>>, now: Date): Period | undefined {
  if (groups.said) return saidMoment(groups.said, now);
  const number = groups.name
    ? months.findIndex((name) => name.toLowerCase() === groups.name?.toLowerCase()) + 1
    : numeral(groups.month ?? "");
  if (!groups.name && !groups.month) return [["=", groups.year ?? ""]];
  const part = `-${two(number ?? 0)}${groups.day ? `-${two(Number(groups.day))}` : ""}`;
  // Only what the calendar has: 31 February is none.
  const date = new Date(`${groups.year ?? 2024}${groups.day ? part : `${part}-01`}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || !iso(date).includes(part)) return undefined;
  return [["=", (groups.year ?? "") + part]];
}

/** `Last week` (from Monday), `this month`, `yesterday`. */
function saidMoment(said: string, now: Date): Period {
  const back = /last|yester|上|去|昨/i.test(said) ? 1 : 0;
  const [y, m, d] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (/day|天/i.test(said)) return [["=", iso(new Date(Date.UTC(y, m, d - back)))]];
  if (/year|年/i.test(said)) return [["=", String(y - back)]];
  if (/month|月/i.test(said)) return [["=", iso(new Date(Date.UTC(y, m - back, 1))).slice(0, 7)]];
  const monday = d - ((now.getUTCDay() + 6) % 7) - 7 * back;
  const [first, last] = [new Date(Date.UTC(y, m, monday)), new Date(Date.UTC(y, m, monday + 6))];
  return [
    [">=", iso(first)],
    ["<=", iso(last)],
  ];
}

/** The last such month or day that had begun by now. */
function withYear(part: string, now: Date): string {
  if (!part.startsWith("-")) return part;
  const thisYear = `${now.getUTCFullYear()}${part}`;
  return thisYear <= iso(now) ? thisYear : `${now.getUTCFullYear() - 1}${part}`;
}

/** A period for people. */
export function periodText(period: Period, say: Say): string {
  const [[operator, first], second] = [period[0] as Bound, period[1]];
  const [from, to] = [partText(first, say), second && partText(second[1], say)];
  if (to) return say`${from} to ${to} ‖ ${from}至${to}`;
  switch (operator) {
    case ">=":
      return say`since ${from} ‖ ${from}以来`;
    case ">":
      return say`after ${from} ‖ ${from}之后`;
    case "<":
      return say`before ${from} ‖ ${from}之前`;
    case "<=":
      return say`until ${from} ‖ 到${from}为止`;
    default:
      return from;
  }
}

function partText(part: string, say: Say): string {
  const [, number, date] = /^-(\d\d)(?:-(\d\d))?$/.exec(part) ?? [];
  if (number === undefined) return part;
  const name = say`${months[Number(number) - 1]} ‖ ${Number(number)} 月`;
  return date === undefined ? name : say`${name} ${Number(date)} ‖ ${name} ${Number(date)} 日`;
}

/** A period as a condition on a column of ISO dates. */
export function periodSql(period: Period, column: string): string {
  const bounds = period.map(([operator, part]) => {
    const start = part.startsWith("-") ? 5 : 1;
    return `substr(${column}, ${start}, ${part.length}) ${operator} '${part}'`;
  });
  return bounds.join(" AND ");
}

/** Whether a period reaches to the ends of the data or beyond them, so that it may be there only in part. */
export function reachesBeyond(period: Period, first: string, last: string): boolean {
  return period.some(([operator, part]) => {
    if (part.startsWith("-")) return false;
    const [begins, ends] = [first.slice(0, part.length), last.slice(0, part.length)];
    return (part <= begins && operator !== ">") || (part >= ends && operator !== "<") || part < begins || part > ends;
  });
}
