/** Returns the first sentence of a description, on one line: what a catalog shows. */
export function firstSentence(description: string): string {
  const [paragraph = ""] = description
    .trim()
    .slice(0, 4_000)
    .split(/\n[ \t]*\n/, 1);
  const text = paragraph.replaceAll(/\s+/g, " ");
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if ("。！？".includes(char)) return text.slice(0, at + 1);
    // A stop within a number or an abbreviation (`e.g. this`) is followed by no capital.
    if (".!?".includes(char) && /^ [^a-z]/.test(text.slice(at + 1, at + 3))) return text.slice(0, at + 1);
  }
  return text;
}
