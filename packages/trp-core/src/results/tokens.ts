import { utf8Length } from "./json-size.ts";

/** Tokens of a result by default. */
export const defaultResultBudget = 2_000;
export const bytesPerToken = 4;

/** Tokens of a text: the number that `countTokens` returns; else 4 UTF-8 bytes are one. */
export function tokensOf(text: string, countTokens: ((text: string) => number) | undefined): number {
  if (countTokens !== undefined) {
    try {
      const counted = countTokens(text);
      if (typeof counted === "number" && counted >= 0) return counted;
    } catch {
      // Counted as without it.
    }
  }
  return Math.ceil(utf8Length(text) / bytesPerToken);
}
