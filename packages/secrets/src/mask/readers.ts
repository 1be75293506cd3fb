import { between, type FormScanner, foreign, padding } from "./form-scanner.ts";

/** Reads a text that comes in pieces, and passes the digits in it to a scanner. */
export interface Reader {
  /** Takes the next piece, as units of UTF-16; `at`: the place of the first one in the whole text. */
  read(text: Uint16Array, at: number): void;
  /** As {@link FormScanner.openSince}. Infinity when nothing is open. */
  openSince(least: number): number;
}

/** Reads a text for one scanner, with a table of what its characters are: see {@link FormScanner.scan}. */
export class ScanningReader implements Reader {
  protected readonly scanner: FormScanner;
  readonly #kinds: Uint8Array;

  constructor(scanner: FormScanner, kinds: Uint8Array) {
    this.scanner = scanner;
    this.#kinds = kinds;
  }

  read(text: Uint16Array, at: number): void {
    this.scanner.scan(text, at, this.#kinds);
  }

  openSince(least: number): number {
    return this.scanner.openSince(least);
  }
}

/** Reads hexadecimal digits, of which two may take four characters: `\x41`, `41 4`. */
export class HexReader extends ScanningReader {
  /** The last of what was read, and where it ends. */
  #recent = "";
  #end = 0;

  constructor(scanner: FormScanner) {
    super(scanner, hexKinds);
  }

  override read(text: Uint16Array, at: number): void {
    super.read(text, at);
    this.#recent = (this.#recent + String.fromCharCode(...text.subarray(-recentUnits))).slice(-recentUnits);
    this.#end = at + text.length;
  }

  override openSince(least: number): number {
    const open = this.scanner.openSince(least);
    const begun = least > 2 ? this.scanner.openSince(2) : open;
    if (begun >= open) return open;
    const before = this.#recent.length - (this.#end - begun);
    const prefix = /(?:\\x|0x|%)$/i.exec(this.#recent.slice(0, Math.max(0, before)))?.[0].length ?? 0;
    const written = this.#recent.slice(Math.max(0, before)).replace(/[^0-9a-f]+$/i, "");
    return before < 0 || prefix + written.length >= least ? begun - prefix : open;
  }
}

const recentUnits = 32;

/** Standard and URL-safe, wrapped at any column; a backslash may stand before a `/`. */
export const base64Kinds: Uint8Array = kindsOf(
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "-_"],
  [0, 62],
  " \t\r\n\\",
);
base64Kinds["=".charCodeAt(0)] = padding;

/** With whatever programs write between bytes: `ab cd`, `ab:cd`, `\xab\xcd`, `0xab, 0xcd`, `%ab%cd`, `&#xab;`, `"ab", "cd"`. */
export const hexKinds: Uint8Array = kindsOf(
  ["0123456789abcdef", "ABCDEF"],
  [0, 10],
  " \t\r\n:,;-.|/+\\xXuU%&#'\"{}[]()",
);

/** Decimal digits, and what stands between the numbers of a list. */
const decimalKinds: Uint8Array = kindsOf(["0123456789"], [0], " \t\r\n,;");

/** Reads lists of decimal numbers as bytes, as a debugger shows a buffer: `[107, 81, 55]`. */
export class DecimalReader implements Reader {
  readonly #scanner: FormScanner;
  /** The number that is read, -1 for none, and where it begins. */
  #value = -1;
  #start = 0;
  #end = 0;
  #isList = false;

  constructor(scanner: FormScanner) {
    this.#scanner = scanner;
  }

  read(text: Uint16Array, at: number): void {
    for (let index = 0; index < text.length; index++) {
      if (this.#value === -1 && !this.#isList) index = nextDigit(text, index);
      if (index === text.length) break;
      const kind = decimalKinds[text[index] as number] as number;
      if (kind < between) {
        if (this.#value === -1) this.#start = at + index;
        this.#value = Math.min(1000, Math.max(0, this.#value) * 10 + kind);
        continue;
      }
      if (this.#value !== -1) this.#endNumber(at + index - 1);
      if (kind === foreign && this.#isList) {
        this.#scanner.break();
        this.#isList = false;
      }
    }
    this.#end = at + text.length;
  }

  openSince(least: number): number {
    const open = this.#scanner.openSince(Math.min(least, 3));
    const isBegun = this.#value !== -1 && this.#end - this.#start >= least;
    return isBegun && this.#value < 256 ? Math.min(open, this.#start) : open;
  }

  #endNumber(last: number): void {
    this.#isList = this.#value < 256;
    if (this.#isList) {
      this.#scanner.push(this.#value >> 4, this.#start);
      this.#scanner.push(this.#value & 15, last);
    } else this.#scanner.break();
    this.#value = -1;
  }
}

/** Returns the next place at which a list may begin: a number with something between it and another one. */
function nextDigit(text: Uint16Array, from: number): number {
  let index = from;
  while (index < text.length) {
    if ((decimalKinds[text[index] as number] as number) >= between) {
      index++;
      continue;
    }
    let behind = index + 1;
    while (behind < text.length && (decimalKinds[text[behind] as number] as number) < between) behind++;
    if (behind === text.length || (behind - index < 4 && decimalKinds[text[behind] as number] === between)) break;
    index = behind;
  }
  return index;
}

function kindsOf(digits: readonly string[], firsts: readonly number[], separators: string): Uint8Array {
  // For every unit: to ask for ASCII first would cost more than the table.
  const kinds = new Uint8Array(2 ** 16).fill(foreign);
  for (const separator of separators) kinds[separator.charCodeAt(0)] = between;
  for (const [row, letters] of digits.entries()) {
    for (const [index, letter] of [...letters].entries()) {
      kinds[letter.charCodeAt(0)] = (firsts[row] as number) + index;
    }
  }
  return kinds;
}
