import type { Unread } from "../task.ts";
import { numeral } from "../text.ts";
import { moments, type Period, readMoment } from "./dates.ts";
import { lexicon } from "./lexicon.ts";
import { readWording } from "./requests.ts";

/** A piece of a request, and what it means. */
export interface Token {
  /** A kind of the lexicon, of the names in the data, `number`, `period` or `unknown`. */
  kind: string;
  /** What stands for it in the data or in the frame. */
  value: string;
  /** For a customer or a product of the data: its number. */
  id?: number;
  period?: Period;
  /** As the user wrote it, and where. */
  text: string;
  start: number;
  end: number;
}

const numbers =
  /[一二两三四五六七八九十]{1,3}(?=\s*[个张位笔名种家款条件])|\d+(?:\.\d+)?(?![\p{Script=Latin}\p{N}_-])/uy;
const word = /(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}_])+(?:[-'’.](?!s\b)(?:(?!\p{Script=Han})[\p{L}\p{N}])+)*/uy;
/** Signs that are no punctuation say something, too. */
const signOrHan = /[\p{Script=Han}\p{S}%@#*&\\/]/uy;

/** Cuts a request into tokens, from left to right, the longest known phrase first. What is not known is a token too. */
export function readTokens(question: string, now = new Date(0)): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < question.length; ) {
    const found = tokenAt(question, at, now);
    const [last, end] = [tokens.at(-1), found?.end ?? at + 1];
    // Unknown Chinese characters that stand side by side are one word.
    if (last && found && last.end === at && isUnknownHan(last) && isUnknownHan(found)) {
      last.end = end;
      last.text = last.value += found.value;
    } else if (found) tokens.push(found);
    at = end;
  }
  return tokens;
}

const isUnknownHan = ({ kind, value }: Pick<Token, "kind" | "value">): boolean =>
  kind === "unknown" && /^\p{Script=Han}+$/u.test(value);

/** The longest that is known at a place, of equal ones the first; else a word or a sign that is not known. */
function tokenAt(text: string, start: number, now: Date): Token | undefined {
  let best: Token | undefined;
  const offer = (
    pattern: RegExp,
    read: (match: RegExpExecArray) => Pick<Token, "kind" | "value" | "period"> | null,
  ): void => {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    const end = start + (match?.[0].length ?? 0);
    const meant = match && end > (best?.end ?? start) && read(match);
    if (meant) best = { ...meant, text: match[0], start, end };
  };
  for (const moment of moments) offer(moment, ({ groups = {} }) => readMoment(groups, now));
  offer(numbers, ([number]) => ({ kind: "number", value: String(numeral(number) ?? Number(number)) }));
  for (const { pattern, ...meant } of lexicon) offer(pattern, () => meant);
  if (best === undefined)
    for (const pattern of [signOrHan, word]) offer(pattern, ([value]) => ({ kind: "unknown", value }));
  return best;
}

/** Whether a word says something by itself. */
export const isContent = ({ kind }: Token): boolean => !/^(?:filler|to|between)$/.test(kind);

/** Tokens as the user wrote them, neighbours together: `left` are some of `tokens`. */
export function writtenAs(question: string, tokens: readonly Token[], left: readonly Token[]): string[] {
  const runs: { start: number; end: number; last: number }[] = [];
  for (const token of left) {
    const [run, at] = [runs.at(-1), tokens.indexOf(token)];
    if (run?.last === at - 1 && /^\s*$/.test(question.slice(run.end, token.start)))
      Object.assign(run, { end: token.end, last: at });
    else runs.push({ start: token.start, end: token.end, last: at });
  }
  return runs.map(({ start, end }) => question.slice(start, end));
}

/** Kinds of words that a request for steps may hold besides. */
export const asking: readonly string[] = ["and", "list", "which", "noun"];

/** The words of a request that a skill's own words, a pattern, do not cover, neighbours together; undefined where it covers all. */
export function unreadWords(question: string, known: string, also: readonly string[] = []): Unread | undefined {
  const pattern = new RegExp(`(?<![a-z])(?=[a-z])(?:${known})(?![a-z])|(?![a-z])(?:${known})`, "giu");
  const rest = question.replaceAll(pattern, (found) => " ".repeat(found.length));
  const tokens = readTokens(rest);
  const left = tokens.filter((token) => isContent(token) && !also.includes(token.kind));
  return left.length > 0 ? { unread: writtenAs(rest, tokens, left) } : undefined;
}

/** The part of a request that asks for something more to be done, which no skill does; undefined where there is none. */
export function furtherStep(question: string): Unread | undefined {
  const { whole } = readWording("furtherStep", question) ?? {};
  return whole === undefined ? undefined : { unread: [whole.replace(/^[,;.，；。\s]+/u, "").trim()] };
}
