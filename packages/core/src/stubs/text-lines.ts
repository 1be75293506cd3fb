import { neutralize } from "../text/neutralize.ts";

/**
 * Lines of a text from a tool's author: outer blank lines and common indentation removed. No mark of a protocol has power in
 * it: the author may be a server that is not the host's own.
 */
export function textLines(text: string): string[] {
  const lines = clean(neutralize(text))
    .split("\n")
    .map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === "") lines.shift();
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  const margins = lines.slice(1).flatMap((line) => (line === "" ? [] : [line.length - line.trimStart().length]));
  const margin = Math.min(...margins, Number.MAX_SAFE_INTEGER);
  return lines.map((line, index) => (index === 0 ? line.trimStart() : line.slice(margin)));
}

/** Returns text with one kind of line end, and no character that source text can't hold. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f]|\p{Cs}/gu, "�");
}

/** Blanks before every line that is not empty. */
export function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => (line === "" ? "" : " ".repeat(by) + line));
}
