/** Reads a short text that a developer has written, one position at a time. */
export class TextReader {
  protected readonly text: string;
  protected at = 0;
  readonly #where: string;

  /** `where` begins the message of every fault: `args.city`. */
  constructor(text: string, where: string) {
    this.text = text;
    this.#where = where;
  }

  /** Throws `TypeError`, with a caret under the present place. */
  protected fail(problem: string): never {
    throw new TypeError(`${this.#where}: ${problem}\n  ${this.text}\n  ${" ".repeat(this.at)}^`);
  }

  protected skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
  }

  /** Goes behind a mark when it comes next, white space apart. */
  protected take(mark: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }
}
