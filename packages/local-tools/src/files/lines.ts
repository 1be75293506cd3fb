/** Lines with their ends; the last may have none. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  let from = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
    lines.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

/** Lines without their ends, LF or CRLF. A line end at the end of the text begins no further line. */
export function bareLines(text: string): string[] {
  return linesOf(text).map((line) => line.replace(/\r?\n$/, ""));
}
