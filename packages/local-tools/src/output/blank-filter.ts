/** Blanks before a line's end, and blank lines in a row, that are left; more are a screen's layout. */
const maxBlanks = 20;
const maxBlankLines = 2;
/** Units of blanks that are held back until it is known what follows. */
const maxHeld = 4096;

const layout = /[ \t]{21}\n|\n[ \t]*\n[ \t]*\n[ \t]*\n/;
/** A text after which nothing needs to be remembered. */
const endsPlainly = /[^ \t\n]\n?$/;

/** Takes white space out of lines that only a screen's layout needs: many blanks before a line's end, and blank lines in a row but the first two. */
export class BlankFilter {
  /** UTF-16 units taken out so far. */
  removed = 0;
  /** Blanks at the end of the unfinished line. */
  #held = "";
  /** The unfinished line has more than blanks. */
  #begun = false;
  #blankLines = 0;

  /** Blanks that were held back. */
  get held(): string {
    return this.#held;
  }

  /** Takes the next text; returns what is left of it, without blanks at its end that may yet be taken out. */
  push(text: string): string {
    const first = text.charCodeAt(0);
    const startsPlainly = this.#held === "" && (this.#begun || (first !== 0x0a && first !== 0x20 && first !== 0x09));
    if (startsPlainly && endsPlainly.test(text.slice(-2)) && !layout.test(text)) {
      this.#begun = !text.endsWith("\n");
      this.#blankLines = 0;
      return text;
    }
    const lines = (this.#held + text).split("\n");
    const last = lines.pop() as string;
    return lines.map((line) => this.#line(line)).join("") + this.#unfinished(last);
  }

  /** Nothing more comes of this text: what is left of the blanks that were held back. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    if (held.length <= maxBlanks) return held;
    this.removed += held.length;
    return "";
  }

  #line(line: string): string {
    const shown = withoutBlanks(line);
    const isBlank = !this.#begun && shown === "";
    this.#begun = false;
    this.#blankLines = isBlank ? this.#blankLines + 1 : 0;
    if (this.#blankLines > maxBlankLines) {
      this.removed += line.length + 1;
      return "";
    }
    const blanks = line.length - shown.length;
    if (blanks <= maxBlanks) return `${line}\n`;
    this.removed += blanks;
    return `${shown}\n`;
  }

  #unfinished(line: string): string {
    const shown = withoutBlanks(line);
    const isLong = line.length - shown.length > maxHeld;
    this.#held = isLong ? "" : line.slice(shown.length);
    this.#begun ||= isLong || shown !== "";
    return isLong ? line : shown;
  }
}

function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line.charCodeAt(end - 1) === 0x20 || line.charCodeAt(end - 1) === 0x09)) end--;
  return line.slice(0, end);
}
