import { isRepaint, withoutBlanks, withoutPadding, withoutPaddings } from "./layout.ts";
import type { LiveText, Moment } from "./live-text.ts";
import { newsOf, Row } from "./row.ts";

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

/** Units of whole lines that are kept as they are before those that can't change any more are given. */
const keptUnits = 65_536;

/**
 * The lines above the cursor, and what is given of the page. Lines that no cursor has gone back to are plain text, so that
 * ordinary output costs no more than copying it.
 *
 * From top to bottom: `#given` (final, to be given), `#held`, `#above`, `#tail`.
 */
export class Scrollback {
  readonly #options: ScreenOptions;
  /** Where a listener finds its news; undefined while nobody listens. */
  #live: LiveText | undefined;
  #given: string[] = [];
  /** The screen before the last {@link endScreen}, until it is plain whether the new one is the same painted anew. */
  #held: Row[] = [];
  /** Rows that the cursor has been in, or that were given already. */
  #above: Row[] = [];
  /** Whole lines under `#above` that are text only. */
  #tail = "";
  /** Something here may not have been given. */
  #isNew = false;
  /** All rows here belong to a screen that was wiped before, and that has not scrolled since. */
  #framed = false;
  /** The row given last was passed over and is blank. */
  #passed = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  addLines(lines: string): void {
    this.scrolled();
    this.#tail += this.#options.fold ? withoutPaddings(lines, this.#options.columns) : lines;
    this.#isNew = true;
  }

  /** Adds the row that the cursor leaves; `isLowest`: no row is under it. */
  add(row: Row, isLowest: boolean): void {
    this.#isNew = true;
    if (isLowest && row.ungiven && !row.passed) {
      this.#tail += `${this.#textOf(row)}\n`;
      return;
    }
    this.#openTail();
    this.#above.push(row);
    if (this.#above.length > this.#options.rows) this.#give(this.#above.shift() as Row);
  }

  /** Takes up to `most` of the lowest rows off, the lowest first. */
  takeRows(most: number): Row[] {
    this.#openTail();
    const count = Math.min(most, this.#above.length);
    return count <= 0 ? [] : this.#above.splice(-count).reverse();
  }

  /** Begins a new screen. When folding, only the last of screens that repeat each other stays. */
  endScreen(): void {
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

  /** Notes that more than a screen was written: it is no screen that could be painted anew. */
  scrolled(): void {
    this.#framed = false;
    this.#giveHeld();
  }

  /** Emits the front of a line that is too long to keep, and all above it; the line continues empty. */
  passOn(row: Row, front: string): void {
    this.scrolled();
    this.#giveAbove();
    if (this.#live !== undefined) {
      this.#openTail();
      for (const each of this.#above) this.#live.line({ row: each, text: this.#textOf(each), isComplete: true });
      this.#live.passOn(row, front);
    }
    this.#given.push(newsOf(row.given, front, false));
    row.given = { text: "", ended: false };
  }

  /** Sets the listener for page changes, which has all that was emitted so far; `undefined` removes it. */
  listen(live: LiveText | undefined, row: Row, below: readonly Row[]): void {
    this.#live = live;
    for (const each of [...this.#held, ...this.#above, row, ...below]) each.live = live && each.given;
  }

  /** Emits what is due to the listener. True when there is more. */
  giveLive(row: Row, below: readonly Row[], now: Moment): boolean {
    if (this.#live === undefined) return false;
    this.#openTail();
    const lines = this.#shown(row, below)
      .filter(([each]) => !this.#isPassed(each))
      .map(([each, isComplete]) => {
        return { row: each, text: isComplete ? this.#textOf(each) : withoutBlanks(each.text()), isComplete };
      });
    return this.#live.look(lines, this.#framed, now);
  }

  /** Returns what can't change any more and has not been given yet. */
  takeFinal(): string {
    if (this.#tail.length > keptUnits) this.#giveTail(this.#options.rows);
    return this.#takeGiven();
  }

  /** Returns all that has not been given yet, with the rows from the cursor's down. What was given stays, marked as such. */
  takeAll(row: Row, below: readonly Row[]): string {
    this.#endHeld(row, below);
    this.#giveAbove();
    for (const [each, end] of this.#shown(row, below).slice(this.#above.length)) {
      if (each !== row || end || row.text() !== "" || row.given !== undefined) this.#giveAndMark(each, end);
    }
    return this.#takeGiven();
  }

  /** Returns the rows that are shown, and whether each is a whole line. Blank lines under everything are left out. */
  #shown(row: Row, below: readonly Row[]): [row: Row, isComplete: boolean][] {
    const last = below.findIndex((each) => !each.blank);
    const isComplete = last >= 0 || (below.length > 0 && !row.blank);
    const shown = this.#above.map((each): [Row, boolean] => [each, true]);
    shown.push([row, isComplete]);
    for (let at = below.length - 1; at >= last && last >= 0; at--) shown.push([below[at] as Row, at > 0]);
    return shown;
  }

  /** Checks whether the cursor only passed it. */
  #isPassed(row: Row): boolean {
    return this.#options.fold && row.passed && row.blank;
  }

  #takeGiven(): string {
    const given = this.#given.join("");
    this.#given = [];
    return given;
  }

  #giveHeld(): void {
    const rows = this.#held;
    this.#held = [];
    for (const row of rows) this.#give(row);
  }

  /** Leaves the screen before out when this one shows as much and repeats it. */
  #endHeld(row: Row, below: readonly Row[]): void {
    if (this.#held.length === 0) return;
    this.#openTail();
    const before = this.#held.map(textOf).filter(hasText);
    const now = [...this.#above, row, ...below].map(textOf).filter(hasText);
    if (now.length * 2 >= before.length && isRepaint(before, now)) this.#held = [];
    else this.#giveHeld();
  }

  /** Emits what of the tail is above its last `lines` lines, and what is above that. */
  #giveTail(lines: number): void {
    let start = this.#tail.length;
    for (let n = 0; n < lines && start > 0; n++) start = start < 2 ? 0 : this.#tail.lastIndexOf("\n", start - 2) + 1;
    if (start === 0) return;
    this.scrolled();
    for (const row of this.#above) this.#give(row);
    this.#above = [];
    this.#given.push(this.#tail.slice(0, start));
    this.#live?.lines(this.#tail.slice(0, start));
    this.#tail = this.#tail.slice(start);
  }

  #openTail(): void {
    if (this.#tail === "") return;
    this.#giveTail(this.#options.rows);
    const lines = this.#tail.split("\n");
    this.#tail = "";
    for (const line of lines.slice(0, -1)) {
      const row = new Row(line);
      // As if its front had been passed on while it grew.
      while (row.size > this.#options.lineLimit) this.passOn(row, row.takeFront(this.#options.lineLimit));
      this.#above.push(row);
      this.#isNew = true;
    }
    while (this.#above.length > this.#options.rows) this.#give(this.#above.shift() as Row);
  }

  #giveAbove(): void {
    if (!this.#isNew) return;
    this.#openTail();
    for (const row of this.#above) this.#giveAndMark(row, true);
    this.#isNew = false;
  }

  #giveAndMark(row: Row, end: boolean): void {
    const text = this.#textOf(row);
    this.#push(row, text, end);
    row.given = { text, ended: end };
  }

  #give(row: Row): void {
    const text = this.#textOf(row);
    this.#push(row, text, true);
    if (!this.#isPassed(row)) this.#live?.line({ row, text, isComplete: true });
  }

  #push(row: Row, text: string, end: boolean): void {
    const news = newsOf(row.given, text, end);
    const passed = this.#isPassed(row);
    // Of many empty rows one is enough.
    if (news !== "" && !(passed && this.#passed)) this.#given.push(news);
    this.#passed = passed;
  }

  #textOf(row: Row): string {
    const text = row.text();
    return this.#options.fold && row.given === undefined ? withoutPadding(text, this.#options.columns) : text;
  }
}

const textOf = (row: Row): string => row.text();
const hasText = (text: string): boolean => text.trim() !== "";
