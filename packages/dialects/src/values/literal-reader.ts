import { createRecord, type JsonValue } from "@toolglot/core";
import { flat, isSpace } from "@toolglot/internal";
import { keep, readString, standsAt, type Token } from "./string-token.ts";
import type { Frame, LiteralOptions, LiteralSyntax, Quote, ValueSlip } from "./types.ts";
import { readWord, wordRun } from "./word.ts";

const maxDepth = 512;
const closers: Record<string, string> = { "{": "}", "[": "]", "(": ")" };
/** Units that a mark may begin with. */
const markStart = /[<>[\](){}`|;]/;

/**
 * Reads one literal of JSON, of Python or in Gemma's syntax, piece by piece. The result is the same whatever the pieces; nothing throws;
 * time is linear, and what is open stands on a stack of 512 containers at most.
 *
 * A string that is never closed, and a quote within one that is not escaped, are no slips: no value comes of them.
 */
export class LiteralReader {
  /**
   * `done`: the value is whole, and ends at the index that `read` returned. `blocked`: what stands at that index can't stand there, but it may
   * begin a mark, and nothing is half written: {@link close}, or no value. `failed`: no value. `open` at the end of the text: it is cut off.
   */
  state: "open" | "done" | "blocked" | "failed" = "open";
  /** The value, once `done`. */
  value: JsonValue | undefined;
  /** Where the value begins; -1 before. */
  start = -1;
  /** Of those that lose nothing, the first of each kind. */
  readonly slips: ValueSlip[] = [];
  /** Why it is `blocked` or `failed`. */
  failure: { at: number; message: string } | undefined;

  readonly #syntax: LiteralSyntax;
  readonly #options: LiteralOptions;
  readonly #stack: Frame[] = [];
  #reported?: Set<string>;
  #token: Token | undefined;
  #expects: "value" | "first" | "more" | "colon" | "next" = "value";
  /** The value read last, and where it ends. */
  #last: JsonValue = null;
  #end = 0;
  #text = "";
  #at = 0;
  #base = 0;
  #ended = false;

  constructor(syntax: LiteralSyntax, options: LiteralOptions = {}) {
    this.#syntax = syntax;
    this.#options = options;
  }

  /** The number of containers that are open. */
  get depth(): number {
    return this.#stack.length;
  }

  /** What closes the string, or the key that is one, which is half read; empty: none is. */
  get quote(): string {
    return this.#token?.quote.close ?? "";
  }

  /**
   * Reads on from index `at` of a window of the text, whose first unit has the offset `base`. Returns the index up to which everything is
   * taken: the next window begins there or before it. `ended`: no more text comes.
   */
  read(text: string, at: number, base: number, ended: boolean): number {
    this.#text = text;
    this.#at = at;
    this.#base = base;
    this.#ended = ended;
    if (this.state === "blocked") this.state = "open";
    while (this.state === "open" && this.#step());
    return this.#at;
  }

  /**
   * Closes what is open at an offset, as a repair. False when that can't be: something is half written there, or nothing was begun.
   * `isNext`: another call begins there; behind a string it may be the text of that string, whose quote was
   * not escaped.
   */
  close(at: number, isNext = false): boolean {
    if (!this.#isSound() || !/open|blocked/.test(this.state)) return false;
    this.state = "open";
    const isDoubtful = isNext && typeof this.#last === "string";
    if (isDoubtful) this.#slip("json-repaired", "value", this.#end - 1, this.#end);
    else this.#slip("json-repaired", "structure", at, at);
    while (this.state === "open") this.#closeFrame(at);
    return /done/.test(this.state);
  }

  /** Whether nothing is half written, so that what is open can be closed. */
  #isSound(): boolean {
    return !this.#token && this.depth > 0 && /next|first/.test(this.#expects);
  }

  /** Reads the next thing. False: only more text decides. */
  #step(): boolean {
    const token = this.#token;
    if (token) return token.quote.close ? this.#readString(token) : this.#readWord(token);
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#at < this.#text.length && this.#readMark(this.#text.charAt(this.#at), this.#stack.at(-1));
  }

  #fail(at: number, message: string): boolean {
    this.state = "failed";
    this.failure = { at, message };
    return false;
  }

  /** What stands here can't stand here. */
  #stop(): boolean {
    const unit = this.#text.charAt(this.#at);
    this.#fail(this.#base + this.#at, `${JSON.stringify(unit)} can't stand here`);
    if (this.#isSound() && markStart.test(unit)) this.state = "blocked";
    return false;
  }

  #slip(code: ValueSlip["code"], affects: ValueSlip["affects"], start: number, end: number): void {
    const kind = code + affects;
    if (affects === "value" || !this.#reported?.has(kind)) this.slips.push({ code, affects, start, end });
    this.#reported ??= new Set();
    this.#reported.add(kind);
  }

  #readMark(unit: string, frame: Frame | undefined): boolean {
    const offset = this.#base + this.#at;
    if (this.#expects === "colon") return unit === ":" ? this.#go(1, "value") : this.#stop();
    if (this.#expects !== "value" && unit === frame?.closer) {
      if (this.#expects === "more" && this.#syntax.language !== "python") {
        this.#slip("json-repaired", "structure", offset, offset + 1);
      }
      this.#closeFrame(offset + 1);
      return this.#go(1);
    }
    if (this.#expects !== "next") return this.#begin(unit, frame?.closer === "}" && this.#expects !== "value");
    if (unit !== "," || !frame) return this.#readLostComma(unit, frame?.closer === "]");
    frame.comma = true;
    return this.#go(1, "more");
  }

  #go(units: number, expects = this.#expects): boolean {
    this.#at += units;
    this.#expects = expects;
    return true;
  }

  /** A comma is missing only where what follows can be nothing else: most such places are quotes in a string that are not escaped. */
  #readLostComma(unit: string, isList: boolean): boolean {
    const offset = this.#base + this.#at;
    const last = this.#last;
    const isApart = offset > this.#end || (typeof last === "object" && last);
    const canFollow = isList && typeof last !== "string" ? /["'{[\d-]/ : /["']/;
    if (this.#syntax.language !== "json" || !isApart || !canFollow.test(unit)) return this.#stop();
    const ahead = this.#text.slice(this.#at, this.#at + 3);
    if (unit === "[" && ahead.length < 3 && !this.#ended) return false;
    // `[TOOL_CALLS]`
    if (/^\[[A-Z/][A-Z]/.test(ahead)) return this.#stop();
    this.#slip("json-repaired", "structure", offset, offset);
    return this.#go(0, "more");
  }

  /** Begins a key or a value. */
  #begin(unit: string, isKey: boolean): boolean {
    const { language, quotes, bare } = this.#syntax;
    const closer = closers[unit];
    if (closer && !isKey && (unit !== "(" || language === "python")) return this.#open(unit, closer);
    for (const quote of quotes) {
      const found = standsAt(this.#text, this.#at, quote.open, this.#ended);
      if (found !== false) return found === true && this.#beginToken(isKey, quote);
    }
    const run = (this.depth > 0 && bare?.[isKey ? 0 : 1]) || wordRun;
    run.lastIndex = this.#at;
    run.test(this.#text);
    return run.lastIndex > this.#at ? this.#beginToken(isKey, { open: "", close: "", run }) : this.#stop();
  }

  #beginToken(isKey: boolean, quote: Quote): boolean {
    const start = this.#base + this.#at;
    this.#token = { isKey, start, text: "", tail: "", piece: "", quote, state: "open", control: -1 };
    if (!isKey) this.#tellBegin(start);
    return this.#go(quote.open.length);
  }

  #tellBegin(start: number): void {
    if (this.start < 0) this.start = start;
    this.#options.listener?.begin?.(this.depth, this.#stack.at(-1)?.key, start);
  }

  #open(unit: string, closer: string): boolean {
    const start = this.#base + this.#at;
    if (this.depth >= maxDepth) return this.#fail(start, `more than ${maxDepth} containers in one another`);
    this.#tellBegin(start);
    this.#stack.push({ value: unit === "{" ? createRecord() : [], closer, start });
    return this.#go(1, "first");
  }

  #closeFrame(end: number): void {
    const { value, closer, comma, start } = this.#stack.pop() as Frame;
    const inner = closer === ")" && !comma ? (value as JsonValue[])[0] : undefined;
    this.#take(inner === undefined ? value : inner, start, end);
  }

  #readString(token: Token): boolean {
    const { language } = this.#syntax;
    this.#at = readString(token, this.#text, this.#at, this.#base, language !== "json", this.#ended);
    const { isKey, start, piece, quote, state, control } = token;
    keep(token, piece);
    if (!isKey && piece) this.#tellPiece(piece);
    const end = this.#base + this.#at;
    if (state === "failed") return this.#fail(end, "no such escape");
    if (state === "open") return false;
    if (quote.run && language === "gemma") this.#slip("unquoted-value", isKey ? "structure" : "value", start, end);
    if (quote.close === "'" && language === "json") this.#slip("python-literal", "none", start, end);
    // Python has no line break within such a string: who wrote one did not escape, and the backslash may be one, too.
    const isDoubtful = language === "python" && token.escaped === true;
    if (control >= 0 && (language !== "python" || isDoubtful))
      this.#slip("json-repaired", isDoubtful ? "value" : "none", control, control + 1);
    const text = token.text || token.tail !== piece ? flat(token.text + token.tail) : piece;
    if (quote.isDoubtful?.test(text)) this.#slip("unquoted-value", "value", start, end);
    return this.#endToken(token, text, end);
  }

  #tellPiece(piece: string): void {
    const { listener, stringsTo = 0 } = this.#options;
    if (this.depth <= stringsTo) listener?.piece?.(this.depth, this.#stack.at(-1)?.key, piece);
  }

  #readWord(token: Token): boolean {
    const run = token.quote.run as RegExp;
    run.lastIndex = this.#at;
    run.test(this.#text);
    token.text += this.#text.slice(this.#at, run.lastIndex);
    this.#at = run.lastIndex;
    const isCut = this.#at === this.#text.length;
    if (isCut && !this.#ended) return false;
    const { language } = this.#syntax;
    const { isKey, start } = token;
    const text = flat(token.text).trimEnd();
    const end = start + text.length;
    const isGemma = language === "gemma";
    const isName = isKey && language === "json" && !/^[.+-]/.test(text);
    let value = readWord(text, language === "python");
    // What the end cuts off may have been a literal.
    if (value === undefined && !isName && !isGemma) return !isCut && this.#fail(start, "no literal");
    if (isName) this.#slip("json-repaired", "structure", start, end);
    if (isKey) return this.#endToken(token, text, end);
    if (value === undefined || typeof value === "string") {
      this.#slip(value === undefined ? "unquoted-value" : "inexact-number", "value", start, end);
      value = text;
      this.#tellPiece(text);
    } else if (typeof value !== "number" && language !== "python" && /^[A-Z]/.test(text))
      this.#slip("python-literal", "none", start, end);
    return this.#endToken(token, value, end);
  }

  #endToken({ isKey, start }: Token, value: JsonValue, end: number): boolean {
    this.#token = undefined;
    if (!isKey) return this.#take(value, start, end);
    const frame = this.#stack.at(-1) as Frame;
    frame.key = value as string;
    if (frame.key in frame.value) this.#slip("duplicate-key", "value", start, end);
    return this.#go(0, "colon");
  }

  /** A value is whole. */
  #take(value: JsonValue, start: number, end: number): boolean {
    if (this.state !== "open") return false;
    const frame = this.#stack.at(-1);
    this.#options.listener?.value?.(this.depth, frame?.key, value, start, end);
    this.#last = value;
    this.#end = end;
    if (!frame) {
      this.value = value;
      this.failure = undefined;
      this.state = "done";
    } else if (Array.isArray(frame.value)) frame.value.push(value);
    else frame.value[frame.key as string] = value;
    return this.#go(0, "next");
  }
}
