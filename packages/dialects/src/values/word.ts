import type { JsonValue } from "@toolglot/core";
import { readNumber } from "./numbers.ts";
import type { LiteralSyntax, ValueSlip } from "./types.ts";

const words = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
]);

/** Reads a word or a number; undefined for what is no literal. */
export function readWord(
  text: string,
  language: LiteralSyntax["language"],
): { value: JsonValue; slip?: Pick<ValueSlip, "code" | "affects"> } | undefined {
  const isPython = language === "python";
  const value = words.get(text);
  if (value !== undefined) {
    return isPython || /^[a-z]/.test(text) ? { value } : { value, slip: { code: "python-literal", affects: "none" } };
  }
  const number = readNumber(text, isPython);
  if (number?.exact) return { value: number.value };
  if (number || /^[+-]?(?:NaN|Infinity)$/.test(text)) {
    return { value: text, slip: { code: "inexact-number", affects: "value" } };
  }
  return language === "gemma" ? { value: text, slip: { code: "unquoted-value", affects: "value" } } : undefined;
}
