import { numeral } from "../text.ts";
import { findPeriods, type Period } from "./dates.ts";
import { lexicon } from "./lexicon.ts";

/** A piece of a request, with what it means and whether a reading has made use of it. */
export interface Token {
  /** A kind of the lexicon, of the names in the data, `number`, `period` or `unknown`. */
  kind: string;
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

const numbers =
  /[一二两三四五六七八九十]{1,3}(?=\s*[个张位笔名种家款条件])|\d+(?:\.\d+)?(?![\p{Script=Latin}\p{N}_-])/uy;
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:[-'’.](?!s\b)[\p{L}\p{N}]+)*/uy;
/** Signs that are no punctuation say something, too. */
const signOrHan = /[\p{Script=Han}\p{S}%@#*&\\/]/uy;

/** Cuts a request into tokens, from left to right, the longest known phrase first. What is not known is a token too. */
export function readTokens(question: string, now: Date): Token[] {
  const periods = findPeriods(question, now);
  const tokens: Token[] = [];
  for (let at = 0; at < question.length; ) {
    const found = periods.find(({ start }) => start === at) ?? tokenAt(question, at);
    const last = tokens.at(-1);
    const [start, end] = found ? [found.start, found.end] : [at, at + 1];
    const text = question.slice(start, end);
    // Unknown Chinese characters that stand side by side are one word.
    if (last && last.end === at && found?.kind === "unknown" && [last, found].every(isUnknownHan)) {
      last.end = end;
      last.text = last.value += text;
    } else if (found) tokens.push({ ...found, text, used: found.kind === "filler" });
    at = end;
  }
  return tokens;
}

function isUnknownHan({ kind, value }: Pick<Token, "kind" | "value">): boolean {
  return kind === "unknown" && /^\p{Script=Han}+$/u.test(value);
}

function tokenAt(text: string, start: number): Omit<Token, "text" | "used"> | undefined {
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = start;
    return pattern.exec(text)?.[0] ?? "";
  };
  const number = match(numbers);
  if (number)
    return { kind: "number", value: String(numeral(number) ?? Number(number)), start, end: start + number.length };
  let best = { kind: "unknown", value: "", start, end: start };
  for (const { pattern, meaning } of lexicon) {
    const end = start + match(pattern).length;
    if (end > best.end) best = { ...meaning, start, end };
  }
  if (best.end > start) return best;
  const value = match(signOrHan) || match(word).replace(/\p{Script=Han}.*$/u, "");
  return value === "" ? undefined : { kind: "unknown", value, start, end: start + value.length };
}

/** What no reading could use, as the user wrote it: neighbours together. */
export function leftOver(question: string, tokens: readonly Token[]): string[] {
  const runs: { start: number; end: number }[] = [];
  for (const [index, { start, end, used }] of tokens.entries()) {
    if (used) continue;
    const before = tokens[index - 1];
    const last = runs.at(-1);
    if (last && before && !before.used && /^\s*$/.test(question.slice(before.end, start))) last.end = end;
    else runs.push({ start, end });
  }
  return runs.map(({ start, end }) => question.slice(start, end));
}
