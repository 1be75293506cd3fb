/** Bytes of a name at most, in UTF-8: a path of them fits into what systems take. */
export const maxNameBytes = 400;
const encoder = /* @__PURE__ */ new TextEncoder();

/** Throws `TypeError` unless the text can name a log or a blob in every storage. */
export function checkStoredName(name: unknown): asserts name is string {
  if (typeof name === "string" && name !== "" && encoder.encode(name).length <= maxNameBytes && !hasLoneSurrogate(name))
    return;
  throw new TypeError(`A name in a storage is a text of 1 to ${maxNameBytes} bytes without lone surrogates.`);
}

/** Throws `TypeError` unless each can be a line of a log. */
export function checkLogLines(lines: readonly unknown[]): asserts lines is readonly string[] {
  for (const line of lines) {
    if (typeof line !== "string" || /[\n\r]/.test(line) || hasLoneSurrogate(line)) {
      throw new TypeError("A line of a log is a text without line breaks and lone surrogates.");
    }
  }
}

const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);
