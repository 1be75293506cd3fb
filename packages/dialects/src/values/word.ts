import type { JsonValue } from "@toolglot/core";
import { readNumber } from "./numbers.ts";

const words = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
]);

/** What may stand in a word. */
export const wordRun: RegExp = /[\w.+$\u0080-\uffff-]*/y;

/** Reads a word or a number; undefined for what is no literal, the text of a number that can't be kept. */
export function readWord(text: string, python: boolean): JsonValue | undefined {
  const value = words.get(text);
  return value === undefined ? readNumber(text, python) : value;
}
