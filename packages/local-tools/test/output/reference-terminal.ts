// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control sequences are what this file is about.
import { columnsOf } from "../../src/output/char-width.ts";
import { fullScreenNote } from "../../src/output/text-cleaner.ts";

/** A line of a terminal, one string for each column; the columns that a character takes beyond its first are empty. */
interface Line {
  cells: string[];
  wiped: boolean;
}

const tokens = [
  // Whole control sequences; broken ones are dropped up to what breaks them.
  { name: "csi", pattern: /(?:\u001b\[|\u009b)([\u0020-\u003f]{0,255})([\u0040-\u007e])/uy },
  { name: "nothing", pattern: /(?:\u001b\[|\u009b)[\u0020-\u003f]{0,256}/uy },
  {
    name: "nothing",
    pattern: /(?:\u001b\]|\u009d)[^\u0007\n\r\u0018\u001a\u001b\u009c]*(?:\u0007|\u009c|\u0018|\u001a|\u001b\\)?/uy,
  },
  {
    name: "nothing",
    pattern:
      /(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u0018\u001a\u001b\u009c]*(?:\u009c|\u0018|\u001a|\u001b\\)?/uy,
  },
  { name: "nothing", pattern: /\u001b[\u0020-\u002f]{1,16}[\u0030-\u007e]?/uy },
  { name: "escape", pattern: /\u001b([\u0030-\u007e])/uy },
  { name: "control", pattern: /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/uy },
  { name: "character", pattern: /[\s\S]/uy },
] as const;

/** A terminal in the plainest way: every character a cell, every line kept, the whole text at once. */
export class ReferenceTerminal {
  #lines: Line[] = [{ cells: [], wiped: false }];
  /** Lines that there have been, those erased away from the end as well. */
  #height = 1;
  #row = 0;
  #column = 0;
  #top: number | undefined;
  #saved: { row: number; column: number } | undefined;
  #alternate = false;
  readonly #rows: number;
  readonly #columns: number;

  constructor(rows: number, columns: number) {
    this.#rows = rows;
    this.#columns = columns;
  }

  /** What is to be read after all of `text`. */
  show(text: string): string {
    for (let at = 0; at < text.length; ) {
      for (const { name, pattern } of tokens) {
        pattern.lastIndex = at;
        const match = pattern.exec(text);
        if (match === null) continue;
        at += match[0].length;
        if (name === "csi") this.#csi(match[1] ?? "", match[2] ?? "");
        else if (name === "escape") this.#escape(match[1] ?? "");
        else if (name === "control" && !this.#alternate) this.#control(match[0].charCodeAt(0));
        else if (name === "character" && !this.#alternate) this.#character(match[0]);
        break;
      }
      this.#scroll();
    }
    return this.#text();
  }

  #text(): string {
    const texts = this.#lines.map(textOf);
    let last = texts.length - 1;
    while (last > this.#row && texts[last]?.trim() === "") last--;
    const end = last < texts.length - 1 && texts[last]?.trim() !== "";
    return texts.slice(0, last + 1).join("\n") + (end ? "\n" : "");
  }

  get #line(): Line {
    return this.#lines[this.#row] as Line;
  }

  /** The top of the screen and the saved place go up with the lines, but not away. */
  #scroll(): void {
    const highest = this.#height - this.#rows;
    if (this.#top !== undefined) this.#top = Math.max(this.#top, highest);
    if (this.#saved !== undefined) this.#saved.row = Math.max(this.#saved.row, this.#row - this.#rows + 1);
  }

  #lineFeed(): void {
    const line = this.#line;
    this.#row++;
    if (this.#row === this.#lines.length) {
      this.#lines.push({ cells: [], wiped: false });
      // What was wiped with blanks is over with the line.
      while (line.wiped && line.cells.at(-1) === " ") line.cells.pop();
      line.wiped = false;
      this.#height = Math.max(this.#height, this.#lines.length);
    }
    this.#column = 0;
    this.#scroll();
  }

  #up(count: number): void {
    const highest = Math.max(0, this.#height - this.#rows, this.#top ?? 0);
    this.#row = Math.min(this.#row, Math.max(highest, this.#row - count));
  }

  #down(count: number): void {
    this.#row = Math.min(this.#lines.length - 1, this.#row + count);
  }

  #toColumn(column: number): void {
    this.#column = Math.max(0, Math.min(column, Math.max(this.#columns - 1, this.#line.cells.length)));
  }

  #toRow(row: number): void {
    if (this.#top === undefined) this.#clear();
    const column = this.#column;
    const target = (this.#top as number) + Math.min(row, this.#rows - 1);
    if (target < this.#row) this.#up(this.#row - target);
    while (this.#row < target) this.#lineFeed();
    this.#column = column;
  }

  #clear(): void {
    this.#row = this.#lines.length - 1;
    if (textOf(this.#line).trim() !== "") this.#lineFeed();
    this.#lines[this.#row] = { cells: [], wiped: false };
    this.#column = 0;
    this.#top = this.#row;
  }

  /** Makes a column a border: what lies across it becomes blanks. */
  #border(column: number): void {
    const { cells } = this.#line;
    if (cells[column] !== "") return;
    let start = column;
    while (cells[start] === "") start--;
    for (let at = start; at === start || cells[at] === ""; at++) cells[at] = " ";
  }

  #put(cell: string, width: number): void {
    const line = this.#line;
    while (line.cells.length < this.#column) line.cells.push(" ");
    for (let n = 0; n < width; n++) {
      if (this.#column < line.cells.length) line.wiped = true;
      this.#border(this.#column);
      this.#border(this.#column + 1);
      line.cells[this.#column++] = n === 0 ? cell : "";
    }
  }

  #character(text: string): void {
    const { cells } = this.#line;
    const width = columnsOf(text.codePointAt(0) as number);
    if (text === "\t") {
      const stop = this.#column - (this.#column % 8) + 8;
      if (this.#column >= cells.length) this.#put("\t", stop - this.#column);
      this.#column = stop;
    } else if (width === 0 && this.#column > 0) {
      while (cells.length < this.#column) cells.push(" ");
      let at = this.#column - 1;
      while (cells[at] === "") at--;
      cells[at] += text;
    } else this.#put(text, Math.max(1, width));
  }

  #erase(start: number, end: number): void {
    const line = this.#line;
    const to = Math.min(end, line.cells.length);
    if (to <= start) return;
    this.#border(start);
    this.#border(to);
    line.wiped = true;
    if (to === line.cells.length) line.cells.length = start;
    else line.cells.fill(" ", start, to);
  }

  #control(unit: number): void {
    if (unit === 0x0d) this.#column = 0;
    else if (unit === 0x08) this.#toColumn(this.#column - 1);
    else if (unit === 0x8d) this.#up(1);
    else if ([0x0a, 0x0b, 0x0c, 0x84, 0x85].includes(unit)) this.#lineFeed();
  }

  #escape(final: string): void {
    if (final === "c") {
      this.#alternate = false;
      this.#clear();
    } else if (this.#alternate) return;
    else if (final === "D" || final === "E") this.#lineFeed();
    else if (final === "M") this.#up(1);
    else if (final === "7") this.#saved = { row: this.#row, column: this.#column };
    else if (final === "8") this.#restore();
  }

  #restore(): void {
    if (this.#saved === undefined) return;
    const { row, column } = this.#saved;
    if (row < this.#row) this.#up(this.#row - row);
    else this.#down(row - this.#row);
    this.#toColumn(column);
  }

  #csi(parameters: string, final: string): void {
    if (/^\?([0-9;]*;)?(1049|1047|47)(;|$)/.test(parameters) && (final === "h" || final === "l")) {
      const on = final === "h";
      if (on && !this.#alternate) {
        const top = this.#top;
        this.#clear();
        this.#top = top;
        for (const character of fullScreenNote) this.#character(character);
        this.#lineFeed();
      }
      this.#alternate = on;
      return;
    }
    if (this.#alternate || !/^[0-9;:]*$/.test(parameters)) return;
    const [first, second] = parameters.split(";").map((digits) => Number.parseInt(digits, 10) || 0);
    const part = first ?? 0;
    const count = Math.max(1, part);
    const { cells } = this.#line;
    const column = this.#column;
    if (final === "A" || final === "F") this.#up(count);
    if (final === "B" || final === "E" || final === "e") this.#down(count);
    if (final === "E" || final === "F") this.#column = 0;
    if (final === "C" || final === "a") this.#toColumn(column + count);
    if (final === "D") this.#toColumn(column - count);
    if (final === "G" || final === "`") this.#toColumn(count - 1);
    if (final === "d" || final === "H" || final === "f") this.#toRow(count - 1);
    if (final === "H" || final === "f") this.#toColumn(Math.max(1, second ?? 1) - 1);
    if ((final === "K" || final === "J") && part === 0) this.#erase(column, Number.POSITIVE_INFINITY);
    if ((final === "K" || final === "J") && part === 1) this.#erase(0, column + 1);
    if (final === "J" && part === 0) this.#lines.length = this.#row + 1;
    if (final === "J" && part === 2) this.#clear();
    if (final === "K" && part === 2) this.#erase(0, Number.POSITIVE_INFINITY);
    if (final === "X") this.#erase(column, column + count);
    if (final === "s") this.#escape("7");
    if (final === "u") this.#escape("8");
    if ((final === "P" || final === "@") && column < cells.length) {
      this.#border(column);
      // Tabs that are moved become blanks, and so does a mark that stands alone.
      if (column === 0 && columnsOf(cells[0]?.codePointAt(0) as number) === 0) cells[0] = " ";
      for (let at = column; at < cells.length; at++) {
        if (cells[at]?.startsWith("\t")) cells[at] = " ";
        if (cells[at] === "" && cells[at - 1] === " ") cells[at] = " ";
      }
      if (final === "P") this.#border(Math.min(column + count, cells.length));
      if (final === "P") cells.splice(column, count);
      else cells.splice(column, 0, ...Array.from({ length: Math.min(count, this.#columns) }, () => " "));
      this.#line.wiped = true;
    }
  }
}

function textOf({ cells, wiped }: Line): string {
  let end = cells.length;
  if (wiped) while (end > 0 && cells[end - 1] === " ") end--;
  return cells.slice(0, end).join("");
}
