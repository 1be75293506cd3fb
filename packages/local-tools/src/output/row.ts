import { columnsOf, isHighSurrogate } from "./char-width.ts";

/** The cell of what a tab or a wide character takes beyond its first column. */
const rest = 0xffff_ffff;
/** Cells from here on are a number in the table of characters that have others joined to them. */
const joined = 0x8000_0000;
const space = 0x20;
const tab = 0x09;

/**
 * One line of a screen. While it only grows at its end it is a string; at the first change elsewhere it becomes cells, one
 * for each column, which cost the same to change wherever they are.
 */
export class Row {
  /** What was given of this line before; undefined for nothing. */
  given: string | undefined;
  /** With `given`: whether the line's end was given, too. */
  endGiven = false;
  /** The cursor was moved past it to a place on the screen. */
  passed = false;
  #text: string;
  #cells: Uint32Array | undefined;
  /** Cells in use. */
  #length = 0;
  /** Characters with others joined to them, and which places of this table are free again. */
  readonly #joined: string[] = [];
  readonly #free: number[] = [];
  /** UTF-16 units in `#joined`. */
  #joinedUnits = 0;
  /** There are tabs, or cells that are no code point. */
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

  /** Columns in use, of a row that is cells. */
  get length(): number {
    return this.#length;
  }

  /** What bounds its memory: units of a string, or cells and the units joined to them. */
  get size(): number {
    return this.#cells === undefined ? this.#text.length : this.#length + this.#joinedUnits;
  }

  /** A string with nothing in it. */
  get empty(): boolean {
    return this.#cells === undefined && this.#text === "";
  }

  /** Nothing can be seen of it. */
  get blank(): boolean {
    return this.text().trim() === "";
  }

  /** Appends to a row that is a string. */
  append(text: string): void {
    this.#text = this.#text === "" ? text : this.#text + text;
  }

  /** Takes the first `units` off a row that is a string, or one less, not to cut a surrogate pair; gives them. */
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

  /** Makes cells of a string: an empty row of cells, and the text to write to it. */
  open(): string {
    const text = this.#text;
    this.#text = "";
    this.#cells = new Uint32Array(Math.max(128, text.length + 16));
    return text;
  }

