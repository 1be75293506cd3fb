/** A stretch of what a terminal printed, or a mark of the shell's own. A mark's fields are as written, not unescaped. */
export type Piece = { type: "text"; text: string } | { type: "mark"; kind: string; fields: string[] };

/** UTF-16 units of the longest mark, from its ESC to the end of its terminator. Anything longer is text. */
const longestMark = 4096;
/** What every mark begins with. */
const introducer = "\u001b]633;";
/** UTF-16 units of the longest kind; its characters are letters, digits, `_` and `-`. */
const longestKind = 32;

const esc = 0x1b;
const bell = 0x07;
const semicolon = 0x3b;
const backslash = 0x5c;

/** Where in a possible mark the scanner stands. */
const places = { introducer: 0, kind: 1, nonce: 2, afterNonce: 3, fields: 4, terminator: 5 } as const;
type Place = (typeof places)[keyof typeof places];

/**
 * Takes the shell's marks out of what a terminal printed: `ESC ] 633 ; <kind> ; <nonce> ; field… BEL`, the sequence of
 * Visual Studio Code's shell integration with a nonce in second place. `ESC \` ends one as well. Only a mark with this
 * scanner's nonce is one; everything else, other sequences included, comes through as text, untouched and in order.
 *
 * A mark is found wherever it begins, also inside a control sequence that a program left unfinished. It can't hold an ESC or
 * a BEL: the writer of marks must encode these, and `;`, in fields. Chunks may split anything. What may yet become a mark is held
 * back, 4,096 UTF-16 units at most. Time is linear in the input, and every unit is looked at once.
 */
export class MarkScanner {
  readonly #nonce: string;
  /** The possible mark so far, ESC included; empty outside of one. Never read before it is over, so joining costs nothing. */
  #held = "";
  #place: Place = places.introducer;
  /** Units matched of the introducer or the nonce. */
  #matched = 0;
  #kind = "";

  /** Throws `TypeError` for a nonce that is empty, over 256 units long, or holds `;` or a control character. */
  constructor(nonce: string) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what would end a mark.
    if (typeof nonce !== "string" || !/^[^\u0000-\u001f\u007f-\u009f;]{1,256}$/.test(nonce)) {
      throw new TypeError("nonce must be 1 to 256 characters without `;` and control characters");
    }
    this.#nonce = nonce;
  }

  /** What is certain after this chunk, in order. Neighbouring text of one chunk is one piece. */
  push(chunk: string): Piece[] {
    const pieces: Piece[] = [];
    let text = "";
    let at = 0;
    while (at < chunk.length) {
      if (this.#held === "") {
        const next = chunk.indexOf("\u001b", at);
        if (next < 0) {
          text = join(text, chunk.slice(at));
          break;
        }
        text = join(text, chunk.slice(at, next));
        this.#begin();
        at = next + 1;
        continue;
      }
      const from = at;
      let outcome: Outcome = "more";
      const room = from + longestMark - this.#held.length;
      while (outcome === "more" && at < chunk.length) {
        outcome = at < room ? this.#step(chunk.charCodeAt(at)) : "text";
        if (outcome !== "text") at++;
      }
      this.#held += chunk.slice(from, at);
      if (outcome === "more") break;
      if (outcome === "mark") {
        if (text !== "") pieces.push({ type: "text", text });
        text = "";
        pieces.push(this.#mark());
        this.#held = "";
      } else {
        text = join(text, this.#giveUp());
      }
    }
    if (text !== "") pieces.push({ type: "text", text });
    return pieces;
  }

  /** What was held back, as text: nothing more comes. The scanner can be used on, as a new one. */
  end(): Piece[] {
    const text = this.#held;
    this.#held = "";
    return text === "" ? [] : [{ type: "text", text }];
  }

  #begin(): void {
    this.#held = "\u001b";
    this.#place = places.introducer;
    this.#matched = 1;
    this.#kind = "";
  }

  /** Takes one unit of a possible mark. With `text` the unit was not taken. */
  #step(unit: number): Outcome {
    switch (this.#place) {
      case places.introducer:
        if (unit !== introducer.charCodeAt(this.#matched)) return "text";
        if (++this.#matched === introducer.length) this.#place = places.kind;
        return "more";
      case places.kind:
        if (unit === semicolon && this.#kind !== "") {
          this.#place = places.nonce;
          this.#matched = 0;
          return "more";
        }
        if (!isKindUnit(unit) || this.#kind.length === longestKind) return "text";
        this.#kind += String.fromCharCode(unit);
        return "more";
      case places.nonce:
        if (unit !== this.#nonce.charCodeAt(this.#matched)) return "text";
        if (++this.#matched === this.#nonce.length) this.#place = places.afterNonce;
        return "more";
      case places.afterNonce:
        if (unit !== semicolon && unit !== bell && unit !== esc) return "text";
        this.#place = places.fields;
        return this.#field(unit);
      case places.fields:
        return this.#field(unit);
      case places.terminator:
        return unit === backslash ? "mark" : "text";
    }
  }

  #field(unit: number): Outcome {
    if (unit === bell) return "mark";
    if (unit === esc) this.#place = places.terminator;
    return "more";
  }

  /** The whole mark that is held. */
  #mark(): Piece {
    const start = introducer.length + this.#kind.length + 1 + this.#nonce.length;
    const end = this.#held.length - (this.#place === places.terminator ? 2 : 1);
    const fields = this.#held.slice(start, end);
    return { type: "mark", kind: this.#kind, fields: fields === "" ? [] : fields.slice(1).split(";") };
  }

  /** What is held is no mark: it is text, but for an ESC at its end, which may begin the next. */
  #giveUp(): string {
    const text = this.#held;
    if (this.#place === places.terminator) {
      this.#begin();
      return text.slice(0, -1);
    }
    this.#held = "";
    return text;
  }
}

type Outcome = "more" | "mark" | "text";

/** Without making a rope of the first piece. */
function join(before: string, after: string): string {
  return before === "" ? after : before + after;
}

function isKindUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x5f ||
    unit === 0x2d
  );
}
