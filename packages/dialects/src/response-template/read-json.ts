import type { JsonValue } from "@toolglot/core";

/** As deep as any reader of this package goes. */
const maxDepth = 512;
const number = /-?(?:\d[\d.eE+-]*|Infinity)|NaN/y;

/**
 * Returns the value of a JSON text. A whole number that a double would change, `NaN` and infinities are their text as a string.
 *
 * @throws SyntaxError when it is none, or deeper than 512.
 */
export function readJson(text: string): JsonValue {
  const parts: string[] = [];
  let written = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 34) index = stringEnd(text, index);
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > maxDepth) throw new SyntaxError(`JSON deeper than ${maxDepth}`);
    } else if (code === 93 || code === 125) depth -= 1;
    else if (code === 45 || code === 78 || code === 73 || (code >= 48 && code <= 57)) {
      number.lastIndex = index;
      const found = number.exec(text)?.[0];
      if (found === undefined) continue;
      if (!isExact(found)) {
        parts.push(text.slice(written, index), `"${found}"`);
        written = index + found.length;
      }
      index += found.length - 1;
    }
  }
  return JSON.parse(parts.join("") + text.slice(written)) as JsonValue;
}

/** Returns the index of the quote that ends a string; the last of the text when none does. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length - 1;
}

/** Whether a double holds a number: all digits of a whole one, and no infinity. True for what is no number. */
export function isExact(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return Number.isNaN(value) && text !== "NaN";
  return text.length < 16 || /[.e]/i.test(text) || BigInt(text) === BigInt(value);
}
