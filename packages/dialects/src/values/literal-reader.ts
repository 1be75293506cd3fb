import { createRecord, type JsonValue } from "@toolglot/core";
import { flat, isSpace } from "@toolglot/internal";
import { readString, type StringToken } from "./string-token.ts";
import type { LiteralListener, LiteralSyntax, ValueSlip } from "./types.ts";
import { readWord } from "./word.ts";

/** How a {@link LiteralReader} reads. */
export interface LiteralOptions {
  listener?: LiteralListener;
  /** Strings in up to this many containers are told in pieces. Default 0. */
  stringsTo?: number;
  /** Whether a slip of this code may be read as meant; else it is a failure. Default: all may. */
  allows?(code: ValueSlip["code"]): boolean;
}

/** A container that is open. */
interface Frame {
  value: JsonValue[] | Record<string, JsonValue>;
  closer: string;
  start: number;
  /** The key whose value comes next, or was read last. */
  key?: string;
  /** Python's `(1,)` is a list, `(1)` is none. */
  comma?: true;
}

/** A string or a word that is half read. */
interface Token {
  isKey: boolean;
  start: number;
  text: string;
  string?: StringToken;
  /** The units of a word. */
  run: RegExp;
  /** Offset of the first raw control character. */
  control?: number;
}

const maxDepth = 512;
const closers: Record<string, string> = { "{": "}", "[": "]", "(": ")" };
const stringRuns: Record<string, RegExp> = { '"': /[^"\\]*/y, "'": /[^'\\]*/y };
const plainWord = /[\w.+$\u0080-\uffff-]*/y;
const gemmaWord = /[^,}\]<]*/y;
const gemmaKey = /[^:,{}[\]<]*/y;
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
   * begin a mark, and what is open is sound: {@link close}, or no value. `failed`: no value.
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
  readonly #told = new Set<string>();
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

  /** Whether a string, or a key that is one, is half read. */
  get inString(): boolean {
    return !!this.#token?.string;
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
   * Closes what is open at an offset, as a repair. False when that can't be: something is half written there, nothing was begun, or the
   * repair is not allowed.
   */
  close(at: number): boolean {
    const isSound = !this.#token && this.depth > 0 && /next|first/.test(this.#expects);
    if (!isSound || !/open|blocked/.test(this.state)) return false;
    this.state = "open";
    this.#slip("json-repaired", "structure", at, at);
    while (this.state === "open") this.#closeFrame(at);
    return /done/.test(this.state);
  }

  /** Reads the next thing. False: only more text decides. */
  #step(): boolean {
    const token = this.#token;
    if (token?.string) return this.#readString(token, token.string);
    if (token) return this.#readWord(token);
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
    if (markStart.test(unit)) this.state = "blocked";
    return false;
  }

  #slip(code: ValueSlip["code"], affects: ValueSlip["affects"], start: number, end: number): void {
    const kind = code + affects;
    if (this.#options.allows?.(code) === false) this.#fail(start, `${code} is not allowed`);
    else if (affects === "value" || !this.#told.has(kind)) this.slips.push({ code, affects, start, end });
    this.#told.add(kind);
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
    const { language, stringDelimiters = [], plainSingleQuotes } = this.#syntax;
    const python = language === "python";
    const closer = closers[unit];
    if (closer && !isKey && (unit !== "(" || python)) return this.#open(unit, closer);
    for (const [open, close] of stringDelimiters) {
      const found = this.#ahead(open);
      if (found !== "no") return found === "cut" ? false : this.#beginToken(isKey, open.length, close);
    }
    const run = stringRuns[unit];
    if (unit === "'" && plainSingleQuotes) return this.#beginToken(isKey, 1, unit);
    const three = python && run ? this.#ahead(unit.repeat(3)) : "no";
    if (three === "cut") return false;
    if (run)
      return three === "no" ? this.#beginToken(isKey, 1, unit, run) : this.#beginToken(isKey, 3, unit.repeat(3), run);
    const word = language === "gemma" && this.depth > 0 ? (isKey ? gemmaKey : gemmaWord) : plainWord;
    word.lastIndex = this.#at;
    word.test(this.#text);
    return word.lastIndex > this.#at ? this.#beginToken(isKey, 0, "", word) : this.#stop();
  }

  /** Whether a mark stands here; `cut`: more text decides. */
  #ahead(mark: string): "yes" | "no" | "cut" {
    const found = this.#text.slice(this.#at, this.#at + mark.length);
    if (found === mark) return "yes";
    return !this.#ended && mark.startsWith(found) ? "cut" : "no";
  }

  /** `close`: what closes a string; a word has none. */
  #beginToken(isKey: boolean, units: number, close: string, run?: RegExp): boolean {
    const start = this.#base + this.#at;
    this.#token = { isKey, start, text: "", run: run ?? plainWord };
    if (close) {
      const python = this.#syntax.language !== "json";
      this.#token.string = { close, python, piece: "", state: "open", ...(run && { run }) };
    }
    if (!isKey) this.#tellBegin(start);
    return this.#go(units);
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

  #readString(token: Token, string: StringToken): boolean {
    this.#at = readString(string, this.#text, this.#at, this.#ended);
    if (string.control !== undefined) token.control ??= this.#base + string.control;
    this.#tellPiece(token, string.piece);
    string.piece = "";
    const end = this.#base + this.#at;
    if (string.state === "failed") return this.#fail(end, "no such escape");
    if (string.state === "open") return false;
    const { isKey, start, control } = token;
    const { language } = this.#syntax;
    if (string.run && language === "gemma") this.#slip("unquoted-value", isKey ? "structure" : "value", start, end);
    if (string.close === "'" && language === "json") this.#slip("python-literal", "none", start, end);
    if (control !== undefined) this.#slip("json-repaired", "none", control, control + 1);
    return this.#endToken(token, flat(token.text), end);
  }

  #tellPiece(token: Token, piece: string): void {
    token.text += piece;
    const { listener, stringsTo = 0 } = this.#options;
    if (piece && !token.isKey && this.depth <= stringsTo) listener?.piece?.(this.depth, this.#stack.at(-1)?.key, piece);
  }

  #readWord(token: Token): boolean {
    token.run.lastIndex = this.#at;
    token.run.test(this.#text);
    token.text += this.#text.slice(this.#at, token.run.lastIndex);
    this.#at = token.run.lastIndex;
    if (this.#at === this.#text.length && !this.#ended) return false;
    const { language } = this.#syntax;
    const { isKey, start } = token;
    const text = flat(token.text).trimEnd();
    const end = start + text.length;
    const word = readWord(text, language);
    if (isKey && language === "json") this.#slip("json-repaired", "structure", start, end);
    else if (!word) return this.#fail(start, "no literal");
    if (isKey || !word) return this.#endToken(token, text, end);
    const { value, slip } = word;
    if (slip) this.#slip(slip.code, slip.affects, start, end);
    if (typeof value === "string") this.#tellPiece(token, value);
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
