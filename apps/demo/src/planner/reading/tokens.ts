import { numeral } from "../text.ts";
import { momentAt, type Period } from "./dates.ts";
import { lexicon } from "./lexicon.ts";

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
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:[-'’.](?!s\b)[\p{L}\p{N}]+)*/uy;
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
    } else if (found) tokens.push({ ...found, text: question.slice(at, end) });
    at = end;
  }
  return tokens;
}

function isUnknownHan({ kind, value }: Pick<Token, "kind" | "value">): boolean {
  return kind === "unknown" && /^\p{Script=Han}+$/u.test(value);
}

function tokenAt(text: string, start: number, now: Date): Omit<Token, "text"> | undefined {
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = start;
    return pattern.exec(text)?.[0] ?? "";
  };
  const moment = momentAt(text, start, now);
  if (moment) return { kind: "period", value: "", start, ...moment };
  const number = match(numbers);
  if (number)
    return { kind: "number", value: String(numeral(number) ?? Number(number)), start, end: start + number.length };
  let best = { kind: "unknown", value: "", start, end: start };
  for (const { pattern, kind, value } of lexicon) {
    const end = start + match(pattern).length;
    if (end > best.end) best = { kind, value, start, end };
  }
  if (best.end > start) return best;
  const value = match(signOrHan) || match(word).replace(/\p{Script=Han}.*$/u, "");
  return value === "" ? undefined : { kind: "unknown", value, start, end: start + value.length };
}

/** Whether a word says something by itself. */
export const isContent = ({ kind }: Token): boolean => !/^(?:filler|to|between)$/.test(kind);

/** Tokens as the user wrote them, neighbours together: `left` are some of `tokens`. */
export function writtenAs(question: string, tokens: readonly Token[], left: readonly Token[]): string[] {
  const runs: { start: number; end: number }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!left.includes(token)) continue;
    const [before, last] = [tokens[index - 1], runs.at(-1)];
    const joined = before && left.includes(before) && /^\s*$/.test(question.slice(before.end, token.start));
    if (last && joined) last.end = token.end;
    else runs.push({ start: token.start, end: token.end });
  }
  return runs.map(({ start, end }) => question.slice(start, end));
}

/** The words of a request that a skill's own words, a pattern, do not cover; neighbours together. */
export function unreadWords(question: string, known: string, also: readonly string[] = []): string[] {
  const pattern = new RegExp(`(?<![a-z])(?=[a-z])(?:${known})(?![a-z])|(?![a-z])(?:${known})`, "giu");
  const rest = question.replaceAll(pattern, (found) => " ".repeat(found.length));
  const tokens = readTokens(rest);
  const left = tokens.filter((token) => isContent(token) && !also.includes(token.kind));
  return writtenAs(rest, tokens, left);
}

const doing =
  "open|create|file|raise|delete|remove|erase|send|e-?mail|mail|notify|announce|broadcast|export|cancel|refund|call|" +
  "write|book|rename|fix|release|publish|tell|text|order|buy|close|update|change|approve|print";
const doingZh = "开|建|创建|删|发|通知|公告|导出|取消|退款|改名|修复|发布|告诉|打电话|关闭|批准";
const secondStep = new RegExp(
  `(?:\\b(?:and|then|also)\\b|[,;.，；。])\\s*(?:(?:then|also|please|and)\\s+)*\\b(?:${doing})\\b(?!s?\\s*(?:priority|total|value)).*$|` +
    `(?:然后|接着|并且?|同时|顺便|[，；。,]再)(?=.{0,12}?(?:${doingZh})).*$|` +
    "[，；。](?:请|帮我|给)?(?:开一?张|建一?张|删除|发邮件|通知|导出|取消).*$",
  "isu",
);

/** The part of a request that asks for something more to be done; undefined where there is none. */
export function furtherStep(question: string): string | undefined {
  const found = secondStep.exec(question)?.[0];
  return found?.replace(/^[,;.，；。\s]+/u, "").trim();
}
