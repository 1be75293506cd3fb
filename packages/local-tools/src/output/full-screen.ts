import { columnsOf } from "./char-width.ts";
import { parameterValues } from "./cursor.ts";
import { Row } from "./row.ts";

/** What a terminal shows while a full-screen program runs. */
export interface ScreenView {
  /** Its rows without blanks at their ends, and without empty rows at the end. */
  text: string;
  /** Where the cursor is, counted from 1. */
  row: number;
  column: number;
  /** The size of the screen. */
  rows: number;
  columns: number;
}

const sameAs: Readonly<Record<string, string>> = { a: "C", e: "B", f: "H", "`": "G" };
const tabStop = 8;
/** UTF-16 units that may be joined to the characters of a row. */
const maxJoined = 4096;

/** The line drawing characters of DEC terminals, for `` ` `` to `~`. */
const lineDrawing = [..."◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"];

/** The alternate screen of a terminal: a grid of fixed size on which a program paints. Colours are left out. */
export class FullScreen {
  #rows: number;
  #columns: number;
  #lines: Row[];
  #row = 0;
  #column = 0;
  /** The last column was written: the next character begins a new row. */
  #wraps = false;
  /** The rows that scroll, from the first to, not with, the last. */
  #top = 0;
  #bottom: number;
  #saved = { row: 0, column: 0 };
  #last = "";
  #autoWrap = true;
  #inserts = false;
  /** Whether each of the two character sets draws lines, and which one is in use. */
  readonly #drawing: [boolean, boolean] = [false, false];
  #set: 0 | 1 = 0;

  constructor(rows: number, columns: number) {
    this.#rows = rows;
    this.#columns = columns;
    this.#bottom = rows;
    this.#lines = Array.from({ length: rows }, emptyRow);
  }

