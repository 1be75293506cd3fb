import { isRepaint, withoutPadding, withoutPaddings } from "./layout.ts";
import { Row } from "./row.ts";

export interface ScreenOptions {
  /** Lines that can still be changed. */
  rows: number;
  /** Columns that the cursor can be moved to beyond a line's end. */
  columns: number;
  /** UTF-16 units, or columns, of a line that can still be changed. */
  lineLimit: number;
  /** What is only layout is left out: padding up to the edge, rows that were passed over, and screens that were painted anew. */
  fold: boolean;
}

/** The cursor is at the end of a row that is still a string, at a column that nobody has counted. */
const atEnd = -1;
/** Units of whole lines that are kept as they are before those that can't change any more are given. */
const keptUnits = 65_536;

/**
 * The lowest lines of an endless page, with a cursor: what is above them is final. Lines that no cursor has gone back to are
 * plain text, so that ordinary output costs no more than copying it.
 *
 * From top to bottom: `#given` (final, to be given), `#above`, `#tail`, the cursor's row, `#below` (the next row last).
 */
export class Screen {
  readonly #options: ScreenOptions;
  #given: string[] = [];
  /** Rows above the cursor that it has been in, or that were told. */
  #above: Row[] = [];
  /** Whole lines under `#above` that are text only. */
  #tail = "";
  #row: Row = new Row();
  #column = atEnd;
  #below: Row[] = [];
  /** Rows of the screen under the lowest line that were erased away. */
  #erased = 0;
  /** Rows from the top of the screen to the cursor; undefined while nobody asked for a place on the screen. */
  #fromTop: number | undefined;
  /** Rows from where the cursor was saved to where it is. */
  #saved: { rows: number; column: number } | undefined;
  /** Something above the cursor may not have been told. */
  #untold = false;
  /** All rows above the cursor belong to a screen that was wiped before, and that has not scrolled since. */
  #framed = false;
  /** The screen before that one, until it is plain whether the new one is the same painted anew. */
  #held: Row[] = [];
  /** Blanks that the cursor's line begins with, and that may be those of a program which has no other way to wipe the screen. */
  #blanks = 0;
  /** The row given last was passed over and is blank. */
  #passed = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** The cursor's line as shown. */
  get line(): string {
    return this.#row.text();
  }

  /** Writes text that holds no control characters but tabs and line ends, LF or CRLF. */
  print(text: string): void {
    let rest = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
    while (rest !== "") {
      const last = rest.lastIndexOf("\n");
      if (last < 0) {
        this.#write(rest);
        return;
      }
      if (this.#growsOnly(rest)) {
        this.#scrolled();
        const lines = this.#row.text() + rest.slice(0, last + 1);
        this.#tail += this.#options.fold ? withoutPaddings(lines, this.#options.columns) : lines;
        this.#untold = true;
        this.#row = new Row();
        rest = rest.slice(last + 1);
      } else {
        const first = rest.indexOf("\n");
        this.#write(rest.slice(0, first));
        this.lineFeed();
        rest = rest.slice(first + 1);
      }
    }
  }

