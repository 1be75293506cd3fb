import { StringDecoder } from "node:string_decoder";

/** What a person does at a terminal. */
export type Key = { kind: "text"; text: string } | { kind: "enter" | "erase" | "clear" | "cancel" };

/** How long an Escape waits for the rest of an arrow key's sequence, in milliseconds. */
const sequenceMs = 80;

const pasteBegins = "\u001b[200~";
const pasteEnds = "\u001b[201~";

const single: Readonly<Record<string, Key["kind"]>> = {
  "\r": "enter",
  "\n": "enter",
  "\b": "erase",
  "\u007f": "erase",
  "\u0015": "clear",
  "\u0003": "cancel",
  "\u0004": "cancel",
};

/** Makes keys of what a terminal in raw mode sends, whatever the chunks. */
export class KeyReader {
  readonly #onKey: (key: Key) => void;
  readonly #decoder = new StringDecoder("utf8");
  /** An escape sequence as far as it came. */
  #sequence = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #inPaste = false;
  /** A line end was pasted: one line is all that is taken. */
  #pastedLine = false;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  feed(chunk: Uint8Array | string): void {
    clearTimeout(this.#timer);
    for (const character of typeof chunk === "string" ? chunk : this.#decoder.write(chunk)) this.#take(character);
    if (this.#sequence === "") return;
    this.#timer = setTimeout(() => {
      this.#sequence = "";
      this.#onKey({ kind: "cancel" });
    }, sequenceMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #take(character: string): void {
    if (this.#sequence !== "") {
      this.#takeOfSequence(character);
      return;
    }
    if (character === "\u001b") {
      this.#sequence = character;
      return;
    }
    const kind = single[character];
    if (this.#inPaste) {
      this.#pastedLine ||= kind === "enter";
      if (this.#pastedLine || kind !== undefined) return;
    } else if (kind !== undefined && kind !== "text") {
      this.#onKey({ kind });
      return;
    }
    // Other control characters are keys that mean nothing here; a tab may belong to a value.
    if (character >= " " || character === "\t") this.#onKey({ kind: "text", text: character });
  }

  #takeOfSequence(character: string): void {
    const sequence = this.#sequence + character;
    const afterEscape = sequence.slice(1);
    this.#sequence = "";
    if (sequence === pasteBegins) this.#inPaste = true;
    else if (sequence === pasteEnds) {
      this.#inPaste = false;
      this.#pastedLine = false;
    } else if (/^(?:O|\[[0-?]{0,16}[ -/]{0,4})$/.test(afterEscape)) this.#sequence = sequence;
    else if (!/^(?:O.|\[[0-?]*[ -/]*[@-~])$/.test(afterEscape)) this.#onKey({ kind: "cancel" });
  }
}
