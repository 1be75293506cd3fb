import { isHighSurrogate } from "./char-width.ts";
import { ControlParser, type ControlTarget } from "./control-parser.ts";
import { moveCursor } from "./cursor.ts";
import { FullScreen, type ScreenView } from "./full-screen.ts";
import type { LiveText, Moment } from "./live-text.ts";
import { Screen } from "./screen.ts";
import type { ScreenOptions } from "./scrollback.ts";

/** The line that stands for what a program showed on the alternate screen. */
export const fullScreenNote = "[a full-screen program ran here; its screen is left out]";

/**
 * Makes of what a program wrote to a terminal the text that a person would have seen, as lines that end in LF: control
 * sequences are taken out, `\r`, backspace and the cursor's moves are carried out, progress is what it was at last.
 *
 * - The last 50 lines are a screen on which cursor-up and erasing work; what is above them is final and is given by
 *   {@link push}. {@link take} returns what is shown now. Lines are never wrapped.
 * - A line of over 4,096 UTF-16 units (or columns, once it was changed) is passed on in front parts of that size. What was passed
 *   on is final, and so are the lines above: `\r` goes back to where the rest begins.
 * - Erasing the whole screen (`clear`) keeps what was shown, and begins a new screen under it.
 * - The alternate screen (editors, pagers) is left out; {@link fullScreenNote} stands in its place. With `views`, it can be looked at while
 *   it is there, and the note comes after it.
 * - Wide characters take two columns, combining ones none. A sequence of emoji joined to one picture counts as its parts.
 *   Scroll regions, inserting and deleting whole lines, and insert mode are not carried out.
 *
 * With `fold`, what paints screens becomes its text: blanks that fill a row up to the edge are taken off, of rows that the cursor
 * was moved past one blank one is left, a screen's worth of blanks at a line's beginning erases the screen (what programs do on a terminal without
 * control sequences), and of erased screens that repeat each other but for numbers and bars only the last one is given.
 *
 * Any chunking results in the same text. Time is linear in the input, memory bounded. Blanks at the end of a line are
 * left out where something was overwritten or erased in it, since programs wipe with blanks.
 */
export class TextCleaner {
  #options: ScreenOptions;
  readonly #views: boolean;
  readonly #parser: ControlParser;
  #screen: Screen;
  /** The first half of a surrogate pair at a chunk's end. */
  #half = "";
  #alternate = false;
  /** The alternate screen, where it can be looked at. */
  #full: FullScreen | undefined;
  #applicationKeys = false;
  #live: LiveText | undefined;

  /**
   * `rows` × `columns`: the screen on which the cursor moves, default 50 × 200. `lineLimit`: default 4,096. `fold`: what is only
   * layout of a full-screen program is left out, default false. `views`: the alternate screen is kept to be looked at, default false.
   */
  constructor(options: { rows?: number; columns?: number; lineLimit?: number; fold?: boolean; views?: boolean } = {}) {
    const { rows = 50, columns = 200, lineLimit = 4096, fold = false, views = false } = options;
    this.#options = { rows, columns, lineLimit, fold };
    this.#views = views;
    this.#screen = new Screen(this.#options);
    this.#parser = new ControlParser(this.#target);
  }

  /** The line the cursor is in as a terminal shows it now, given already or not; of a long one, what was not passed on. */
  get pendingLine(): string {
    return this.#screen.line;
  }

  /** What the alternate screen shows, with `views` and while a program is in it. */
  get view(): ScreenView | undefined {
    return this.#full?.view;
  }

  /** A program has asked the terminal for other codes of the cursor keys: `ESC O A` for `ESC [ A`. */
  get applicationKeys(): boolean {
    return this.#applicationKeys;
  }

  /** Sets the size: of the alternate screen at once, of the page when it begins anew. */
  resize(columns: number, rows: number): void {
    this.#options = { ...this.#options, columns, rows };
    this.#full?.resize(rows, columns);
  }

