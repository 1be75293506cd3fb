import { columnsOf, isHighSurrogate } from "./char-width.ts";

/** What was emitted of a line: its text, and whether the line's end. */
interface Mark {
  text: string;
  ended: boolean;
}

/** Returns what is new of a line of which something may have been emitted before. */
export function newsOf(mark: Mark | undefined, text: string, end: boolean): string {
  const lineEnd = end ? "\n" : "";
  if (mark === undefined) return text + lineEnd;
  if (mark.ended) return mark.text === text ? "" : text + lineEnd;
  return (text.startsWith(mark.text) ? text.slice(mark.text.length) : text) + lineEnd;
}

/** The cell of what a tab or a wide character takes beyond its first column. */
const rest = "";
const tab = 0x09;

/** One line of a screen: a string while it only grows at its end; from the first change elsewhere on, cells, one for each column. */
export class Row {
  /** What results have of this line; undefined for nothing. */
  given: Mark | undefined;
  /** What a listener has of this line. */
  live: Mark | undefined;
  /** The cursor was moved past it to a place on the screen. */
  passed = false;
  #text: string;
  #cells: string[] | undefined;
  /** UTF-16 units of cells that have marks joined to them. */
  #joinedUnits = 0;
  /** There are or were tabs, wide characters or joined marks: what is overwritten may have to be split. */
  #special = false;
  /** Something was overwritten or erased: blanks at the end are what a program wiped with. */
  #wiped = false;

  constructor(text = "") {
    this.#text = text;
  }

  /** It has never been more than a string. */
  get plain(): boolean {
    return this.#cells === undefined;
  }

  /** Nothing of it was given to anybody. */
  get ungiven(): boolean {
    return this.given === undefined && this.live === undefined;
  }

  /** Columns in use, of a row that is cells. */
  get length(): number {
    return this.#cells?.length ?? 0;
  }

  /** What bounds its memory: units of a string, or cells and the units joined to them. */
  get size(): number {
    return this.#cells === undefined ? this.#text.length : this.#cells.length + this.#joinedUnits;
  }

  /** A string with nothing in it. */
  get empty(): boolean {
    return this.#cells === undefined && this.#text === "";
  }

  get blank(): boolean {
    return this.text().trim() === "";
  }

  append(text: string): void {
    this.#text = this.#text === "" ? text : this.#text + text;
  }

  /** Takes the first `units` off a row that is a string, or one less, not to cut a surrogate pair; returns them. */
  takeFront(units: number): string {
    const to = isHighSurrogate(this.#text.charCodeAt(units - 1)) ? units - 1 : units;
    const front = this.#text.slice(0, to);
    this.#text = this.#text.slice(to);
    return front;
  }

  /** Empties it; what was given of it is remembered. */
  clear(): void {
    this.#text = "";
    if (this.#cells !== undefined) this.eraseFrom(0);
  }

  /** Creates cells of a string: an empty row of cells, and the text to write to it. */
  open(): string {
    const text = this.#text;
    this.#text = "";
    this.#cells = [];
    return text;
  }

  /** Returns the line as shown. Blanks at the end are left out where something was wiped. */
  text(): string {
    const cells = this.#cells;
    if (cells === undefined) return this.#text;
    let end = cells.length;
    if (this.#wiped) while (end > 0 && cells[end - 1] === " ") end--;
    return cells.slice(0, end).join("");
  }

  /** Writes characters at a column; returns the column after them, and how many units of `text` there was room for below `limit`. */
  write(text: string, from: number, column: number, limit: number): { column: number; to: number } {
    let at = from;
    let col = column;
    while (at < text.length && col < limit && this.size < limit) {
      const runEnd = this.#special ? at : this.#writeRun(text, at, col, limit);
      if (runEnd > at) {
        col += runEnd - at;
        at = runEnd;
        continue;
      }
      const codePoint = text.codePointAt(at) as number;
      const character = String.fromCodePoint(codePoint);
      const width = columnsOf(codePoint);
      if (codePoint === tab || width !== 1) this.#special = true;
      if (codePoint === tab) col = this.#tab(col);
      else if (width === 0 && col > 0) this.#join(col - 1, character);
      else {
        this.#put(col++, character);
        if (width === 2) this.#put(col++, rest);
      }
      at += character.length;
    }
    return { column: col, to: at };
  }

  eraseFrom(column: number): void {
    if (column >= this.length) return;
    this.#split(column);
    this.#unjoin(column, this.length);
    this.#all.length = column;
    this.#wiped = true;
  }

  /** Blanks the columns from `start` up to, not with, `end`. */
  erase(start: number, end: number): void {
    const to = Math.min(end, this.length);
    if (to <= start) return;
    if (to === this.length) {
      this.eraseFrom(start);
      return;
    }
    this.#split(start);
    this.#split(to);
    this.#unjoin(start, to);
    this.#all.fill(" ", start, to);
    this.#wiped = true;
  }

  /** Takes out columns; what is right of them moves left. */
  remove(column: number, count: number): void {
    const to = Math.min(column + count, this.length);
    if (to <= column) return;
    this.#spread(column);
    this.#split(to);
    this.#unjoin(column, to);
    this.#all.splice(column, to - column);
    this.#wiped = true;
  }

  /** Puts in blank columns; what is right of them moves right, and beyond `limit` is lost. */
  insert(column: number, count: number, limit: number): void {
    if (column >= this.length || column >= limit) return;
    const by = Math.min(count, limit - column);
    this.#spread(column);
    this.eraseFrom(limit - by);
    this.#all.splice(column, 0, ...new Array<string>(by).fill(" "));
    this.#wiped = true;
  }

  /** Writes characters below U+0300 but tabs, one a column; returns the index of the first other one, or of what lies beyond `limit`. */
  #writeRun(text: string, from: number, column: number, limit: number): number {
    const cells = this.#all;
    const length = cells.length;
    this.#reach(column - 1);
    const most = Math.min(text.length, from + limit - column);
    let at = from;
    for (let col = column; at < most; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x300 || unit === tab) break;
      cells[col++] = text.charAt(at);
    }
    if (at > from && column < length) this.#wiped = true;
    return at;
  }

  /** The cells of a row that is no string any more. */
  get #all(): string[] {
    return this.#cells as string[];
  }