  get view(): ScreenView {
    const lines = this.#lines.map((line) => line.text().trimEnd());
    while (lines.at(-1) === "") lines.pop();
    const size = { rows: this.#rows, columns: this.#columns };
    return { text: lines.join("\n"), row: this.#row + 1, column: this.#column + 1, ...size };
  }

  resize(rows: number, columns: number): void {
    this.#columns = columns;
    this.#rows = rows;
    // A program that is wider paints anew; what is cut here comes again.
    this.#lines = Array.from({ length: rows }, (_, at) => this.#lines[at] ?? emptyRow());
    for (const line of this.#lines) line.eraseFrom(columns);
    this.#top = 0;
    this.#bottom = rows;
    this.#moveTo(this.#row, this.#column);
  }

  /** Text without control characters but tabs and line ends. */
  print(text: string): void {
    for (const character of text) {
      if (character === "\n") this.#lineFeed();
      else if (character === "\r") this.#moveTo(this.#row, 0);
      else if (character === "\t") this.#moveTo(this.#row, (Math.floor(this.#column / tabStop) + 1) * tabStop);
      else this.#put(character);
    }
  }

  /** A control character. */
  control(unit: number): void {
    if (unit === 0x0d) this.#moveTo(this.#row, 0);
    else if (unit === 0x08) this.#moveTo(this.#row, this.#column - 1);
    else if (unit === 0x0b || unit === 0x0c || unit === 0x84) this.#lineFeed();
    else if (unit === 0x0e || unit === 0x0f) this.#set = unit === 0x0e ? 1 : 0;
    else if (unit === 0x85) this.#nextLine();
    else if (unit === 0x8d) this.#reverseLineFeed();
  }

  /** `ESC`, intermediates, and a last character. */
  escape(intermediates: string, final: string): void {
    if (intermediates === "(") this.#drawing[0] = final === "0";
    else if (intermediates === ")") this.#drawing[1] = final === "0";
    else if (intermediates !== "") return;
    else if (final === "7") this.#save();
    else if (final === "8") this.#restore();
    else if (final === "D") this.#lineFeed();
    else if (final === "E") this.#nextLine();
    else if (final === "M") this.#reverseLineFeed();
  }

  /** A mode of the terminal that is switched. */
  mode(mode: string, on: boolean): void {
    if (mode === "?7") this.#autoWrap = on;
    else if (mode === "4") this.#inserts = on;
  }

  /** `CSI`, parameters, and a last character. */
  sequence(parameters: string, final: string): void {
    const values = parameterValues(parameters);
    if (values === undefined) return;
    FullScreen.#actions[sameAs[final] ?? final]?.(this, Math.max(1, values[0] ?? 0), values);
  }

  /** By final character. `count` is the first parameter, at least 1. */
  static readonly #actions: Readonly<Record<string, (screen: FullScreen, count: number, values: number[]) => void>> = {
    A: (screen, count) => screen.#up(count),
    B: (screen, count) => screen.#down(count),
    C: (screen, count) => screen.#moveTo(screen.#row, screen.#column + count),
    D: (screen, count) => screen.#moveTo(screen.#row, screen.#column - count),
    E: (screen, count) => screen.#moveTo(screen.#row + count, 0),
    F: (screen, count) => screen.#moveTo(screen.#row - count, 0),
    G: (screen, count) => screen.#moveTo(screen.#row, count - 1),
    H: (screen, count, [, column = 1]) => screen.#moveTo(count - 1, Math.max(1, column) - 1),
    I: (screen, count) => screen.#moveTo(screen.#row, (Math.floor(screen.#column / tabStop) + count) * tabStop),
    Z: (screen, count) => screen.#moveTo(screen.#row, (Math.ceil(screen.#column / tabStop) - count) * tabStop),
    d: (screen, count) => screen.#moveTo(count - 1, screen.#column),
    J: (screen, _count, [part = 0]) => screen.#eraseScreen(part),
    K: (screen, _count, [part = 0]) => screen.#eraseLine(part),
    L: (screen, count) => screen.#scroll(screen.#row, -count),
    M: (screen, count) => screen.#scroll(screen.#row, count),
    S: (screen, count) => screen.#scroll(screen.#top, count),
    T: (screen, count) => screen.#scroll(screen.#top, -count),
    P: (screen, count) => screen.#line.remove(screen.#column, count),
    "@": (screen, count) => screen.#line.insert(screen.#column, count, screen.#columns),
    X: (screen, count) => screen.#line.erase(screen.#column, screen.#column + count),
    b: (screen, count) => screen.#repeat(count),
    r: (screen, _count, [first = 0, last = 0]) => screen.#region(first, last),
    s: (screen) => screen.#save(),
    u: (screen) => screen.#restore(),
  };

  /** The cursor's row. */
  get #line(): Row {
    return this.#lines[this.#row] as Row;
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.max(0, Math.min(row, this.#rows - 1));
    this.#column = Math.max(0, Math.min(column, this.#columns - 1));
    this.#wraps = false;
  }

  #up(count: number): void {
    this.#moveTo(Math.max(this.#row - count, this.#row >= this.#top ? this.#top : 0), this.#column);
  }

  #down(count: number): void {
    const lowest = this.#row < this.#bottom ? this.#bottom : this.#rows;
    this.#moveTo(Math.min(this.#row + count, lowest - 1), this.#column);
  }

  /** Writes the last character again. */
  #repeat(count: number): void {
    for (let n = Math.min(count, this.#columns); n > 0 && this.#last !== ""; n--) this.#put(this.#last);
  }

  #put(given: string): void {
    const unit = given.charCodeAt(0);
    const character =
      this.#drawing[this.#set] && unit >= 0x60 && unit <= 0x7e ? (lineDrawing[unit - 0x60] as string) : given;
    const width = columnsOf(character.codePointAt(0) as number);
    if (width === 0) {
      // It joins the character before it.
      const at = this.#wraps ? this.#columns : this.#column;
      if (at > 0 && this.#line.size < this.#columns + maxJoined) this.#line.write(character, 0, at, Infinity);
      return;
    }
    this.#last = given;
    if (this.#wraps && this.#autoWrap) this.#nextLine();
    if (width === 2 && this.#column === this.#columns - 1 && this.#autoWrap) this.#nextLine();
    if (this.#inserts) this.#line.insert(this.#column, width, this.#columns);
    const column = Math.min(this.#column, this.#columns - width);
    if (column < 0) return;
    this.#line.write(character, 0, column, Infinity);
    this.#moveTo(this.#row, column + width);
    this.#wraps = column + width === this.#columns;
  }

  #lineFeed(): void {
    if (this.#row === this.#bottom - 1) this.#scroll(this.#top, 1);
    else this.#row = Math.min(this.#row + 1, this.#rows - 1);
    this.#wraps = false;
  }

  #nextLine(): void {
    this.#lineFeed();
    this.#column = 0;
  }

  #reverseLineFeed(): void {
    if (this.#row === this.#top) this.#scroll(this.#top, -1);
    else this.#moveTo(this.#row - 1, this.#column);
  }

  /** Moves rows of the region up, from `from` on, or down by a count below 0. */
  #scroll(from: number, count: number): void {
    const to = this.#bottom;
    if (from < this.#top || from >= to) return;
    const by = Math.min(Math.abs(count), to - from);
    const empty = Array.from({ length: by }, emptyRow);
    if (count > 0) {
      this.#lines.splice(from, by);
      this.#lines.splice(to - by, 0, ...empty);
    } else {
      this.#lines.splice(to - by, by);
      this.#lines.splice(from, 0, ...empty);
    }
  }

  #eraseLine(part: number): void {
    this.#line.erase(part === 0 ? this.#column : 0, part === 1 ? this.#column + 1 : this.#columns);
  }

  #eraseScreen(part: number): void {
    if (part < 2) this.#eraseLine(part);
    const from = part === 0 ? this.#row + 1 : 0;
    const to = part === 1 ? this.#row : this.#rows;
    for (let row = from; row < to && part < 3; row++) this.#lines[row] = emptyRow();
  }

  #region(first: number, last: number): void {
    const top = Math.max(1, first) - 1;
    const bottom = last === 0 ? this.#rows : Math.min(last, this.#rows);
    if (top >= bottom - 1) return;
    this.#top = top;
    this.#bottom = bottom;
    this.#moveTo(0, 0);
  }

  #save(): void {
    this.#saved = { row: this.#row, column: this.#column };
  }

  #restore(): void {
    this.#moveTo(this.#saved.row, this.#saved.column);
  }
}

function emptyRow(): Row {
  const row = new Row();
  row.open();
  return row;
}
