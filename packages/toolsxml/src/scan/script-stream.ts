import type { Source } from "@toolglot/core/text";
import { flat, isSpace, isUnseen } from "@toolglot/internal";
import { BodyStream } from "./body-stream.ts";

/** A text that waits is made one piece when it is this long: until then it consists of all its chunks. */
const pieceLength = 256;

/**
 * Emits a script while it comes in, once it is known that no indentation is taken off: it begins on the line of a tag that
 * is not indented, or one of its lines begins without a blank. White space waits until something follows it.
 */
export class ScriptStream {
  readonly #emit: (text: string) => void;
  readonly #body: BodyStream;
  readonly #indent: string;
  #flat = false;
  /** Text before this offset was read. */
  #seen: number;
  /** The last line so far: which one it is, and whether it is empty, blank, or begun. */
  #first = true;
  #line: "empty" | "blank" | "begun" = "empty";
  /** A tag came that may be structure: the rest waits for the end. */
  #stopped = false;
  #afterLess = false;
  /** What was not given out yet, its beginning in pieces, and whether there is more in it than white space. */
  #waiting = "";
  #pieces: string[] = [];
  #visible = false;
  #started = false;
  /** Units given out. */
  #units = 0;

  constructor(start: number, indent: string, emit: (text: string) => void) {
    this.#seen = start;
    this.#emit = emit;
    this.#indent = indent;
    this.#body = new BodyStream(start, false, (text) => this.#take(text));
  }

  /** Reads the body, which reaches at least up to an offset. */
  advance(source: Source, safe: number): void {
    if (this.#stopped || safe <= this.#seen) return;
    const sure = this.#look(source.slice(this.#seen, safe));
    this.#body.advance(source, this.#seen + sure);
    if (this.#flat && this.#visible) this.#flush();
    this.#seen = safe;
  }

  /** Ends the body; `script` is the whole script. */
  finish(script: string): void {
    this.#stopped = true;
    if (script.length > this.#units) this.#emit(script.slice(this.#units));
  }

  /** Follows the lines; returns the index up to which the text is the script's. */
  #look(text: string): number {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > 160 && isUnseen(text.charAt(at))) {
        // Only the end shows whether it counts.
        this.#stopped = true;
        return at;
      }
      if (code === 10) {
        this.#first = false;
        this.#line = "empty";
      } else if (isSpace(code)) {
        if (this.#line === "empty") this.#line = "blank";
      } else {
        // The tag of another call, or of what is around this one.
        this.#stopped = code === 60 ? this.#line !== "begun" && !this.#first : code === 47 && this.#afterLess;
        if (this.#stopped) return this.#afterLess ? Math.max(0, at - 1) : at;
        this.#flat ||= this.#first ? this.#indent === "" : this.#line === "empty";
        this.#line = "begun";
      }
      this.#afterLess = code === 60;
    }
    // What follows a `<` decides about it.
    return text.length - (this.#afterLess ? 1 : 0);
  }

  #take(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length > pieceLength) {
      this.#pieces.push(flat(this.#waiting));
      this.#waiting = "";
    }
    this.#visible ||= /[^ \t\n\v\f\r]/.test(text);
  }

  #flush(): void {
    const text = this.#pieces.length === 0 ? this.#waiting : this.#pieces.join("") + this.#waiting;
    let end = text.length;
    while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
    this.#waiting = text.slice(end);
    if (this.#pieces.length > 0) this.#pieces = [];
    this.#visible = false;
    let sure = text.slice(0, end);
    if (sure.includes("\r")) sure = sure.replaceAll("\r\n", "\n");
    if (!this.#started) sure = sure.replace(/^[ \t\n\v\f\r]+/, "");
    this.#started = true;
    this.#units += sure.length;
    if (sure !== "") this.#emit(sure);
  }
}
