import type { JsonValue } from "@toolglot/core";

/** As deep as any reader of this package goes. */
const maxDepth = 512;
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?(?:\d[\d.eE+-]*|Infinity)|NaN|[[\]{}]/g;

/**
 * Returns the value of a JSON text. A whole number that a double would change, `NaN` and infinities are their text as a string.
 *
 * @throws SyntaxError when it is none, or deeper than 512.
 */
export function readJson(text: string): JsonValue {
  let depth = 0;
  const exact = text.replace(token, (found) => {
    if ("[{".includes(found)) depth += 1;
    else if ("]}".includes(found)) depth -= 1;
    else if (!found.startsWith('"') && !isExact(found)) return `"${found}"`;
    if (depth > maxDepth) throw new SyntaxError(`JSON deeper than ${maxDepth}`);
    return found;
  });
  return JSON.parse(exact) as JsonValue;
}

/** Whether a double holds a number: all digits of a whole one, and no infinity. True for what is no number. */
export function isExact(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return Number.isNaN(value) && text !== "NaN";
  return text.length < 16 || /[.e]/i.test(text) || BigInt(text) === BigInt(value);
}