  #put(column: number, cell: string): void {
    if (column < this.length) {
      this.#split(column);
      this.#split(column + 1);
      this.#unjoin(column, column + 1);
      this.#wiped = true;
    } else this.#reach(column);
    this.#all[column] = cell;
  }

  /** At the end of the line a tab is kept as one; inside it only moves the cursor. */
  #tab(column: number): number {
    const next = column - (column % 8) + 8;
    if (column < this.length) return next;
    this.#put(column, "\t");
    for (let at = column + 1; at < next; at++) this.#put(at, rest);
    return next;
  }

  /** Joins a combining character to the one at or before a column. */
  #join(column: number, mark: string): void {
    this.#reach(column);
    let at = column;
    while (this.#all[at] === rest) at--;
    const cell = this.#all[at] as string;
    this.#joinedUnits += mark.length + (isJoined(cell) ? 0 : cell.length);
    this.#all[at] = cell + mark;
  }

  /** Stops counting the cells from `start` up to `end`, which are about to be replaced. */
  #unjoin(start: number, end: number): void {
    if (this.#joinedUnits === 0) return;
    for (const cell of this.#all.slice(start, end)) if (isJoined(cell)) this.#joinedUnits -= cell.length;
  }

  /** Before what is right of a column moves: tabs, which get other stops, and marks that stand alone, which would join others, become blanks. */
  #spread(column: number): void {
    this.#split(column);
    const cells = this.#all;
    for (let at = column; at < cells.length; at++) {
      const first = cells[at]?.codePointAt(0);
      if (first === undefined || (first !== tab && (at > 0 || columnsOf(first) > 0))) continue;
      this.#unjoin(at, at + 1);
      cells[at] = " ";
      while (cells[at + 1] === rest) cells[++at] = " ";
    }
  }

  /** Makes `column` a border between characters: a tab or wide character that lies across it becomes blanks. */
  #split(column: number): void {
    const cells = this.#all;
    if (cells[column] !== rest) return;
    let start = column;
    while (cells[start] === rest) start--;
    let end = column;
    while (cells[end] === rest) end++;
    this.#unjoin(start, start + 1);
    cells.fill(" ", start, end);
  }

  /** Makes the row reach a column; what is between was never written and is blank. */
  #reach(column: number): void {
    while (this.length <= column) this.#all.push(" ");
  }
}

/** Checks whether marks are joined to a cell's character. */
function isJoined(cell: string): boolean {
  return cell.length > ((cell.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
}
