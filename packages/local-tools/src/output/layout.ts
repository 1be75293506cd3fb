import { columnsOf } from "./char-width.ts";

/** Blanks at a line's end that may be the padding of a screen; fewer are left alone. */
const minPadding = 20;

/** Returns a line without the blanks that fill it up to the screen's edge, as `top` and editors paint rows; any others stay. */
export function withoutPadding(line: string, columns: number): string {
  const text = line.trimEnd();
  const blanks = line.length - text.length;
  if (blanks < minPadding || line.length > columns || !/^ +$/.test(line.slice(text.length))) return line;
  const width = widthOf(text) + blanks;
  return width === columns || width === columns - 1 ? text : line;
}

/** Returns an unfinished line without the blanks at its end that may become padding. */
export function withoutBlanks(line: string): string {
  const text = line.trimEnd();
  return line.length - text.length < minPadding ? line : text;
}

/** Whole lines, each without its padding. */
export function withoutPaddings(lines: string, columns: number): string {
  if (!lines.includes(endsPadded)) return lines;
  return lines
    .split("\n")
    .map((line) => (line.endsWith(padding) ? withoutPadding(line, columns) : line))
    .join("\n");
}

const padding = " ".repeat(minPadding);
const endsPadded = `${padding}\n`;

function widthOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (char === "\t") columns += 8 - (columns % 8);
    else columns += columnsOf(char.codePointAt(0) as number);
  }
  return columns;
}

/** Checks whether a screen is the one before painted anew: half of its lines are in both, whatever numbers and bars stand in them. */
export function isRepaint(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(shapes(before));
  const lines = shapes(after);
  return lines.length > 0 && lines.filter((line) => known.has(line)).length * 2 >= lines.length;
}

/** Returns lines in which something stands, by their letters. */
function shapes(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/[^\p{L}]+/gu, " ")).filter((_, at) => lines[at]?.trim() !== "");
}

/** Blanks that a line begins with, and that may be those of a program which has no other way to wipe the screen. */
export class LeadingBlanks {
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  /** Counts a row's worth of blanks or more, until what follows decides what they are; returns the rest. Undefined: these are text. */
  count(before: string, text: string, columns: number): string | undefined {
    if (!/^ *$/.test(before)) return undefined;
    const leading = text.length - text.replace(/^ +/, "").length;
    const count = this.#count + before.length + leading;
    if (count < columns) return undefined;
    this.#count = count;
    return text.slice(leading);
  }

  /** What they were: as many as the screen has places wiped it, others are text. Nothing is counted afterwards. */
  end({ columns, rows }: { columns: number; rows: number }): { wiped: boolean; left: number } {
    const count = this.#count;
    this.#count = 0;
    const wiped = rows > 1 && count >= columns * (rows - 1);
    return { wiped, left: wiped ? Math.max(0, count - columns * rows) % (columns * rows) : count };
  }
}
