import { isMaskable } from "./mask/sought-values.ts";

const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const maxBytes = 64 * 1024;

export function isName(name: unknown): name is string {
  return typeof name === "string" && namePattern.test(name);
}

/** Throws `TypeError` for a name that is none. */
export function checkName(name: unknown): asserts name is string {
  if (isName(name)) return;
  throw new TypeError("the name of a value has 1 to 64 letters, digits and _, and begins with no digit");
}

/** Throws `TypeError` for a value that a shell can't hold; nothing of the value is in its message. */
export function checkValue(value: unknown): asserts value is string {
  if (typeof value !== "string") throw new TypeError("a value must be a string");
  const bytes = Buffer.byteLength(value, "utf8");
  if (bytes < 1 || bytes > maxBytes) throw new TypeError("a value must have 1 byte to 64 KiB of UTF-8");
  if (value.includes("\0")) throw new TypeError("a value must hold no NUL character: a shell can't hold one");
  if (!isWellFormed(value)) throw new TypeError("a value must hold no lone surrogate: it has no UTF-8");
}

/** Returns what the user should know of a value; nothing of the value itself. */
export function warningsOf(name: string, value: string): string[] {
  if (!isMaskable(value))
    return [`The value of ${name} can't be masked: too short. It will be seen wherever it is printed.`];
  if (!/^(?:[a-z]+|[0-9]+(?:[.,][0-9]+)?)$/.test(value)) return [];
  return [`The value of ${name} is an ordinary word or number: masking it hides that word wherever it stands.`];
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
