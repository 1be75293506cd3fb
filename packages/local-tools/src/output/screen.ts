import { LeadingBlanks } from "./layout.ts";
import type { LiveText, Moment } from "./live-text.ts";
import { Row } from "./row.ts";
import { type ScreenOptions, Scrollback } from "./scrollback.ts";

/** The cursor is at the end of a row that is still a string, at a column not computed yet. */
const atEnd = -1;

/**
 * The lowest lines of an endless page, with a cursor: what is above them is final.
 *
 * From top to bottom: the {@link Scrollback}, the cursor's row, `#below` (the next row last).
 */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #scrollback: Scrollback;
  #row: Row = new Row();
  #column = atEnd;
  #below: Row[] = [];
  /** Rows of the screen under the lowest line that were erased away. */
  #erased = 0;
  /** Rows from the top of the screen to the cursor; undefined while nobody asked for a place on the screen. */
  #fromTop: number | undefined;
  /** Rows from where the cursor was saved to where it is. */
  #saved: { rows: number; column: number } | undefined;
  readonly #blanks: LeadingBlanks = new LeadingBlanks();

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#scrollback = new Scrollback(options);
  }

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
        this.#scrollback.addLines(this.#row.text() + rest.slice(0, last + 1));
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

  /** Checks whether lines that are printed now only come after all others, and are as they stand. */
  #growsOnly(text: string): boolean {
    if (this.#column !== atEnd || this.#below.length > 0 || !this.#row.ungiven || this.#counting()) return false;
    const { fold, columns } = this.#options;
    return !fold || (!this.#blanks.any && !(this.#row.text() + text).includes(" ".repeat(columns)));
  }

  carriageReturn(): void {
    this.#endBlanks();
    this.#column = this.#row.empty ? atEnd : 0;
  }

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
    const above = this.#scrollback.takeRows(Math.min(rows, this.#lowest(), this.#fromTop ?? rows));
    for (const row of above) {
      this.#below.push(this.#row);
      this.#row = row;
    }
    if (above.length > 0) this.#moved(-above.length);
  }

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

  /** Begins a new screen: what was shown stays, as lines above it. When folding, only the last of screens that repeat each other stays. */
  clear(): void {
    this.#toFreeLine();
    this.#fromTop = 0;
    this.#scrollback.endScreen();
  }

  eraseRight(): void {
    if (this.#column === atEnd) return;
    this.#open().eraseFrom(this.#column);
  }

  /** Erases the line up to and with the cursor's column. */
  eraseLeft(): void {
    this.#open().erase(0, this.#column + 1);
  }

  eraseLine(): void {
    this.#open().eraseFrom(0);
  }

  eraseDown(): void {
    this.eraseRight();
    this.#erased += this.#below.length;
    this.#below = [];
  }

  erase(columns: number): void {
    this.#open().erase(this.#column, this.#column + columns);
  }

  remove(columns: number): void {
    this.#open().remove(this.#column, columns);
  }

  insert(columns: number): void {
    this.#open().insert(this.#column, Math.min(columns, this.#options.columns), this.#options.lineLimit);
  }

  note(text: string): void {
    this.#toFreeLine();
    this.print(`${text}\n`);
  }

  /** Returns what can't change any more and has not been given yet. */
  takeFinal(): string {
    return this.#scrollback.takeFinal();
  }

  /** Returns all that is shown and has not been given yet. What was given stays on the screen. */
  takeAll(): string {
    this.#endBlanks();
    return this.#scrollback.takeAll(this.#row, this.#below);
  }

  /** Sets the listener for page changes; `undefined` removes it. */
  listen(live: LiveText | undefined): void {
    this.#scrollback.listen(live, this.#row, this.#below);
  }

  /** Emits what is due to the listener. True when there is more. */
  giveLive(now: Moment): boolean {
    return this.#scrollback.giveLive(this.#row, this.#below, now);
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
    const { lineLimit } = this.#options;
    this.#row.append(text);
    while (this.#row.size > lineLimit) this.#scrollback.passOn(this.#row, this.#row.takeFront(lineLimit));
  }

  /** Returns a text without blanks that may wipe the screen. */
  #withoutBlanks(text: string): string {
    const row = this.#row;
    const rest = row.given === undefined ? this.#blanks.count(row.text(), text, this.#options.columns) : undefined;
    if (rest === undefined) return text;
    this.#row = new Row();
    if (rest !== "") this.#endBlanks();
    return rest;
  }

  #endBlanks(): void {
    if (!this.#blanks.any) return;
    let { wiped, left } = this.#blanks.end(this.#options);
    if (wiped) this.clear();
    const { lineLimit } = this.#options;
    for (; left > 0; left -= lineLimit) this.#append(" ".repeat(Math.min(left, lineLimit)));
  }

  /** Makes the cursor's row one of cells, and the column a number. */
  #open(): Row {
    this.#endBlanks();
    if (this.#row.plain) {
      const end = this.#writeCells(this.#row.open(), 0);
      if (this.#column === atEnd) this.#column = end;
    }
    return this.#row;
  }

  /** Writes from a column on; returns the column after it. */
  #writeCells(text: string, column: number): number {
    const limit = this.#options.lineLimit;
    let { column: end, to } = this.#row.write(text, 0, column, limit);
    while (to < text.length) {
      const front = this.#row.text();
      this.#row.clear();
      this.#scrollback.passOn(this.#row, front);
      ({ column: end, to } = this.#row.write(text, to, 0, limit));
    }
    return end;
  }

  /** Moves one row down; at the lowest a new one begins. */
  #down(): void {
    this.#endBlanks();
    const next = this.#below.pop();
    if (next === undefined && this.#erased > 0) this.#erased--;
    this.#scrollback.add(this.#row, next === undefined);
    this.#row = next ?? new Row();
    this.#moved(1);
  }

  /** Moves to an empty line under everything. */
  #toFreeLine(): void {
    while (this.#below.length > 0) this.#down();
    if (!this.#row.blank || this.#row.given !== undefined) this.#down();
    this.#row = new Row();
    this.#column = atEnd;
  }

  #moved(rows: number): void {
    if (this.#fromTop !== undefined && this.#fromTop + rows > this.#lowest()) this.#scrollback.scrolled();
    if (this.#fromTop !== undefined) this.#fromTop = Math.min(this.#fromTop + rows, this.#lowest());
    if (this.#saved !== undefined) this.#saved.rows = Math.min(this.#saved.rows + rows, this.#options.rows - 1);
  }

  /** Returns the row of the screen that the cursor is in when all rows are in use. */
  #lowest(): number {
    return this.#options.rows - 1 - this.#below.length - this.#erased;
  }

  /** Checks whether a line end has to be counted. */
  #counting(): boolean {
    const lowest = this.#options.rows - 1;
    return (this.#fromTop ?? lowest) < lowest || (this.#saved?.rows ?? lowest) < lowest;
  }

  #within(column: number): number {
    return Math.max(0, Math.min(column, Math.max(this.#row.length, this.#options.columns - 1)));
  }
}
