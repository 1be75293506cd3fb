import type { FormIndex, Sought } from "./form-index.ts";
import { between, FormScanner, type Report } from "./form-scanner.ts";
import { hexKinds, type Reader } from "./readers.ts";

/** Hexadecimal digits in a row, and where each stands. */
interface Word {
  digits: number[];
  places: number[];
}

const newline = 10;
const colon = 58;
const maxWordLength = 16;

/**
 * Reads lines as `xxd`, `hexdump` and `od` print them: words of hexadecimal digits, as long as each other, with anything before and the
 * same bytes as letters behind. Only the words count; what stands before them is known by being something else: longer, or with
 * something other than blanks behind. In words of more than one byte the bytes may stand in reverse (`od -x` of a small machine), so
 * each line is read in both orders. What is found is hidden up to the end of its line, with the letters.
 */
export class DumpReader implements Reader {
  readonly #report: Report;
  readonly #inOrder: FormScanner;
  readonly #reversed: FormScanner;
  /** Whether the words of this line are before their row, in it, or behind it. */
  #place: "before" | "row" | "behind" = "before";
  #word: Word = { digits: [], places: [] };
  /** The word before; the next one decides whether it begins the row. */
  #pending: Word | undefined;
  /** An offset was seen: what follows is the row. */
  #hasOffset = false;
  #hasColon = false;
  /** It is the first of its line. */
  #isPendingFirst = false;
  /** Rows of this dump have nothing before them. */
  #isBare = false;
  #isLineStart = true;
  #blanks = 0;
  /** The last character belongs to a word that is none of digits. */
  #isInWord = false;
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
      if (this.#isIdle) {
        index = this.#skip(text, index);
        if (index === text.length) break;
      }
      if (this.#place === "behind") {
        const end = text.indexOf(newline, index);
        if (end === -1) break;
        index = end;
      }
      this.#take(text[index] as number, at + index);
    }
    this.#hideRest(at + text.length);
  }

  openSince(least: number): number {
    let open = Math.min(this.#inOrder.openSince(least), this.#reversed.openSince(least));
    for (const { digits, places } of this.#pending === undefined ? [this.#word] : [this.#pending, this.#word]) {
      if (places.length < Math.min(least, 4)) continue;
      const mayBegin = least < 4 || this.#place === "row" || this.#hasOffset || this.#mayBegin(digits);
      if (mayBegin) open = Math.min(open, places[0] as number);
    }
    return open;
  }

  #mayBegin(digits: readonly number[]): boolean {
    return this.#inOrder.wouldBegin(digits) || this.#reversed.wouldBegin(reversedBytes(digits));
  }

  /** Nothing of this line may belong to a row yet. */
  get #isIdle(): boolean {
    return (
      this.#place === "before" && !this.#hasOffset && this.#pending === undefined && this.#word.digits.length === 0
    );
  }

  /** Goes on to the next line, or to where a word of digits may begin: not in the middle of another word. */
  #skip(text: Uint16Array, from: number): number {
    let isInWord = this.#isInWord;
    let index = from;
    for (; index < text.length; index++) {
      const unit = text[index] as number;
      const kind = wordKinds[unit] as number;
      if (unit === newline) break;
      if (kind === digit && !isInWord) {
        let behind = index + 1;
        while (behind < text.length && wordKinds[text[behind] as number] === digit) behind++;
        if (behind === text.length || mayBelong(behind - index, text[behind] as number)) break;
        index = behind - 1;
      }
      isInWord = kind >= letter;
      if (kind !== blank) this.#isLineStart = false;
    }
    this.#isInWord = isInWord;
    return index;
  }

  #take(code: number, at: number): void {
    this.#isInWord = (wordKinds[code] as number) >= letter;
    const kind = hexKinds[code] as number;
    if (kind < between && this.#word.digits.length < maxWordLength) {
      this.#blanks = 0;
      this.#word.digits.push(kind);
      this.#word.places.push(at);
      return;
    }
    const isBlank = code === 32 || code === 9 || code === 13;
    if (isBlank || code === newline) this.#endWord();
    else if (code === colon && this.#place === "before" && this.#word.digits.length > 0) this.#takeOffset();
    else if (this.#place === "row") this.#place = "behind";
    else this.#drop();
    if (isBlank) this.#blanks++;
    // In rows with a colon two blanks stand before the letters, in others between two halves.
    if (this.#place === "row" && this.#hasColon && this.#blanks > 1) this.#place = "behind";
    if (code === newline) this.#endLine(at);
    else if (!isBlank) this.#isLineStart = false;
  }

  #takeOffset(): void {
    const isLong = this.#word.digits.length > 3;
    this.#drop();
    this.#hasOffset = isLong;
    this.#hasColon = isLong;
  }

  #drop(): void {
    if (this.#word.digits.length > 0) this.#word = { digits: [], places: [] };
    this.#pending = undefined;
    this.#hasOffset = false;
    this.#hasColon = false;
  }

  #endWord(): void {
    const word = this.#word;
    const { length } = word.digits;
    if (length === 0) return;
    this.#word = { digits: [], places: [] };
    if (this.#place === "row") {
      // The last word may have fewer bytes.
      this.#push(word);
      return;
    }
    const before = this.#pending;
    const isFirst = this.#isLineStart && before === undefined;
    this.#isLineStart = false;
    if (before?.digits.length === length && length % 2 === 0) {
      this.#isBare ||= this.#isPendingFirst;
      this.#begin(before, word);
    } else if (
      before !== undefined ? isOffset(before) && length < before.digits.length : this.#hasOffset && length < 6
    ) {
      this.#isBare = false;
      this.#begin(word);
    } else if (isFirst && this.#isBare && length % 2 === 0 && length < 6) this.#begin(word);
    else {
      this.#pending = word;
      this.#isPendingFirst = isFirst;
    }
  }

  #begin(...words: Word[]): void {
    this.#place = "row";
    this.#pending = undefined;
    for (const word of words) this.#push(word);
  }

  #push({ digits, places }: Word): void {
    for (const [index, digit] of digits.entries()) this.#inOrder.push(digit, places[index] as number);
    const first = places[0] as number;
    // A form may begin in the middle of a word: then it begins with it, and ends with its end.
    for (const digit of reversedBytes(digits)) this.#reversed.push(digit, first);
    if (this.#rest !== undefined) this.#hideRest((places[places.length - 1] as number) + 1);
  }

  #hideRest(end: number): void {
    const rest = this.#rest;
    if (rest === undefined || rest.end >= end) return;
    this.#report(rest.end, end, rest.sought, true);
    rest.end = end;
  }

  #endLine(at: number): void {
    if (this.#place === "before" && this.#hasOffset && this.#pending !== undefined) this.#begin(this.#pending);
    this.#hideRest(at);
    this.#rest = undefined;
    // A line without a row ends the dump.
    if (this.#place === "before" && this.#pending === undefined) {
      this.#inOrder.break();
      this.#reversed.break();
      this.#isBare = false;
    }
    this.#drop();
    this.#place = "before";
    this.#isLineStart = true;
    this.#blanks = 0;
  }
}

/** What a character is for words; 0 for what is none of these. */
const [blank, letter, digit] = [1, 2, 3] as const;
const wordKinds = new Uint8Array(2 ** 16);
for (let unit = 0; unit < 128; unit++) {
  const character = String.fromCharCode(unit);
  if (/[0-9a-f]/i.test(character)) wordKinds[unit] = digit;
  else if (/[g-z_]/i.test(character)) wordKinds[unit] = letter;
  else if (/[ \t\r]/.test(character)) wordKinds[unit] = blank;
}

/** Checks whether so many digits may be an offset, or the first of a row, by what is behind them. */
function mayBelong(length: number, unit: number): boolean {
  if (unit === colon) return length > 3;
  return (wordKinds[unit] === blank || unit === newline) && (length % 2 === 0 || length > 5);
}

function isOffset({ digits }: Word): boolean {
  return digits.length > 5;
}

function reversedBytes(digits: readonly number[]): number[] {
  if (digits.length % 2 !== 0) return [...digits];
  const reversed: number[] = [];
  for (let at = digits.length - 2; at >= 0; at -= 2) reversed.push(digits[at] as number, digits[at + 1] as number);
  return reversed;
}
