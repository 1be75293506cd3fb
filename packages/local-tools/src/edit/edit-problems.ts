import type { LocalErrorType } from "../errors.ts";
import { counted } from "../messages.ts";

/** Reason why one pair can't be made. */
export interface EditProblem {
  /** Which pair, from 0. */
  pair: number;
  type: Extract<LocalErrorType, "FindMissing" | "FindAmbiguous" | "EmptyFind" | "TooLarge" | "InvalidInput">;
  /** One sentence, without the file's name. */
  message: string;
  /** How often `find` occurs; at most `maxCounted`. */
  count?: number;
  /** Lines of the first occurrences, from 1, as the pairs before left the text. */
  lines?: number[];
  /** `find` was not there, and nothing explains it yet: the text it was looked for in. */
  searched?: string;
  /** What may be done about it, where there is more to say than for every problem of its type. */
  hint?: string;
}

/** A problem of a pair that is known. */
export type Problem = Omit<EditProblem, "pair">;

/** Places are counted so far. */
export const maxCounted = 10_000;
/** Lines that are named. */
export const maxNamedLines = 6;

/** Returns a text with how often something occurs, and in which lines: the first of them are named. */
export function sayPlaces(count: number, lines: readonly number[]): string {
  const times = count === maxCounted ? `at least ${counted(count)}` : `${count}`;
  const named = [...lines, ...(count > maxNamedLines ? ["more"] : [])];
  const list = named.length === 1 ? named.join("") : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  return `${times} times, in line${named.length === 1 ? "" : "s"} ${list}`;
}

export function tooLarge(maxChars: number): Problem {
  return { type: "TooLarge", message: `the file would become larger than ${counted(maxChars)} characters` };
}
