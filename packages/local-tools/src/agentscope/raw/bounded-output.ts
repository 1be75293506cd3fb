import { StringDecoder } from "node:string_decoder";
import { cutText } from "@toolglot/core/results";

/**
 * Keeps the beginning and the end of what a stream prints, as UTF-8 text, in bounded memory. What is no UTF-8 becomes
 * U+FFFD; a character that comes in two pieces stays whole.
 */
export class BoundedOutput {
  readonly #half: number;
  readonly #decoder = new StringDecoder("utf8");
  #head = "";
  /** What follows the head; its front is dropped from time to time. */
  #tail = "";
  #total = 0;

  /** `maxChars`: UTF-16 units of text that are kept. */
  constructor(maxChars: number) {
    this.#half = Math.max(1, Math.floor(maxChars / 2));
  }

  write(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes));
  }

  /** Returns the whole, or beginning and end with a line between that counts what is missing. */
  end(): string {
    this.#add(this.#decoder.end());
    if (this.#total <= this.#head.length + this.#half) return this.#head + this.#tail;
    const head = cutText(`${this.#head} `, this.#head.length);
    const end = this.#tail.slice(-this.#half).replace(/^[\udc00-\udfff]/, "");
    return `${head}\n[… ${this.#total - head.length - end.length} characters left out …]\n${end}`;
  }

  #add(text: string): void {
    this.#total += text.length;
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > 4 * this.#half + 65_536) this.#tail = this.#tail.slice(-this.#half);
  }
}
