import { displayWidth } from "@toolglot/internal";

/** How a block of text is set. */
export interface WrapOptions {
  /** In front of every line. Its width must be given, since colours have none. */
  prefix: string;
  prefixWidth: number;
  /** In front of the first line instead, of the same width. */
  first?: string;
  /** Columns of the terminal. */
  width: number;
  paint(text: string): string;
  write(text: string): void;
}

interface Run {
  text: string;
  paint(text: string): string;
}

/**
 * Sets streamed text with a prefix on every line and breaks lines between words. A word is held back until it is known to
 * have ended; `end` lets go of the last one. Nothing is written before the first text comes.
 */
export class StreamWrap {
  readonly #options: WrapOptions;
  #column = 0;
  /** The word that has not ended, in runs of one look each. */
  #word: Run[] = [];
  #space = "";
  #lineOpen = false;
  #pendingBreaks = 0;
  #started = false;

  constructor(options: WrapOptions) {
    this.#options = options;
  }

  /** Whether anything was written. */
  get started(): boolean {
    return this.#started;
  }

  /** `paint`: how this text looks, by default as the block. */
  feed(text: string, paint: Run["paint"] = this.#options.paint): void {
    for (const piece of text.match(/\n|[^\S\n]+|[^\s]/gu) ?? []) {
      if (piece === "\n") {
        this.#flushWord();
        this.#space = "";
        // Line breaks at the very end are not shown, so they wait for what follows.
        if (this.#started) this.#pendingBreaks += 1;
      } else if (/^\s/.test(piece)) {
        this.#flushWord();
        this.#space += piece.replaceAll("\t", "    ");
      } else if (displayWidth(piece) > 1) {
        // Lines may break on both sides of a wide character.
        this.#flushWord();
        this.#word = [{ text: piece, paint }];
        this.#flushWord();
      } else {
        const last = this.#word.at(-1);
        if (last?.paint === paint) last.text += piece;
        else this.#word.push({ text: piece, paint });
      }
    }
  }

  /** Ends the block; the cursor is then at the start of a line. */
  end(): void {
    this.#flushWord();
    if (this.#lineOpen) this.#options.write("\n");
    this.#lineOpen = false;
    this.#pendingBreaks = 0;
  }

  #flushWord(): void {
    const [first, ...others] = this.#word;
    if (first === undefined) return;
    this.#word = [];
    for (; this.#pendingBreaks > 0; this.#pendingBreaks -= 1) this.#breakLine();
    const room = this.#options.width - this.#options.prefixWidth;
    const width = [first, ...others].reduce((sum, { text }) => sum + displayWidth(text), 0);
    if (this.#lineOpen && this.#column > 0 && this.#column + displayWidth(this.#space) + width > room) {
      this.#breakLine();
      this.#space = "";
    }
    if (!this.#lineOpen) this.#openLine();
    const runs = [{ ...first, text: this.#space + first.text }, ...others];
    this.#options.write(runs.map(({ text, paint }) => paint(text)).join(""));
    this.#column += displayWidth(this.#space) + width;
    this.#space = "";
    this.#started = true;
  }

  #openLine(): void {
    const { first, prefix } = this.#options;
    this.#options.write(this.#started ? prefix : (first ?? prefix));
    this.#lineOpen = true;
    this.#column = 0;
  }

  #breakLine(): void {
    if (!this.#lineOpen) this.#options.write(this.#options.prefix.trimEnd());
    this.#options.write("\n");
    this.#lineOpen = false;
    this.#column = 0;
  }
}

/** A text with its lines broken between words; what follows is indented as the line's beginning is. Without colours. */
export function wrapped(text: string, width: number): string {
  const lines = text.split("\n").map((line) => {
    const prefix = /^ */.exec(line)?.[0] ?? "";
    let set = "";
    const write = (part: string): void => {
      set += part;
    };
    const wrap = new StreamWrap({
      prefix,
      prefixWidth: prefix.length,
      width: Math.max(20, width),
      paint: (one) => one,
      write,
    });
    wrap.feed(line.slice(prefix.length));
    wrap.end();
    return set.replace(/\n$/, "");
  });
  return lines.join("\n");
}
