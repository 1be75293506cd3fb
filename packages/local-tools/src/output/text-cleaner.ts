import { isHighSurrogate } from "./char-width.ts";
import { moveCursor } from "./cursor.ts";
import type { LiveText } from "./live-text.ts";
import { Screen } from "./screen.ts";
import type { ScreenOptions } from "./scrollback.ts";

/** The line that stands for what a program showed on the alternate screen. */
export const fullScreenNote = "[a full-screen program ran here; its screen is left out]";

/** UTF-16 units after which a control sequence without an end is dropped and text goes on. */
const longestParameters = 256;
const longestString = 65_536;
const mostIntermediates = 16;

const states = { ground: 0, escape: 1, escapeIntermediate: 2, csi: 3, osc: 4, string: 5, stringEscape: 6 } as const;
type State = (typeof states)[keyof typeof states];

/** What is not plain text: all controls but tab, LF, and a CR before an LF. Whole colour sequences, for speed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const control = /\u001b\[[0-9;:]{0,64}m|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g;
/** What ends a control string, or breaks it off; in an operating system command a line end as well. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const oscEnd = /[\u0007\n\r\u0018\u001a\u001b\u009c]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const stringEnd = /[\u0018\u001a\u001b\u009c]/g;

/**
 * Makes of what a program wrote to a terminal the text that a person would have seen, as lines that end in LF: control
 * sequences are taken out, `\r`, backspace and the cursor's moves are carried out, progress is what it was at last.
 *
 * - The last 50 lines are a screen on which cursor-up and erasing work; what is above them is final and is given by
 *   {@link push}. {@link take} gives what is shown now. Lines are never wrapped.
 * - A line of over 4,096 UTF-16 units (or columns, once it was changed) is passed on in front parts of that size. What was passed
 *   on is final, and so are the lines above: `\r` goes back to where the rest begins.
 * - Erasing the whole screen (`clear`) keeps what was shown, and begins a new screen under it.
 * - The alternate screen (editors, pagers) is left out; {@link fullScreenNote} stands in its place.
 * - Wide characters take two columns, combining ones none. A sequence of emoji joined to one picture counts as its parts.
 *   Scroll regions, inserting and deleting whole lines, and insert mode are not carried out.
 * - A control sequence without an end is dropped up to the first character that can't belong to it: a string such as a title
 *   at its line's end, others after 65,536 units.
 *
 * With `fold`, what paints screens becomes its text: blanks that fill a row up to the edge are taken off, of rows that the cursor
 * was moved past one blank one is left, a screen's worth of blanks at a line's beginning erases the screen (what programs do on a terminal without
 * control sequences), and of erased screens that repeat each other but for numbers and bars only the last one is given.
 *
 * Any chunking gives the same text. Time is linear in the input, memory bounded. Blanks at the end of a line are
 * left out where something was overwritten or erased in it, since programs wipe with blanks.
 */
export class TextCleaner {
  readonly #options: ScreenOptions;
  #screen: Screen;
  #state: State = states.ground;
  /** The first half of a surrogate pair at a chunk's end. */
  #half = "";
  #parameters = "";
  /** Units of a control string, or intermediates of an escape sequence, that have gone by. */
  #passed = 0;
  #alternate = false;
  #live: LiveText | undefined;

  /**
   * `rows` × `columns`: the screen on which the cursor moves, default 50 × 200. `lineLimit`: default 4,096. `fold`: what is only
   * layout of a full-screen program is left out, default false.
   */
  constructor(options: { rows?: number; columns?: number; lineLimit?: number; fold?: boolean } = {}) {
    const { rows = 50, columns = 200, lineLimit = 4096, fold = false } = options;
    for (const [name, value] of Object.entries({ rows, columns })) {
      if (!Number.isInteger(value) || value < 1) throw new TypeError(`${name} must be a positive whole number`);
    }
    if (!Number.isInteger(lineLimit) || lineLimit < 2)
      throw new TypeError("lineLimit must be a whole number, 2 or more");
    this.#options = { rows, columns, lineLimit, fold };
    this.#screen = new Screen(this.#options);
  }

  /** The line the cursor is in as a terminal shows it now, given already or not; of a long one, what was not passed on. */
  get pendingLine(): string {
    return this.#screen.line;
  }

  /** Takes the next output; gives text that can't change any more. It may hold back up to 64 Ki units more than it must. */
  push(text: string): string {
    let input = this.#half + text;
    this.#half = "";
    if (isHighSurrogate(input.charCodeAt(input.length - 1))) {
      this.#half = input.slice(-1);
      input = input.slice(0, -1);
    }
    let at = 0;
    while (at < input.length) at = this.#next(input, at);
    return this.#screen.takeFinal();
  }

  /**
   * What is shown and was not given yet, the unfinished line included: for a report while a program still runs. The screen
   * stays, and afterwards only news is given: the rest of a line that has grown, the whole of one that has changed.
   */
  take(): string {
    return this.#screen.takeAll();
  }

