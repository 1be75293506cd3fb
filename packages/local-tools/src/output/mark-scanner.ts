/** A stretch of what a terminal printed, or a mark of the shell's own. A mark's fields are as written, not unescaped. */
export type Piece = { type: "text"; text: string } | { type: "mark"; kind: string; fields: string[] };

/** UTF-16 units of the longest mark, from its ESC to the end of its terminator. Anything longer is text. */
const maxMarkLength = 4096;
const introducer = "\u001b]633;";
// biome-ignore lint/suspicious/noControlCharactersInRegex: marks are made of them.
const markStart = /^\u001b\]633;([\w-]{0,32})(?:;([\s\S]*))?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: marks are made of them.
const fieldsStart = /^(?:;[^\u0007\u001b]*)?\u001b?$/;

/**
 * Takes the shell's marks out of what a terminal printed: `ESC ] 633 ; <kind> ; <nonce> ; field… BEL`, the sequence of
 * Visual Studio Code's shell integration with a nonce in second place. `ESC \` ends one as well. A kind is 1 to 32 letters,
 * digits, `_` and `-`. Only a mark with this scanner's nonce is one; everything else, other sequences included, comes through
 * as text, untouched and in order.
 *
 * A mark is found wherever it begins, also inside a control sequence that a program left unfinished. It can't hold an ESC or
 * a BEL: the writer of marks must encode these, and `;`, in fields. Chunks may split anything. What may yet become a mark is held
 * back, 4,096 UTF-16 units at most, and read again with the next chunk; otherwise every unit is read once.
 */
export class MarkScanner {
  readonly #nonce: string;
  readonly #mark: RegExp;
  /** What may yet become a mark; empty, or from its ESC on. */
  #held = "";

  /** `nonce`: 1 to 256 characters without `;` and control characters. */
  constructor(nonce: string) {
    this.#nonce = nonce;
    const literal = nonce.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    this.#mark = new RegExp(
      `\\u001b\\]633;([\\w-]{1,32});${literal}((?:;[^\\u0007\\u001b]*)?)(?:\\u0007|\\u001b\\\\)`,
      "y",
    );
  }

  /** Returns what is certain after this chunk, in order. Neighbouring text of one chunk is one piece. */
  push(chunk: string): Piece[] {
    const input = this.#held + chunk;
    this.#held = "";
    const pieces: Piece[] = [];
    let text = "";
    for (let at = 0; at < input.length; ) {
      const esc = input.indexOf("\u001b", at);
      text += input.slice(at, esc === -1 ? input.length : esc);
      if (esc === -1) break;
      this.#mark.lastIndex = esc;
      const [mark = "", kind = "", fields = ""] = this.#mark.exec(input) ?? [];
      if (mark !== "" && mark.length <= maxMarkLength) {
        if (text !== "") pieces.push({ type: "text", text });
        text = "";
        pieces.push({ type: "mark", kind, fields: fields === "" ? [] : fields.slice(1).split(";") });
        at = esc + mark.length;
      } else if (input.length - esc < maxMarkLength && this.#isMarkStart(input.slice(esc))) {
        this.#held = input.slice(esc);
        break;
      } else {
        text += "\u001b";
        at = esc + 1;
      }
    }
    if (text !== "") pieces.push({ type: "text", text });
    return pieces;
  }

  /** Returns what was held back, as text: nothing more comes. The scanner can be used on, as a new one. */
  end(): Piece[] {
    const text = this.#held;
    this.#held = "";
    return text === "" ? [] : [{ type: "text", text }];
  }

  /** Checks whether a text that begins with ESC, and is no mark, is the beginning of one. */
  #isMarkStart(text: string): boolean {
    if (text.length < introducer.length) return introducer.startsWith(text);
    const [whole, kind = "", rest] = markStart.exec(text) ?? [];
    if (whole === undefined || rest === undefined) return whole !== undefined;
    if (rest.length < this.#nonce.length) return kind !== "" && this.#nonce.startsWith(rest);
    return kind !== "" && rest.startsWith(this.#nonce) && fieldsStart.test(rest.slice(this.#nonce.length));
  }
}
