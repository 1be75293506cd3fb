import type { Source } from "@toolglot/core/text";
import { cdataStart } from "./body-text.ts";
import { entity, entityText } from "./tag.ts";

/** What later text can still change. */
type Mode =
  /** Nothing decides yet: no `&`, no `<`. */
  | "plain"
  /** An entity was seen: it is decoded unless a bare character comes. */
  | "entity"
  /** A bare character was seen: entities stay. CDATA is still taken out of its marks. */
  | "bare"
  /** A tag was seen: everything stays. */
  | "markup"
  /** CDATA was seen: the end decides. */
  | "held";

const special = /[&<]/g;
const unfinished = /^(?:&(?:#(?:x0{0,24}[\da-fA-F]{0,6}|0{0,24}\d{0,7})|[a-z]{0,4})|<[/?!]?|<!\[[CDAT[]{0,6})$/;

/** Emits the text of a raw body while it comes in, as far as nothing can change it. */
export class BodyStream {
  readonly #emit: (text: string) => void;
  /** Whether the line breaks next to the tags belong to the text. */
  readonly #exact: boolean;
  #mode: Mode = "plain";
  /** Text before this offset was read. */
  #seen: number;
  /** Text before this offset was given out. */
  #sent: number;
  /** A line break with only blanks behind it, which may be the one before the closing tag: its offset, or -1. */
  #tail = -1;
  /** The text read so far ends with a carriage return. */
  #return = false;
  #started: boolean;
  /** Only white space so far. */
  #blank = true;
  /** Offset of the first entity, while it is not known whether it is decoded; else -1. */
  #entityAt = -1;
  /** Units given out. */
  #units = 0;

  constructor(start: number, exact: boolean, emit: (text: string) => void) {
    this.#seen = this.#sent = start;
    this.#emit = emit;
    this.#exact = exact;
    this.#started = !exact;
  }

  /** Enters CDATA, which begins at an offset and stays as it is. */
  enterCdata(start: number): void {
    this.#seen = this.#sent = start;
    this.#mode = "markup";
    this.#blank = false;
  }

  /** Reads the body, which reaches at least up to an offset. */
  advance(source: Source, safe: number): void {
    if (safe <= this.#seen || this.#mode === "held") return;
    let text = source.slice(this.#seen, safe);
    if (!this.#started) {
      if (text === "\r") return;
      const skip = text.charCodeAt(0) === 10 ? 1 : text.startsWith("\r\n") ? 2 : 0;
      this.#started = true;
      this.#seen += skip;
      this.#sent = this.#seen;
      text = text.slice(skip);
    }
    const end = this.#mode === "markup" ? text.length : this.#look(text);
    const known = end === text.length ? text : text.slice(0, end);
    if (this.#exact) this.#findTail(known);
    // White space before CDATA does not count, so it waits.
    if (this.#blank && /[^ \t\r\n]/.test(known)) this.#blank = false;
    this.#seen += known.length;
    if (this.#blank) return;
    const open = this.#entityAt < 0 ? this.#seen : this.#entityAt;
    this.#flush(source, this.#tail < 0 ? open : Math.min(open, this.#tail));
  }

  /** Reads what decides about entities; returns the index up to which it could. */
  #look(text: string): number {
    special.lastIndex = 0;
    for (let match = special.exec(text); match; match = special.exec(text)) {
      const at = match.index;
      const rest = text.slice(at, at + 36);
      if (at + rest.length === text.length && unfinished.test(rest)) return at;
      if (rest.startsWith(cdataStart)) {
        this.#mode = "held";
        return at;
      }
      if (rest.charCodeAt(0) === 60) this.#mode = /^<[/?!]?[A-Za-z]/.test(rest) ? "markup" : "bare";
      else if (this.#mode === "plain" || this.#mode === "entity") {
        entity.lastIndex = 0;
        const found = entity.exec(rest);
        const isEntity = found?.index === 0 && entityText(found[1], found[2], found[3]) !== undefined;
        if (!isEntity) this.#mode = "bare";
        else if (this.#mode === "plain") {
          this.#mode = "entity";
          this.#entityAt = this.#seen + at;
        }
      }
      if (this.#mode !== "entity") this.#entityAt = -1;
      if (this.#mode === "markup") break;
    }
    return text.length;
  }

  #findTail(text: string): void {
    let at = text.length - 1;
    while (at >= 0 && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at -= 1;
    if (at < 0) {
      // Blanks behind a lone carriage return: it was no line break.
      if (this.#return && text !== "") this.#tail = -1;
      this.#return &&= text === "";
      return;
    }
    const code = text.charCodeAt(at);
    if (code === 10) {
      const pair = at > 0 ? text.charCodeAt(at - 1) === 13 : this.#return;
      this.#tail = this.#seen + at - (pair ? 1 : 0);
    } else this.#tail = code === 13 && at === text.length - 1 ? this.#seen + at : -1;
    this.#return = text.endsWith("\r");
  }

  #flush(source: Source, end: number): void {
    if (end <= this.#sent) return;
    const text = source.slice(this.#sent, end);
    this.#sent = end;
    this.#units += text.length;
    this.#emit(text);
  }

  /** Ends the body; `text` is its whole text. */
  finish(text: string): void {
    if (text.length > this.#units) this.#emit(this.#units > 0 ? text.slice(this.#units) : text);
  }
}
