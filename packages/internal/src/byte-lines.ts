import { joinBytes } from "./bytes.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Receiver of the lines. */
export interface LineTaker {
  /** A line without its end; never an empty one. */
  line(bytes: Uint8Array): void;
  /** A line of more bytes than are taken: its beginning. Called once, at its end. */
  tooLong(beginning: Uint8Array): void;
  /** An empty line: for those who count them. */
  blank?(): void;
}

/** Cuts a stream of bytes into lines, wherever its chunks are cut. Of a line that is too long nothing but its beginning is kept. */
export class ByteLines {
  readonly #maxBytes: number;
  readonly #take: LineTaker;
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** @param maxBytes Of a line, its end aside. */
  constructor(maxBytes: number, take: LineTaker) {
    this.#maxBytes = maxBytes;
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(newline, from);
      this.#keep(chunk.subarray(from, at === -1 ? chunk.length : at));
      if (at === -1) return;
      if (this.#size === 0) this.#take.blank?.();
      this.end();
      from = at + 1;
    }
  }

  /** Ends the line, with or without a line feed. */
  end(): void {
    const [first] = this.#chunks;
    if (first === undefined) return;
    const whole = this.#chunks.length === 1 ? first : joinBytes(this.#chunks);
    const size = this.#size;
    this.#chunks = [];
    this.#size = 0;
    const line = whole.at(-1) === carriageReturn && size === whole.length ? whole.subarray(0, -1) : whole;
    if (size > this.#maxBytes + (line.length < whole.length ? 1 : 0)) this.#take.tooLong(whole);
    else if (line.length > 0) this.#take.line(line);
    else this.#take.blank?.();
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    // One more than the limit is kept, so that the end of a line may be a carriage return.
    const room = this.#maxBytes + 1 - this.#size;
    this.#size += piece.length;
    if (room > 0) this.#chunks.push(piece.subarray(0, room));
  }
}
