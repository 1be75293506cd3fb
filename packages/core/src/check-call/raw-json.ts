import { parseJson } from "@toolglot/internal";
import type { Found } from "./types.ts";

/** Reads arguments that came as JSON: one document, or the same one several times. */
export function readRaw(text: string): { value?: unknown; found?: Found } {
  const whole = parseJson(text);
  const at = endOf(text, 0);
  if (whole !== undefined || at === undefined) return { value: whole };
  if (at === Infinity) return { found: { code: "cut-input", at: text.length } };
  const value = parseJson(text.slice(0, at));
  const last = text.trimEnd().length;
  // What is no JSON at all, as a text in brackets, came once, too.
  if (value === undefined || at >= last) return {};
  for (let from = at; from < last; ) {
    const end = endOf(text, from) ?? Infinity;
    if (!isSame(parseJson(text.slice(from, end)), value)) return {};
    from = end;
  }
  return { value, found: { code: "doubled-input", at } };
}

/** Whether two values are the same JSON, its keys in the same order. What is nested too deeply to be written is not. */
export function isSame(a: unknown, b: unknown): boolean {
  try {
    return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
  } catch {
    return false;
  }
}

/** Where the object, list or string ends that a text has at a place; undefined when none begins there. */
function endOf(text: string, from: number): number | undefined {
  const pieces = /["[\]{}]|\\[\s\S]/g;
  const begin = /\s*["[{]/y;
  begin.lastIndex = from;
  if (!begin.test(text)) return undefined;
  pieces.lastIndex = begin.lastIndex - 1;
  let depth = 0;
  let quoted = false;
  for (let match = pieces.exec(text); match; match = pieces.exec(text)) {
    const [piece] = match;
    if (piece === '"') quoted = !quoted;
    else if (!quoted && piece.length === 1) depth += piece === "{" || piece === "[" ? 1 : -1;
    if (depth <= 0 && !quoted) return pieces.lastIndex;
  }
  return Infinity;
}
