const named: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27, E: 27 };

/**
 * Parses a text that bash wrote with `printf %q`: plain with backslashes, or `$'…'` with octal bytes. Bytes are put together
 * and read as UTF-8, since bash writes non-ASCII by bytes where its locale is C.
 */
export function unquoteWord(word: string): string {
  if (word === "''") return "";
  if (!word.startsWith("$'")) return word.replace(/\\([\s\S])/g, "$1");
  const body = word.slice(2, -1);
  const bytes: Buffer[] = [];
  // One alternative per kind of escape, each of bounded length.
  for (const [piece, octal, other] of body.matchAll(/\\([0-7]{1,3})|\\([\s\S])|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (other !== undefined)
      bytes.push(named[other] === undefined ? Buffer.from(other) : Buffer.from([named[other]]));
    else bytes.push(Buffer.from(piece));
  }
  return Buffer.concat(bytes).toString("utf8");
}
