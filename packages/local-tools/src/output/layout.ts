import { columnsOf } from "./char-width.ts";

/** Blanks at a line's end that may be the padding of a screen; fewer are left alone. */
const leastPadding = 20;

/**
 * A line without the blanks that fill it up to the screen's edge: what `top` and editors paint rows with. Blanks that end
 * anywhere else are output as any other.
 */
export function withoutPadding(line: string, columns: number): string {
  const text = line.trimEnd();
  const blanks = line.length - text.length;
  if (blanks < leastPadding || line.length > columns || !/^ +$/.test(line.slice(text.length))) return line;
  const width = widthOf(text) + blanks;
  return width === columns || width === columns - 1 ? text : line;
}

/** Whole lines, each without its padding. */
export function withoutPaddings(lines: string, columns: number): string {
  if (!lines.includes(endsPadded)) return lines;
  return lines
    .split("\n")
    .map((line) => (line.endsWith(padding) ? withoutPadding(line, columns) : line))
    .join("\n");
}

const padding = " ".repeat(leastPadding);
const endsPadded = `${padding}\n`;

function widthOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (char === "\t") columns += 8 - (columns % 8);
    else columns += columnsOf(char.codePointAt(0) as number);
  }
  return columns;
}

/**
 * Whether the second of two screens is the first painted anew: half of its lines at least are in both, whatever numbers and bars
 * stand in them. What has other words is another text, and both stay.
 */
export function isRepaint(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(shapes(before));
  const lines = shapes(after);
  return lines.length > 0 && lines.filter((line) => known.has(line)).length * 2 >= lines.length;
}

/** Lines in which something stands, by their letters. */
function shapes(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/[^\p{L}]+/gu, " ")).filter((_, at) => lines[at]?.trim() !== "");
}
