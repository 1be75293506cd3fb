import { type FormIndex, gramLength, type Sought } from "./form-index.ts";
import { between, FormScanner, type Report } from "./form-scanner.ts";
import { hexKinds, type Reader } from "./readers.ts";

/** Where in a line a reader of dumps stands. */
type Place = "start" | "offset-or-word" | "after-first" | "words" | "letters" | "elsewhere";

const newline = 10;
const colon = 58;
const longestWord = 16;

/**
 * Reads lines as `xxd`, `hexdump` and `od` print them: an offset, words of hexadecimal digits, and the same bytes as letters. Only
 * the words count. In words of more than one byte the bytes may stand in reverse (`od -x` of a small machine), so each line is
 * read in both orders. What is found is hidden up to the end of its line, with the letters.
 */
export class DumpReader implements Reader {
  readonly #report: Report;
  readonly #inOrder: FormScanner;
  readonly #reversed: FormScanner;
  #place: Place = "start";
  /** The word that is being read, and where its digits stand. */
  #word: number[] = [];
  #places: number[] = [];
  #hasOffset = false;
  #hasColon = false;
  #blanks = 0;
  /** What was found in this line, to be hidden up to the line's end. */
  #rest: { sought: Sought; end: number } | undefined;

  constructor(index: FormIndex, report: Report) {
    this.#report = report;
    const found: Report = (start, end, sought, continued) => {
      report(start, end, sought, continued);
      this.#rest = { sought, end };
    };
    this.#inOrder = new FormScanner(index, found);
    this.#reversed = new FormScanner(index, found);
  }

  read(text: Uint16Array, at: number): void {
    for (let index = 0; index < text.length; index++) {
      if (this.#place === "elsewhere" || this.#place === "letters") {
        const end = text.indexOf(newline, index);
        if (end === -1) break;
        index = end;
      }
      this.#take(text[index] as number, at + index);
    }
    this.#hideRest(at + text.length);
  }

  openSince(least: number): number {
    const word = this.#places[0];
    let open = Math.min(this.#inOrder.openSince(least), this.#reversed.openSince(least));
    if (word !== undefined && this.#word.length >= least && (least < gramLength || this.#mayBegin())) {
      open = Math.min(open, word);
    }
    return open;
  }

  /** Whether the word that is being read may begin a value: its bytes are in reverse, so their order is known at its end only. */
  #mayBegin(): boolean {
    return this.#hasOffset || this.#reversed.wouldBegin(reversedBytes(this.#word));
  }

  #take(code: number, at: number): void {
    if (code === newline) {
      if (this.#place === "offset-or-word" || this.#place === "words") this.#endWord();
      this.#hideRest(at);
      this.#rest = undefined;
      this.#startLine();
      return;
    }
    const isBlank = code === 32 || code === 9 || code === 13;
    const digit = code < 128 ? (hexKinds[code] as number) : between;
    if (digit < between) {
      if (this.#place === "after-first") this.#decideFirst();
      if (this.#place === "start") this.#place = "offset-or-word";
      this.#blanks = 0;
      this.#word.push(digit);
      this.#places.push(at);
      if (this.#word.length > longestWord) this.#leave();
      return;
    }
    switch (this.#place) {
      case "start":
        if (!isBlank) this.#leave();
        return;
      case "offset-or-word":
        if (code === colon && this.#word.length >= 4) {
          this.#hasColon = true;
          this.#takeOffset();
        } else if (isBlank) {
          this.#place = "after-first";
          this.#blanks = 1;
        } else this.#leave();
        return;
      case "after-first":
        if (isBlank) this.#blanks++;
        else this.#leave();
        return;
      default:
        this.#afterWord(isBlank, code);
    }
  }

  #afterWord(isBlank: boolean, code: number): void {
    this.#endWord();
    if (!isBlank) {
      // The letters of hexdump -C and of od stand between these.
      if (code === 124 || code === 62) this.#place = "letters";
      else this.#leave();
      return;
    }
    this.#blanks++;
    if (this.#hasColon && this.#blanks > 1) this.#place = "letters";
  }

  /** The first word of a line is known for an offset by its length and by what follows it. */
  #decideFirst(): void {
    const { length } = this.#word;
    if (length === 6 || length === 7 || (length === 8 && this.#blanks > 1)) this.#takeOffset();
    else {
      this.#endWord();
      this.#place = "words";
    }
  }

  #takeOffset(): void {
    this.#hasOffset = true;
    this.#clearWord();
    this.#place = "words";
    this.#blanks = 0;
  }

  #endWord(): void {
    const { length } = this.#word;
    if (length === 0) return;
    // The last line of hexdump and od is an offset alone.
    if (this.#place !== "offset-or-word" || length < 6 || length > 8) {
      for (const [index, digit] of this.#word.entries()) this.#inOrder.push(digit, this.#places[index] as number);
      const first = this.#places[0] as number;
      // A form may begin in the middle of a word: then it begins with it, and ends with its end.
      for (const digit of reversedBytes(this.#word)) this.#reversed.push(digit, first);
      if (this.#rest !== undefined) this.#hideRest((this.#places[length - 1] as number) + 1);
    }
    this.#clearWord();
  }

  #clearWord(): void {
    this.#word = [];
    this.#places = [];
  }

  #hideRest(end: number): void {
    const rest = this.#rest;
    if (rest === undefined || rest.end >= end) return;
    this.#report(rest.end, end, rest.sought, true);
    rest.end = end;
  }

  #startLine(): void {
    this.#clearWord();
    this.#place = "start";
    this.#hasOffset = false;
    this.#hasColon = false;
    this.#blanks = 0;
  }

  /** The line is no dump. */
  #leave(): void {
    this.#clearWord();
    this.#place = "elsewhere";
    this.#inOrder.break();
    this.#reversed.break();
  }
}

function reversedBytes(digits: readonly number[]): number[] {
  if (digits.length % 2 !== 0) return [...digits];
  const reversed: number[] = [];
  for (let at = digits.length - 2; at >= 0; at -= 2) reversed.push(digits[at] as number, digits[at + 1] as number);
  return reversed;
}
