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