  /** Takes the next output; returns text that can't change any more. It may hold back up to 64 Ki units more than it must. */
  push(text: string): string {
    let input = this.#half + text;
    this.#half = "";
    if (isHighSurrogate(input.charCodeAt(input.length - 1))) {
      this.#half = input.slice(-1);
      input = input.slice(0, -1);
    }
    this.#parser.feed(input);
    return this.#screen.takeFinal();
  }

  /** Returns what is shown and was not given yet, the unfinished line included. The screen stays; afterwards only news is given. */
  take(): string {
    return this.#screen.takeAll();
  }

  /** Returns what is shown and was not given yet; a control sequence without an end is dropped. The cleaner is then as a new one. */
  end(): string {
    if (this.#half !== "") {
      const half = this.#half;
      this.#half = "";
      if (this.#parser.isIdle && !this.#alternate) this.#screen.print(half);
    }
    this.#leave();
    this.giveLive({ time: 0, isSilent: true, isOver: true });
    const text = this.#screen.takeAll();
    this.#screen = new Screen(this.#options);
    this.#screen.listen(this.#live);
    this.#parser.reset();
    this.#applicationKeys = false;
    return text;
  }

  /** Prints a line of its own, between what was printed before and what comes. */
  note(text: string): void {
    this.#screen.note(text);
  }

  /** Sets the listener for page changes, which has all that was emitted so far; `undefined` removes it. */
  listen(live: LiveText | undefined): void {
    this.#live = live;
    this.#screen.listen(live);
  }

  /** Emits what is due to the listener. True when there is more. */
  giveLive(now: Moment): boolean {
    return this.#screen.giveLive(now);
  }

  /** Where the parts of the output go: to the alternate screen, if it is kept, or to the page, if it isn't there. */
  get #target(): ControlTarget {
    return {
      print: (text) => {
        if (this.#alternate) this.#full?.print(text);
        else this.#screen.print(text);
      },
      control: (unit) => {
        if (this.#alternate) this.#full?.control(unit);
        else control(this.#screen, unit);
      },
      escape: (intermediates, final) => {
        if (intermediates === "" && final === "c") this.#reset();
        else if (this.#alternate) this.#full?.escape(intermediates, final);
        else if (intermediates === "") single(this.#screen, final);
      },
      sequence: (parameters, final) => {
        if (final === "h" || final === "l") this.#switch(parameters, final === "h");
        else if (this.#alternate) this.#full?.sequence(parameters, final);
        else moveCursor(this.#screen, parameters, final);
      },
    };
  }

  #reset(): void {
    this.#leave();
    this.#applicationKeys = false;
    this.#screen.clear();
  }

  /** Switches modes: those of the terminal itself begin with `?`. */
  #switch(parameters: string, on: boolean): void {
    const isOwn = parameters.startsWith("?");
    const modes = (isOwn ? parameters.slice(1) : parameters).split(";");
    for (const mode of modes) this.#full?.mode(isOwn ? `?${mode}` : mode, on);
    if (!isOwn) return;
    if (modes.includes("1")) this.#applicationKeys = on;
    if (on === this.#alternate || !modes.some((mode) => mode === "1049" || mode === "1047" || mode === "47")) return;
    if (!on) {
      this.#leave();
      return;
    }
    this.#alternate = true;
    if (this.#views) this.#full = new FullScreen(this.#options.rows, this.#options.columns);
    else this.#screen.note(fullScreenNote);
  }

  #leave(): void {
    this.#alternate = false;
    if (this.#full !== undefined) this.#screen.note(fullScreenNote);
    this.#full = undefined;
  }
}

function control(screen: Screen, unit: number): void {
  if (unit === 0x0d) screen.carriageReturn();
  else if (unit === 0x08) screen.moveBy(-1);
  else if (unit === 0x0b || unit === 0x0c || unit === 0x84 || unit === 0x85) screen.lineFeed();
  else if (unit === 0x8d) screen.up(1);
}

function single(screen: Screen, final: string): void {
  if (final === "7") screen.save();
  else if (final === "8") screen.restore();
  else if (final === "D" || final === "E") screen.lineFeed();
  else if (final === "M") screen.up(1);
}
