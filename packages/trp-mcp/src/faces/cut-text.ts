const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** Returns a text of at most `max` bytes in UTF-8, on one line; a cut one ends with `…`. */
export function cutText(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (bytesOf(line) <= max) return line;
  const room = new Uint8Array(Math.max(0, max - 3));
  const { read } = encoder.encodeInto(line, room);
  return `${line.slice(0, read).trimEnd()}…`;
}
