/** Follows brackets and the strings in them, over several lines, until they balance. */
export class Brackets {
  #depth = 0;
  /** Delimiter of the string that is open. */
  #string = "";

  /** Whether lines are data: inside a multi-line string. */
  get inString(): boolean {
    return this.#string.length === 3;
  }

  /** Reads a line; the index after the last closing bracket once they balance, -1 before. */
  line(text: string): number {
    const pattern = /'''|"""|['"#[\]{}]|\\/g;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [token] = match;
      if (this.#string) {
        if (token === "\\" && this.#string.startsWith('"')) pattern.lastIndex = match.index + 2;
        else if (token === this.#string) this.#string = "";
        else if (token.startsWith(this.#string)) {
          this.#string = "";
          pattern.lastIndex = match.index + 1;
        }
      } else if (token === "#") break;
      else if (/^['"]/.test(token)) this.#string = token;
      else if (token === "[" || token === "{") this.#depth += 1;
      else if (token !== "\\") {
        this.#depth -= 1;
        if (this.#depth <= 0) return match.index + 1;
      }
    }
    // A one-line string ends with its line.
    if (this.#string.length === 1) this.#string = "";
    return -1;
  }
}
