import { randomNumbers } from "../chunking.ts";

/** Draws that are the same in every run, seeded by the text's FNV-1a hash. */
export class Random {
  readonly #next: () => number;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (let at = 0; at < seed.length; at += 1) hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
    this.#next = randomNumbers(hash >>> 0);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)] as T;
  }
}

/** The text with a line put before one of its lines, but the first. */
export function insertLine(text: string, line: string, random: Random): string {
  const lines = text.split("\n");
  lines.splice(random.between(1, lines.length - 1 || 1), 0, line);
  return lines.join("\n");
}

/** The text with its lines further in; empty ones stay empty. */
export const indent = (text: string, by: string): string => text.replace(/^(?=[^\n])/gm, by);

/** The text as XML has it between tags. */
export const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
