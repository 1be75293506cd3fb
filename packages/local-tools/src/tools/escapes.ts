const named: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", e: "\u001b", "\\": "\\" };

/** `\n`, `\r`, `\t`, `\e`, `\xHH` and `\\` as what they stand for, as in a ToolsXML `<input>`; other backslashes stay. */
export function decodeEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|([nrte\\]))/g, (_whole, hex: string | undefined, name = "") =>
    hex === undefined ? (named[name] ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