  /** What is shown and was not given yet; a control sequence without an end is dropped. The cleaner is then as a new one. */
  end(): string {
    if (this.#half !== "") {
      const half = this.#half;
      this.#half = "";
      if (this.#state === states.ground && !this.#alternate) this.#screen.print(half);
    }
    this.#screen.giveLive({ time: 0, isSilent: true, isOver: true });
    const text = this.#screen.takeAll();
    this.#screen = new Screen(this.#options);
    this.#screen.listen(this.#live);
    this.#state = states.ground;
    this.#alternate = false;
    return text;
  }

  /** A line of its own, between what was printed before and what comes. */
  note(text: string): void {
    this.#screen.note(text);
  }

  /** Somebody listens from now on, who has all that was given so far; undefined: nobody does. */
  listen(live: LiveText | undefined): void {
    this.#live = live;
    this.#screen.listen(live);
  }

  /** Gives the listener what is due at this time, in milliseconds; in silence, an unfinished line, too. True when there is more. */
  giveLive(time: number, isSilent: boolean): boolean {
    return this.#screen.giveLive({ time, isSilent, isOver: false });
  }

  /** Goes on from `at`; gives where it has come to. */
  #next(input: string, at: number): number {
    switch (this.#state) {
      case states.ground:
        return this.#ground(input, at);
      case states.escape:
        return this.#escape(input, at);
      case states.escapeIntermediate: {
        const unit = input.charCodeAt(at);
        if (unit >= 0x20 && unit <= 0x2f && ++this.#passed < mostIntermediates) return at + 1;
        this.#state = states.ground;
        return unit >= 0x30 && unit <= 0x7e ? at + 1 : at;
      }
      case states.csi:
        return this.#csi(input, at);
      case states.osc:
        return this.#string(input, at, oscEnd);
      case states.string:
        return this.#string(input, at, stringEnd);
      case states.stringEscape:
        this.#state = input[at] === "\\" ? states.ground : states.escape;
        return this.#state === states.ground ? at + 1 : at;
    }
  }

  #ground(input: string, from: number): number {
    control.lastIndex = from;
    let text = "";
    let at = from;
    let found = input.length;
    while (control.test(input)) {
      const end = control.lastIndex;
      found = input.charCodeAt(end - 1) === 0x6d ? input.lastIndexOf("\u001b", end - 2) : end - 1;
      text += input.slice(at, found);
      at = end;
      if (end - found === 1) break;
      found = input.length;
    }
    if (found === input.length) text = at === 0 ? input : text + input.slice(at);
    if (text !== "" && !this.#alternate) this.#screen.print(text);
    if (found === input.length) return found;
    const unit = input.charCodeAt(found);
    if (unit === 0x1b) this.#state = states.escape;
    else if (unit >= 0x90) this.#control1(unit);
    else if (!this.#alternate) this.#control0(unit);
    return found + 1;
  }

  #control0(unit: number): void {
    const screen = this.#screen;
    if (unit === 0x0d) screen.carriageReturn();
    else if (unit === 0x08) screen.moveBy(-1);
    else if (unit === 0x0b || unit === 0x0c || unit === 0x84 || unit === 0x85) screen.lineFeed();
    else if (unit === 0x8d) screen.up(1);
  }

  /** Begins a sequence with an 8-bit introducer. */
  #control1(unit: number): void {
    this.#parameters = "";
    this.#passed = 0;
    if (unit === 0x9b) this.#state = states.csi;
    else if (unit === 0x9d) this.#state = states.osc;
    else if (unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f) this.#state = states.string;
  }

  #escape(input: string, at: number): number {
    const unit = input.charCodeAt(at);
    this.#state = states.ground;
    if (unit === 0x1b) this.#state = states.escape;
    else if (unit >= 0x20 && unit <= 0x2f) {
      this.#state = states.escapeIntermediate;
      this.#passed = 0;
    } else if (unit === 0x5b || unit === 0x5d || unit === 0x50 || unit === 0x58 || unit === 0x5e || unit === 0x5f) {
      this.#control1(unit + 0x40);
    } else if (unit < 0x20 || unit > 0x7e) return at;
    else if (unit === 0x63) {
      this.#alternate = false;
      this.#screen.clear();
    } else if (!this.#alternate) this.#single(unit);
    return at + 1;
  }

  /** `ESC` and one character. */
  #single(unit: number): void {
    const screen = this.#screen;
    if (unit === 0x37) screen.save();
    else if (unit === 0x38) screen.restore();
    else if (unit === 0x44 || unit === 0x45) screen.lineFeed();
    else if (unit === 0x4d) screen.up(1);
  }

  #csi(input: string, at: number): number {
    const most = at + longestParameters - this.#parameters.length;
    let end = at;
    while (end < input.length && end < most && isParameter(input.charCodeAt(end))) end++;
    if (end === input.length && end < most) {
      this.#parameters += input.slice(at);
      return end;
    }
    this.#state = states.ground;
    const final = input.charCodeAt(end);
    if (end === most || final < 0x40 || final > 0x7e) return end;
    if (final !== 0x6d) this.#carryOut(this.#parameters + input.slice(at, end), final);
    return end + 1;
  }

  #string(input: string, at: number, ends: RegExp): number {
    const most = at + longestString - this.#passed;
    ends.lastIndex = at;
    const found = ends.test(input) ? ends.lastIndex - 1 : input.length;
    if (found >= most) {
      this.#state = states.ground;
      return most;
    }
    this.#passed += found - at;
    if (found === input.length) return found;
    const unit = input.charCodeAt(found);
    this.#state = unit === 0x1b ? states.stringEscape : states.ground;
    return unit === 0x0a || unit === 0x0d ? found : found + 1;
  }

  /** A whole control sequence. */
  #carryOut(parameters: string, final: number): void {
    if (!parameters.startsWith("?")) {
      if (!this.#alternate) moveCursor(this.#screen, parameters, String.fromCharCode(final));
    } else if (final === 0x68 || final === 0x6c) this.#mode(parameters.slice(1).split(";"), final === 0x68);
  }

  #mode(modes: readonly string[], on: boolean): void {
    if (on === this.#alternate || !modes.some((mode) => mode === "1049" || mode === "1047" || mode === "47")) return;
    this.#alternate = on;
    if (on) this.#screen.note(fullScreenNote);
  }
}

function isParameter(unit: number): boolean {
  return unit >= 0x20 && unit <= 0x3f;
}
