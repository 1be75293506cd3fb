/** Space or tab. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** White space within a line: space, tab, carriage return. */
export function isLineSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

/** White space of ASCII: space, tab, line feed, vertical tab, form feed, carriage return. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Index of the next line break; the length of a text that has no more of them. */
export function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/** What a sticky pattern matches at an index. */
export function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}
