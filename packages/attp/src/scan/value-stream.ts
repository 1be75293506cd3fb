import type { Source } from "@toolglot/core/text";
import { isInvisible, isSeen, lineEnd, withoutInvisible } from "@toolglot/internal";
import type { Entry, ReaderOptions } from "./entry.ts";
import type { Field } from "./patterns.ts";

type StreamOptions = Pick<ReaderOptions, "indent" | "allows" | "emit">;

/**
 * Emits a multi-line string while it comes in: the text as TOML would read it, as far as no continuation can change it.
 * What waits here comes in one delta when the document ends.
 */
export class ValueStream {
  /** Units given out. */
  sent = 0;
  readonly #entry: Entry;
  readonly #options: StreamOptions;
  /** Offset up to which the body was taken. */
  #taken: number;
  #open: boolean;
  #limit: number = Infinity;
  #fresh = true;
  #carriageReturn = false;
  /** White space still to take off the current line. */
  #strip = 0;
  /** Blank text before the first character, which decides about the rest. */
  #lead: string | undefined;
  #leadAtLineStart = true;
  #held = "";

  constructor(entry: Entry, streams: boolean, options: StreamOptions) {
    this.#entry = entry;
    this.#options = options;
    this.#open = streams;
    this.#taken = entry.bodyStart;
    if (entry.field === "code") this.#lead = "";
  }

  /** Nothing from this offset on is given out: only the whole value shows how it is read. */
  stopAt(offset: number): void {
    this.#limit = Math.min(this.#limit, offset);
  }

  /** Moves the beginning of the body, which is later than it seemed. */
  startAt(offset: number): void {
    this.#taken = offset;
  }

  /** Emits the body up to an offset. */
  pass(source: Source, end: number): void {
    end = Math.min(end, this.#limit);
    if (!this.#open || end <= this.#taken) return;
    const text = this.#decode(source.slice(this.#taken, end));
    this.#taken = end;
    if (this.#lead === undefined) this.#send(text);
    else this.#decide(text);
  }

  #decode(raw: string): string {
    let text = this.#carriageReturn ? `\r${raw}` : raw;
    this.#carriageReturn = text.endsWith("\r");
    if (this.#carriageReturn) text = text.slice(0, -1);
    if (text.includes("\r")) text = text.replaceAll("\r\n", "\n");
    if (this.#fresh && text !== "") {
      this.#fresh = false;
      if (text.startsWith("\n")) {
        text = text.slice(1);
        this.#strip = this.#options.indent;
      }
    }
    return this.#options.indent > 0 ? this.#unindent(text) : text;
  }

  #unindent(text: string): string {
    const parts: string[] = [];
    for (let at = 0; at < text.length; ) {
      while (this.#strip > 0 && at < text.length && (text[at] === " " || text[at] === "\t")) {
        this.#strip -= 1;
        at += 1;
      }
      if (at >= text.length) break;
      const end = lineEnd(text, at) + 1;
      parts.push(text.slice(at, end));
      this.#strip = end > text.length ? 0 : this.#options.indent;
      at = end;
    }
    return parts.join("");
  }

  #decide(text: string): void {
    let first = 0;
    while (first < text.length && !isSeen(text.charCodeAt(first))) first += 1;
    if (first === text.length) {
      if (text !== "") this.#leadAtLineStart = text.endsWith("\n");
      this.#lead += text;
      return;
    }
    const flush = first > 0 ? text[first - 1] === "\n" : this.#leadAtLineStart;
    const wrapped = text[first] === "`" || text[first] === "~";
    const { allows } = this.#options;
    // Code that begins indented may be dedented as a whole, and code that begins with a fence or a backtick be unwrapped.
    if ((!flush && allows("dedented")) || (wrapped && allows("nested-fence"))) {
      this.#open = false;
      return;
    }
    const lead = this.#lead ?? "";
    this.#lead = undefined;
    // What nobody sees is taken off at the edges.
    if (
      allows("invisible-characters") &&
      withoutInvisible(`${lead}${text.slice(0, first)}x`).length <= lead.length + first
    )
      this.#open = false;
    else this.#send(lead + text);
  }

  #send(text: string): void {
    if (this.#entry.field === "code" && this.#options.allows("invisible-characters")) text = this.#settled(text);
    if (text === "") return;
    this.sent += text.length;
    this.#options.emit(this.#entry.field as Field, text);
  }

  /** Returns the text that goes out now: white space from an invisible character on waits for what follows it. */
  #settled(text: string): string {
    let last = text.length;
    let hold = last;
    while (last > 0 && !isSeen(text.charCodeAt(last - 1))) if (isInvisible(text.charCodeAt(--last))) hold = last;
    if (last === 0 && this.#held !== "") hold = 0;
    const settled = hold > 0 ? this.#held + text.slice(0, hold) : "";
    this.#held = hold > 0 ? text.slice(hold) : this.#held + text;
    return settled;
  }
}