  /** The line as shown. Blanks at the end are left out where something was wiped. */
  text(): string {
    const cells = this.#cells;
    if (cells === undefined) return this.#text;
    let end = this.#length;
    if (this.#wiped) while (end > 0 && cells[end - 1] === space) end--;
    if (this.#special) return this.#specialText(cells, end);
    let text = "";
    for (let at = 0; at < end; at += 4096) {
      text += String.fromCodePoint(...cells.subarray(at, Math.min(end, at + 4096)));
    }
    return text;
  }

  /**
   * Writes characters at a column, over what is there; gives the column after them. Stops before the row would be larger
   * than `limit` and gives how many units of `text` were written.
   */
  write(text: string, from: number, column: number, limit: number): { column: number; to: number } {
    let at = from;
    let col = column;
    while (at < text.length && col < limit && this.size < limit) {
      const unit = text.charCodeAt(at);
      if (unit < 0x300 && unit !== tab) {
        if (this.#special) {
          this.#put(col++, unit);
          at++;
        } else {
          const to = this.#putRun(text, at, col, limit);
          col += to - at;
          at = to;
        }
        continue;
      }
      if (unit === tab) {
        col = this.#tab(col);
        at++;
        continue;
      }
      const codePoint = text.codePointAt(at) as number;
      const width = columnsOf(codePoint);
      if (width === 0 && col > 0) this.#join(col - 1, codePoint);
      else {
        this.#put(col++, codePoint);
        if (width === 2) this.#rest(col++);
      }
      at += codePoint > 0xffff ? 2 : 1;
    }
    return { column: col, to: at };
  }

  /** Erases from a column to the end. */
  eraseFrom(column: number): void {
    if (column >= this.#length) return;
    this.#split(column);
    this.#unjoin(column, this.#length);
    this.#length = column;
    this.#wiped = true;
  }

  /** Blanks the columns from `start` up to, not with, `end`. */
  erase(start: number, end: number): void {
    const to = Math.min(end, this.#length);
    if (to <= start) return;
    if (to === this.#length) {
      this.eraseFrom(start);
      return;
    }
    this.#split(start);
    this.#split(to);
    this.#unjoin(start, to);
    (this.#cells as Uint32Array).fill(space, start, to);
    this.#wiped = true;
  }

  /** Takes out columns; what is right of them moves left. */
  remove(column: number, count: number): void {
    const to = Math.min(column + count, this.#length);
    if (to <= column) return;
    this.#spread(column);
    this.#split(to);
    this.#unjoin(column, to);
    (this.#cells as Uint32Array).copyWithin(column, to, this.#length);
    this.#length -= to - column;
    this.#wiped = true;
  }

  /** Puts in blank columns; what is right of them moves right, and beyond `limit` is lost. */
  insert(column: number, count: number, limit: number): void {
    if (column >= this.#length || column >= limit) return;
    const by = Math.min(count, limit - column);
    this.#spread(column);
    this.eraseFrom(limit - by);
    const length = this.#length;
    this.#grow(length + by);
    const cells = this.#cells as Uint32Array;
    cells.copyWithin(column + by, column, length);
    cells.fill(space, column, column + by);
    this.#length = length + by;
    this.#wiped = true;
  }

  #specialText(cells: Uint32Array, end: number): string {
    const parts: string[] = [];
    for (let at = 0; at < end; at++) {
      const cell = cells[at] as number;
      if (cell < joined) parts.push(String.fromCodePoint(cell));
      else if (cell !== rest) parts.push(this.#joined[cell - joined] as string);
    }
    return parts.join("");
  }

  /** Writes simple characters where all are simple; gives how far in `text` it came. */
  #putRun(text: string, from: number, column: number, limit: number): number {
    if (column < this.#length) this.#wiped = true;
    const most = Math.min(text.length, from + limit - column);
    this.#grow(column + most - from);
    const cells = this.#cells as Uint32Array;
    if (column > this.#length) cells.fill(space, this.#length, column);
    let at = from;
    for (let col = column; at < most; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x300 || unit === tab) break;
      cells[col++] = unit;
    }
    this.#length = Math.max(this.#length, column + at - from);
    return at;
  }

  #put(column: number, codePoint: number): void {
    if (column < this.#length) {
      if (this.#special) {
        this.#split(column);
        this.#split(column + 1);
        this.#unjoin(column, column + 1);
      }
      this.#wiped = true;
    } else this.#reach(column);
    (this.#cells as Uint32Array)[column] = codePoint;
  }

  /** The right half of a wide character. */
  #rest(column: number): void {
    this.#put(column, rest);
    this.#special = true;
  }

  /** At the end of the line a tab is kept as one; inside it only moves the cursor. */
  #tab(column: number): number {
    const next = column - (column % 8) + 8;
    if (column < this.#length) return next;
    this.#put(column, tab);
    this.#special = true;
    for (let at = column + 1; at < next; at++) this.#rest(at);
    return next;
  }

  /** Joins a combining character to the one at or before a column. */
  #join(column: number, codePoint: number): void {
    this.#reach(column);
    const cells = this.#cells as Uint32Array;
    let at = column;
    while (cells[at] === rest) at--;
    const cell = cells[at] as number;
    const mark = String.fromCodePoint(codePoint);
    this.#special = true;
    if (cell >= joined) {
      this.#joined[cell - joined] += mark;
      this.#joinedUnits += mark.length;
      return;
    }
    const character = String.fromCodePoint(cell) + mark;
    const place = this.#free.pop() ?? this.#joined.length;
    this.#joined[place] = character;
    this.#joinedUnits += character.length;
    cells[at] = joined + place;
  }

  /** Gives up what cells from `start` up to `end` have in the table. */
  #unjoin(start: number, end: number): void {
    if (this.#joinedUnits === 0) return;
    const cells = this.#cells as Uint32Array;
    for (let at = start; at < end; at++) {
      const cell = cells[at] as number;
      if (cell < joined || cell === rest) continue;
      const place = cell - joined;
      this.#joinedUnits -= (this.#joined[place] as string).length;
      this.#joined[place] = "";
      this.#free.push(place);
    }
  }

  /**
   * Before what is at and right of a column is moved: tabs become blanks, since their next stop is another one then, and so
   * does a mark that stands alone, since it would join what comes before it.
   */
  #spread(column: number): void {
    this.#split(column);
    const cells = this.#cells as Uint32Array;
    for (let at = column; at < this.#length; at++) {
      const first = this.#firstOf(cells[at] as number);
      if (first !== tab && (at > 0 || columnsOf(first) > 0)) {
        if (!this.#special) return;
        continue;
      }
      this.#unjoin(at, at + 1);
      cells[at] = space;
      while (at + 1 < this.#length && cells[at + 1] === rest) cells[++at] = space;
    }
  }

  /** The code point of a cell, the first where others are joined to it. */
  #firstOf(cell: number): number {
    return cell < joined || cell === rest ? cell : ((this.#joined[cell - joined] as string).codePointAt(0) as number);
  }

  /** Makes `column` a border between characters: a tab or wide character that lies across it becomes blanks. */
  #split(column: number): void {
    const cells = this.#cells as Uint32Array;
    if (!this.#special || column >= this.#length || cells[column] !== rest) return;
    let start = column;
    while (cells[start] === rest) start--;
    let end = column;
    while (end < this.#length && cells[end] === rest) end++;
    this.#unjoin(start, start + 1);
    cells.fill(space, start, end);
  }

  /** Makes the row reach a column; what is between was never written and is blank. */
  #reach(column: number): void {
    if (column < this.#length) return;
    this.#grow(column + 1);
    (this.#cells as Uint32Array).fill(space, this.#length, column + 1);
    this.#length = column + 1;
  }

  #grow(length: number): void {
    const cells = this.#cells as Uint32Array;
    if (length <= cells.length) return;
    this.#cells = new Uint32Array(Math.max(length, cells.length * 2));
    this.#cells.set(cells);
  }
}
