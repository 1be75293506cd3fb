import { parseJson } from "@toolglot/internal";
import type { Found } from "./types.ts";

/** Reads arguments that came as JSON: one document, or the same one twice. */
export function readRaw(text: string): { value?: unknown; found?: Found } {
  const whole = parseJson(text);
  const at = endOf(text);
  if (whole !== undefined || !at) return { value: whole };
  if (at === Infinity) return { found: { code: "cut-input", at: text.length } };
  const value = parseJson(text.slice(0, at));
  return isSame(parseJson(text.slice(at)), value) ? { value, found: { code: "doubled-input", at } } : {};
}

/** Whether two values are the same JSON, its keys in the same order. What is nested too deeply to be written is not. */
export function isSame(a: unknown, b: unknown): boolean {
  try {
    return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
  } catch {
    return false;
  }
}

/** Where the object, list or string ends that a text begins with; 0 when it begins with none. */
function endOf(text: string): number {
  const pieces = /["[\]{}]|\\[\s\S]/g;
  if (!/^\s*["[{]/.test(text)) return 0;
  let depth = 0;
  let quoted = false;
  for (let match = pieces.exec(text); match; match = pieces.exec(text)) {
    const [piece] = match;
    if (piece === '"') quoted = !quoted;
    else if (!quoted && !piece[1]) depth += piece < "]" || piece === "{" ? 1 : -1;
    if (depth <= 0 && !quoted) return pieces.lastIndex;
  }
  return Infinity;
}