  /** Whether lines that are printed now only come after all others, and are as they stand. */
  #growsOnly(text: string): boolean {
    if (this.#column !== atEnd || this.#below.length > 0 || this.#row.told !== undefined || this.#counting())
      return false;
    const { fold, columns } = this.#options;
    return !fold || (this.#blanks === 0 && !(this.#row.text() + text).includes(" ".repeat(columns)));
  }

  /** To the first column. */
  carriageReturn(): void {
    this.#endBlanks();
    this.#column = this.#row.empty ? atEnd : 0;
  }

  /** To the first column of the next line. */
  lineFeed(): void {
    this.#down();
    this.carriageReturn();
  }

  /** Moves the cursor in its line; not beyond the line's text or the screen, whichever ends later. */
  moveBy(columns: number): void {
    this.#open();
    this.#column = this.#within(this.#column + columns);
  }

  moveTo(column: number): void {
    this.#open();
    this.#column = this.#within(column);
  }

  /** Moves up, not beyond what can still be changed. */
  up(rows: number): void {
    this.#open();
    const room = Math.min(this.#lowest(), this.#fromTop ?? Number.POSITIVE_INFINITY);
    if (this.#tail !== "") this.#openTail();
    const count = Math.min(rows, room, this.#above.length);
    for (let n = 0; n < count; n++) {
      this.#below.push(this.#row);
      this.#row = this.#above.pop() as Row;
    }
    if (count > 0) this.#moved(-count);
  }

  /** Moves down, not beyond the lowest line. */
  down(rows: number): void {
    this.#open();
    for (let n = Math.min(rows, this.#below.length); n > 0; n--) this.#down();
  }

  save(): void {
    this.#open();
    this.#saved = { rows: 0, column: this.#column };
  }

  restore(): void {
    const saved = this.#saved;
    if (saved === undefined) return;
    if (saved.rows > 0) this.up(saved.rows);
    else this.down(-saved.rows);
    this.moveTo(saved.column);
  }

  /** Moves to a row of the screen, counted from 0. Before the first {@link clear} there is no screen: one begins. */
  moveToRow(row: number): void {
    if (this.#fromTop === undefined) this.clear();
    this.#open();
    const by = Math.min(row, this.#options.rows - 1) - (this.#fromTop as number);
    if (by < 0) this.up(-by);
    for (let n = by; n > 0; n--) {
      this.#row.passed = true;
      this.#down();
    }
  }

  /** A new screen begins: what was shown stays, as lines above it. When folding, only the last of screens that repeat each other stays. */
  clear(): void {
    this.#toFreeLine();
    this.#fromTop = 0;
    if (!this.#options.fold) return;
    this.#openTail();
    const rows = this.#above;
    this.#above = [];
    if (!this.#framed) for (const row of rows) this.#give(row);
    else if (rows.some((row) => !row.blank)) {
      if (!isRepaint(this.#held.map(textOf), rows.map(textOf))) this.#giveHeld();
      this.#held = rows;
    }
    this.#framed = true;
  }

  /** Erases from the cursor to the end of the line. */
  eraseRight(): void {
    if (this.#column === atEnd) return;
    this.#open();
    this.#row.eraseFrom(this.#column);
  }

  /** Erases the line up to and with the cursor's column. */
  eraseLeft(): void {
    this.#open();
    this.#row.erase(0, this.#column + 1);
  }

  eraseLine(): void {
    this.#open();
    this.#row.eraseFrom(0);
  }

  /** Erases from the cursor to the end of the screen. */
  eraseDown(): void {
    this.eraseRight();
    this.#erased += this.#below.length;
    this.#below = [];
  }

  erase(columns: number): void {
    this.#open();
    this.#row.erase(this.#column, this.#column + columns);
  }

  remove(columns: number): void {
    this.#open();
    this.#row.remove(this.#column, columns);
  }

  insert(columns: number): void {
    this.#open();
    this.#row.insert(this.#column, Math.min(columns, this.#options.columns), this.#options.lineLimit);
  }

  /** A line of its own. */
  note(text: string): void {
    this.#toFreeLine();
    this.print(`${text}\n`);
  }

  /** What can't change any more and has not been given yet. */
  takeFinal(): string {
    if (this.#tail.length > keptUnits) this.#giveTail(this.#options.rows);
    return this.#takeGiven();
  }

  /** All that is shown and has not been given yet. What was given stays on the screen, as told. */
  takeAll(): string {
    this.#endBlanks();
    this.#endHeld();
    this.#tellAbove();
    const below = this.#below;
    const last = below.findIndex((row) => !row.blank);
    // Blank lines under everything that is shown are left out.
    const end = last >= 0 || (below.length > 0 && !this.#row.blank);
    if (end || this.line !== "" || this.#row.told !== undefined) this.#tell(this.#row, end);
    for (let at = below.length - 1; at >= last && last >= 0; at--) this.#tell(below[at] as Row, at > 0);
    return this.#takeGiven();
  }

  #takeGiven(): string {
    if (this.#given.length === 0) return "";
    const given = this.#given.length === 1 ? (this.#given[0] as string) : this.#given.join("");
    this.#given = [];
    return given;
  }

  #write(text: string): void {
    if (text === "") return;
    if (this.#column !== atEnd) {
      this.#open();
      this.#column = this.#writeCells(text, this.#column);
      return;
    }
    this.#append(this.#options.fold ? this.#withoutBlanks(text) : text);
  }

  #append(text: string): void {
    this.#row.append(text);
    while (this.#row.size > this.#options.lineLimit) this.#passOn(this.#row.takeFront(this.#options.lineLimit));
  }

  /** Counts a row's worth of blanks or more at the beginning of a line, until what follows decides what they are; gives the rest. */
  #withoutBlanks(text: string): string {
    const before = this.#row.text();
    if (this.#row.told !== undefined || !onlyBlanks.test(before)) return text;
    const leading = text.length - text.replace(/^ +/, "").length;
    const count = this.#blanks + before.length + leading;
    if (count < this.#options.columns) return text;
    this.#blanks = count;
    this.#row = new Row();
    if (leading < text.length) this.#endBlanks();
    return text.slice(leading);
  }

  /** As many blanks as the screen has places wiped it; others are text. */
  #endBlanks(): void {
    const count = this.#blanks;
    if (count === 0) return;
    this.#blanks = 0;
    const { columns, rows, lineLimit } = this.#options;
    const wiped = rows > 1 && count >= columns * (rows - 1);
    if (wiped) this.clear();
    for (
      let left = wiped ? Math.max(0, count - columns * rows) % (columns * rows) : count;
      left > 0;
      left -= lineLimit
    ) {
      this.#append(" ".repeat(Math.min(left, lineLimit)));
    }
  }

  /** Makes the cursor's row one of cells, and the column a number. */
  #open(): void {
    this.#endBlanks();
    if (!this.#row.plain) return;
    const end = this.#writeCells(this.#row.open(), 0);
    if (this.#column === atEnd) this.#column = end;
  }

  /** Writes from a column on; gives the column after it. */
  #writeCells(text: string, column: number): number {
    const limit = this.#options.lineLimit;
    let { column: end, to } = this.#row.write(text, 0, column, limit);
    while (to < text.length) {
      const front = this.#row.text();
      this.#row.clear();
      this.#passOn(front);
      ({ column: end, to } = this.#row.write(text, to, 0, limit));
    }
    return end;
  }

  /** Gives the front of a line that is too long to keep, and all above it; the line goes on with nothing in it. */
  #passOn(front: string): void {
    this.#scrolled();
    this.#tellAbove();
    this.#given.push(news(this.#row, front, false));
    this.#row.told = "";
    this.#row.toldEnd = false;
  }

  /** One row down; at the lowest a new one begins. */
  #down(): void {
    this.#endBlanks();
    this.#untold = true;
    const row = this.#row;
    const next = this.#below.pop();
    if (next === undefined && this.#erased > 0) this.#erased--;
    if (next === undefined && row.told === undefined && !row.passed) this.#tail += `${this.#textOf(row)}\n`;
    else {
      this.#openTail();
      this.#above.push(row);
      if (this.#above.length > this.#options.rows) this.#give(this.#above.shift() as Row);
    }
    this.#row = next ?? new Row();
    this.#moved(1);
  }

  /** To an empty line under everything. */
  #toFreeLine(): void {
    while (this.#below.length > 0) this.#down();
    if (!this.#row.blank || this.#row.told !== undefined) this.#down();
    this.#row = new Row();
    this.#column = atEnd;
  }

  #moved(rows: number): void {
    if (this.#fromTop !== undefined && this.#fromTop + rows > this.#lowest()) this.#scrolled();
    if (this.#fromTop !== undefined) this.#fromTop = Math.min(this.#fromTop + rows, this.#lowest());
    if (this.#saved !== undefined) this.#saved.rows = Math.min(this.#saved.rows + rows, this.#options.rows - 1);
  }

  /** What is written is longer than a screen: it is no screen that could be painted anew. */
  #scrolled(): void {
    this.#framed = false;
    this.#giveHeld();
  }

  #giveHeld(): void {
    const rows = this.#held;
    this.#held = [];
    for (const row of rows) this.#give(row);
  }

  /** The screen before is left out when this one shows as much and repeats it. */
  #endHeld(): void {
    if (this.#held.length === 0) return;
    this.#openTail();
    const before = this.#held.map(textOf).filter(hasText);
    const now = [...this.#above, this.#row, ...this.#below].map(textOf).filter(hasText);
    if (now.length * 2 >= before.length && isRepaint(before, now)) this.#held = [];
    else this.#giveHeld();
  }

  /** The row of the screen that the cursor is in when all rows are in use. */
  #lowest(): number {
    return this.#options.rows - 1 - this.#below.length - this.#erased;
  }

  /** A line end has to be counted. */
  #counting(): boolean {
    const lowest = this.#options.rows - 1;
    return (this.#fromTop ?? lowest) < lowest || (this.#saved?.rows ?? lowest) < lowest;
  }

  #within(column: number): number {
    return Math.max(0, Math.min(column, Math.max(this.#row.length, this.#options.columns - 1)));
  }

  /** Gives what of the tail is above its last `lines` lines, and what is above that. */
  #giveTail(lines: number): void {
    let start = this.#tail.length;
    for (let n = 0; n < lines && start > 0; n++) start = start < 2 ? 0 : this.#tail.lastIndexOf("\n", start - 2) + 1;
    if (start === 0) return;
    this.#scrolled();
    for (const row of this.#above) this.#give(row);
    this.#above = [];
    this.#given.push(this.#tail.slice(0, start));
    this.#tail = this.#tail.slice(start);
  }

  /** Makes rows of the tail. */
  #openTail(): void {
    if (this.#tail === "") return;
    this.#giveTail(this.#options.rows);
    const lines = this.#tail.split("\n");
    this.#tail = "";
    for (const line of lines.slice(0, -1)) {
      const row = new Row(line);
      while (row.size > this.#options.lineLimit) {
        // As if it had been passed on while it grew.
        const front = row.takeFront(this.#options.lineLimit);
        this.#scrolled();
        this.#tellAbove();
        this.#given.push(front);
        row.told = "";
      }
      this.#above.push(row);
      this.#untold = true;
    }
    while (this.#above.length > this.#options.rows) this.#give(this.#above.shift() as Row);
  }

  #give(row: Row): void {
    this.#push(row, this.#textOf(row), true);
  }

  #tell(row: Row, end: boolean): void {
    const text = this.#textOf(row);
    this.#push(row, text, end);
    row.told = text;
    row.toldEnd = end;
  }

  #push(row: Row, text: string, end: boolean): void {
    const told = news(row, text, end);
    const passed = this.#options.fold && row.passed && row.blank;
    // Of many rows without anything, one says as much.
    if (told !== "" && !(passed && this.#passed)) this.#given.push(told);
    this.#passed = passed;
  }

  #textOf(row: Row): string {
    const text = row.text();
    return this.#options.fold && row.told === undefined ? withoutPadding(text, this.#options.columns) : text;
  }

  #tellAbove(): void {
    if (!this.#untold) return;
    this.#openTail();
    for (const row of this.#above) this.#tell(row, true);
    this.#untold = false;
  }
}

const onlyBlanks = /^ *$/;
const textOf = (row: Row): string => row.text();
const hasText = (text: string): boolean => text.trim() !== "";

/** What has to be said of a line of which something may have been told before. */
function news(row: Row, text: string, end: boolean): string {
  const { told, toldEnd } = row;
  const lineEnd = end ? "\n" : "";
  if (told === undefined) return text + lineEnd;
  if (toldEnd) return told === text ? "" : text + lineEnd;
  return (text.startsWith(told) ? text.slice(told.length) : text) + lineEnd;
}
