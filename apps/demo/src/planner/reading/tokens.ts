import { numeral } from "../text.ts";
import { findPeriods, type Period } from "./dates.ts";
import { type Kind, lexicon } from "./lexicon.ts";

/** A piece of a request, with what it means and whether a reading has made use of it. */
export interface Token {
  kind: Kind;
  /** What stands for it in the data or in the frame. */
  value: string;
  /** For a customer or a product: its number in the data; several where the words fit several products. */
  ids?: readonly number[];
  period?: Period;
  /** As the user wrote it, and where. */
  text: string;
  start: number;
  end: number;
  used: boolean;
}

const chineseNumber = /[一二两三四五六七八九十]{1,3}(?=\s*[个张位笔名种家款条件])/uy;
const plainNumber = /\d+(?:\.\d+)?(?![\p{Script=Latin}\p{N}_-])/uy;
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:[-'’.](?!s\b)[\p{L}\p{N}]+)*/uy;

/** Cuts a request into tokens, from left to right, the longest known phrase first. What is not known is a token too. */
export function readTokens(question: string, now: Date): Token[] {
  const periods = findPeriods(question, now);
  const tokens: Token[] = [];
  let at = 0;
  while (at < question.length) {
    const found = periods.find(({ start }) => start === at) ?? tokenAt(question, at);
    if (found === undefined) {
      at += 1;
      continue;
    }
    tokens.push({ ...found, text: question.slice(found.start, found.end), used: found.kind === "filler" });
    at = found.end;
  }
  return joinUnknown(question, tokens);
}

type Found = Pick<Token, "kind" | "value" | "start" | "end" | "period">;

function tokenAt(text: string, start: number): Found | undefined {
  const number = match(chineseNumber, text, start) ?? match(plainNumber, text, start);
  if (number)
    return { kind: "number", value: String(numeral(number) ?? Number(number)), start, end: start + number.length };
  let best: Found | undefined;
  for (const { pattern, meaning } of lexicon) {
    const found = match(pattern, text, start);
    if (found && start + found.length > (best?.end ?? start)) best = { ...meaning, start, end: start + found.length };
  }
  if (best) return best;
  const character = text.slice(start, start + 1);
  if (/\p{Script=Han}/u.test(character)) return { kind: "unknown", value: character, start, end: start + 1 };
  // Signs that are no punctuation say something, too.
  if (/[\p{S}%@#*&\\/]/u.test(character)) return { kind: "unknown", value: character, start, end: start + 1 };
  const unknown = match(word, text, start)?.replace(/\p{Script=Han}.*$/u, "");
  return unknown ? { kind: "unknown", value: unknown, start, end: start + unknown.length } : undefined;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Unknown Chinese characters that stand side by side are one word. */
function joinUnknown(question: string, tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    const han = (one: Token | undefined): boolean => one?.kind === "unknown" && /^\p{Script=Han}+$/u.test(one.text);
    if (last && han(last) && han(token) && last.end === token.start) {
      last.end = token.end;
      last.text = last.value = question.slice(last.start, token.end);
    } else joined.push({ ...token });
  }
  return joined;
}

/** What no reading could use, as the user wrote it: neighbours together. */
export function leftOver(question: string, tokens: readonly Token[]): string[] {
  const runs: Token[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.used) continue;
    const before = tokens[index - 1];
    if (before && !before.used && /^\s*$/.test(question.slice(before.end, token.start))) runs.at(-1)?.push(token);
    else runs.push([token]);
  }
  return runs.map((run) => question.slice(run[0]?.start, run.at(-1)?.end));
}
