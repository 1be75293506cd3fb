/** Space or tab. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

const otherSpace = /[\u00a0\u1680\u180e\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]/;

/** White space within a line: space, tab, carriage return, those of other scripts, and what has no width. */
export function isLineSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || (code > 159 && otherSpace.test(String.fromCharCode(code)));
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
