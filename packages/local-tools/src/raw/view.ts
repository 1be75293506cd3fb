import type { LineRange } from "./line-ranges.ts";

/** UTF-16 units of file text that one answer holds at most. */
const maxChars = 100_000;

/** Lines with their numbers: `3: text`, each with its own end. What is too much is left out, and said so. */
export function numberedLines(lines: readonly string[], { start, end }: LineRange): string {
  const parts: string[] = [];
  let room = maxChars;
  for (let line = start; line <= end; line += 1) {
    const text = lines[line - 1] as string;
    if (text.length > room) {
      const rest = end - line + 1;
      parts.push(`[cut: ${rest === 1 ? "1 line" : `${rest} lines`} left out, from line ${line} on]\n`);
      break;
    }
    room -= text.length;
    parts.push(`${line}: ${text}`);
  }
  return parts.join("");
}
