import type { Word } from "./bash-syntax.ts";
import { WordReader } from "./word-reader.ts";

/** Reads what has words by rules of its own: assignments, `[[ … ]]`, the patterns of `case`, comments. */
export abstract class ClauseReader extends WordReader {
  protected comment(): void {
    while (!this.atEnd && this.char !== "\n") if (!this.placeholder("comment")) this.at++;
  }

  /** Reads `name=value`, `name[…]=value` or `name=(…)`; undefined for any other word, which is not read then. */
  protected assignment(): Word | undefined {
    if (this.peek(/[A-Za-z_]\w*(?:\+?=|\[)/y) === undefined) return undefined;
    const before = [this.at, this.sites.length, this.limits.length, this.assigned.length] as const;
    const [start] = before;
    const name = this.take(/[A-Za-z_]\w*/y) ?? "";
    if (this.take(/\[/y) !== undefined) this.arithmetic(this.at - 1, "]");
    if (this.take(/\+?=/y) === undefined) {
      // A pattern, such as `file[0-9]`.
      [this.at, this.sites.length, this.limits.length, this.assigned.length] = before;
      return undefined;
    }
    const valueStart = this.at;
    if (this.char === "(") {
      this.at++;
      this.#elements(valueStart);
    } else this.word();
    const written = this.text.slice(start, this.at);
    return { start, end: this.at, written, text: undefined, assigns: { name, valueStart } };
  }

  /** Reads the elements of an array, from behind its parenthesis on. */
  #elements(start: number): void {
    while (!this.atEnd) {
      this.take(/(?:\s|\\\n)+/y);
      if (this.take(/\)/y) !== undefined) return;
      if (this.char === "#") this.comment();
      else if (this.take(/\[/y) !== undefined) {
        this.arithmetic(this.at - 1, "]");
        this.take(/\+?=/y);
      } else this.#wordOrOperator();
    }
    this.unclosed(start, "a list of elements");
  }

  /** Reads the patterns of a branch, up to behind its parenthesis; or `esac`. */
  protected patterns(): void {
    for (;;) {
      this.take(/(?:\s|\\\n)+/y);
      if (this.char !== "#") break;
      this.comment();
    }
    if (this.peek(/esac(?=[\s;&|)]|$)/y) !== undefined) return;
    this.take(/\(/y);
    while (!this.atEnd && this.take(/\)/y) === undefined) {
      this.take(/[\s|]+/y);
      this.#wordOrOperator();
    }
  }

  /** Reads a word, and the operator behind it, which means nothing there. */
  #wordOrOperator(): void {
    this.word();
    if (/[;&|<>(]/.test(this.char)) this.at++;
  }

  /** Reads `[[ … ]]`, which has operators of its own. */
  protected conditional(): void {
    const start = this.at;
    this.at += 2;
    let before: Word | undefined;
    while (!this.atEnd) {
      this.take(/(?:\s|\\\n)+/y);
      if (this.take(/\]\](?=[\s;&|)]|$)/y) !== undefined) return;
      if (this.take(/&&|\|\||[()<>]|!(?=\s)/y) !== undefined) continue;
      const operator = this.take(/(?:-(?:eq|ne|lt|le|gt|ge|v)|=~)(?=\s)/y);
      if (operator === undefined) {
        before = this.word();
        if (before.end === before.start) this.at++;
        continue;
      }
      this.take(/\s+/y);
      if (operator === "-v") this.limit(this.word(), "plain", "the name of a variable, which bash evaluates");
      else if (operator === "=~") this.#expression();
      else {
        if (before !== undefined) this.limit(before, "number", "an operand that bash evaluates");
        this.limit(this.word(), "number", "an operand that bash evaluates");
      }
    }
    this.unclosed(start, "[[");
  }

  /** Reads the right side of `=~`: parentheses and bars are part of it. */
  #expression(): void {
    let depth = 0;
    while (!this.atEnd && !(depth === 0 && /[\s)]/.test(this.char))) {
      const { char } = this;
      if (/[()|<>;&]/.test(char) || (depth > 0 && /\s/.test(char))) {
        depth += char === "(" ? 1 : char === ")" ? -1 : 0;
        this.at++;
      } else this.word(/[\s()|<>;&]/);
    }
  }
}
