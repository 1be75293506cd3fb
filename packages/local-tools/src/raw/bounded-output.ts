import { StringDecoder } from "node:string_decoder";

/**
 * Keeps the beginning and the end of what a stream prints, as UTF-8 text, in bounded memory. What is no UTF-8 becomes
 * U+FFFD; a character that comes in two pieces stays whole.
 */
export class BoundedOutput {
  readonly #half: number;
  readonly #decoder = new StringDecoder("utf8");
  #head = "";
  /** Pieces of the end; those that can't be shown any more are dropped from the front. */
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  /** `maxChars`: UTF-16 units of text that are kept. */
  constructor(maxChars: number) {
    this.#half = Math.max(1, Math.floor(maxChars / 2));
  }

  write(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes));
  }

  /** The whole, or beginning and end with a line between that says how much is missing. */
  end(): string {
    this.#add(this.#decoder.end());
    const tail = this.#tail.join("");
    if (this.#total <= this.#head.length + this.#half) return this.#head + tail;
    const head = /[\ud800-\udbff]$/.test(this.#head) ? this.#head.slice(0, -1) : this.#head;
    const end = tail.slice(-this.#half).replace(/^[\udc00-\udfff]/, "");
    return `${head}\n[… ${this.#total - head.length - end.length} characters left out …]\n${end}`;
  }

  #add(text: string): void {
    this.#total += text.length;
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === "") return;
    this.#tail.push(rest.slice(-this.#half));
    this.#tailLength += Math.min(rest.length, this.#half);
    if (this.#tailLength < 4 * this.#half && this.#tail.length < 1024) return;
    const kept = this.#tail.join("").slice(-this.#half);
    this.#tail = [kept];
    this.#tailLength = kept.length;
  }
}
