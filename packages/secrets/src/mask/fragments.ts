import { between } from "./form-scanner.ts";
import type { Alphabet } from "./forms.ts";
import { base64Kinds, hexKinds } from "./readers.ts";
import { spelledOut } from "./spellings.ts";

/** Part of a form, at one end of a text: so many characters of the text. */
export interface Fragment {
  readonly length: number;
  readonly name: string;
}

/** A form, with the name that its value has. */
export interface NamedForm {
  readonly alphabet: Alphabet;
  readonly digits: string;
  readonly name: string;
}

/** Between two forms; no digit, and no character of a text. */
const apart = "\uffff";
const hashBits = 20;
const gramLength = 4;
/** A spelled character takes no more in nearly all texts. */
const maxSpellingLength = 8;
/** JSON writes line ends of a wrapped text so. */
const escapesBefore = /^(?:\\+[nr])+/;
const escapesBehind = /(?:\\+[nr]|={1,2})+$/;

/**
 * Finds pieces of forms, from the middle of one as well: for texts that were cut out of longer ones, where a form is not there as a whole.
 * A piece must stand at an end of the text, because that is where the rest of it was cut off.
 */
export class Fragments {
  readonly #parts: readonly Part[];

  constructor(forms: Iterable<NamedForm>) {
    const byAlphabet: Record<Alphabet, NamedForm[]> = { text: [], base64: [], hex: [] };
    for (const form of forms) byAlphabet[form.alphabet].push(form);
    this.#parts = [
      new Part(byAlphabet.text, undefined),
      new Part(byAlphabet.base64, base64Kinds),
      new Part(byAlphabet.hex, hexKinds),
    ];
  }

  /** Returns the piece with which a text begins, of `least` digits or more. Several that follow each other are one. */
  atStart(text: string, least: number): Fragment | undefined {
    return this.#atEdge(text, least, false);
  }

  /** Returns the piece with which a text ends. */
  atEnd(text: string, least: number): Fragment | undefined {
    return this.#atEdge(text, least, true);
  }

  #atEdge(text: string, least: number, atEnd: boolean): Fragment | undefined {
    let name: string | undefined;
    let taken = 0;
    const rest = (from: number): string => (atEnd ? text.slice(0, text.length - from) : text.slice(from));
    for (let from = 0; ; ) {
      const here = rest(from);
      let longest: Fragment | undefined;
      for (const part of this.#parts) {
        const found = part.atEdge(here, least, atEnd);
        if (found !== undefined && found.length > (longest?.length ?? 0)) longest = found;
      }
      if (longest !== undefined) {
        name ??= longest.name;
        from += longest.length;
        taken = from;
        continue;
      }
      const skipped = (atEnd ? escapesBehind : escapesBefore).exec(here)?.[0].length ?? 0;
      // Once: after an escape there must be a piece again.
      if (skipped === 0 || from > taken) break;
      from += skipped;
    }
    return name === undefined ? undefined : { length: taken, name };
  }
}

/** The forms of one alphabet, as one text to look into. */
class Part {
  readonly #joined: string;
  readonly #kinds: Uint8Array | undefined;
  readonly #longest: number;
  /** Where each form begins in the joined text, and its name. */
  readonly #starts: number[] = [];
  readonly #names: string[] = [];
  /** Not 0 where four digits with this hash stand in a form: nearly all of what is asked about stands in none. */
  readonly #grams = new Uint8Array(2 ** hashBits);

  constructor(forms: readonly NamedForm[], kinds: Uint8Array | undefined) {
    this.#kinds = kinds;
    let at = 0;
    for (const { digits, name } of forms) {
      this.#starts.push(at);
      this.#names.push(name);
      at += digits.length + apart.length;
      for (let from = 0; from + gramLength <= digits.length; from++) this.#grams[hashOf(digits, from)] = 1;
    }
    this.#joined = forms.map(({ digits }) => digits).join(apart);
    this.#longest = Math.max(0, ...forms.map(({ digits }) => digits.length));
  }

  atEdge(text: string, least: number, atEnd: boolean): Fragment | undefined {
    const { digits, places } = this.#digitsOf(text, atEnd);
    if (digits.length < least) return undefined;
    const slice = (length: number): string => (atEnd ? digits.slice(digits.length - length) : digits.slice(0, length));
    if (this.#grams[hashOf(digits, atEnd ? digits.length - gramLength : 0)] === 0) return undefined;
    const place = this.#joined.indexOf(slice(least));
    if (place === -1) return undefined;
    // A part of what stands in a form stands in it, too.
    let fits = least;
    let tooLong = Math.min(digits.length, this.#longest) + 1;
    while (tooLong - fits > 1) {
      const middle = (fits + tooLong) >> 1;
      if (this.#joined.includes(slice(middle))) fits = middle;
      else tooLong = middle;
    }
    const last = places === undefined ? fits : (places[fits - 1] as number) + 1;
    return { length: last, name: this.#nameAt(this.#joined.indexOf(slice(fits))) };
  }

  /** Reads the digits at one end of a text, in the order of the text; `places`: how far from that end each is, the nearest first. */
  #digitsOf(text: string, atEnd: boolean): { digits: string; places?: number[] } {
    const kinds = this.#kinds;
    const most = this.#longest;
    if (kinds === undefined)
      return plainAtEdge(
        atEnd ? text.slice(-most * maxSpellingLength) : text.slice(0, most * maxSpellingLength),
        atEnd,
      );
    const digits: number[] = [];
    const places: number[] = [];
    for (let from = 0; from < text.length && digits.length < most; from++) {
      const code = text.charCodeAt(atEnd ? text.length - 1 - from : from);
      const kind = code < 128 ? (kinds[code] as number) : between + 1;
      if (kind > between) break;
      if (kind === between) continue;
      digits.push(kind);
      places.push(from);
    }
    if (atEnd) digits.reverse();
    let joined = "";
    for (let at = 0; at < digits.length; at += 4096) joined += String.fromCharCode(...digits.slice(at, at + 4096));
    return { digits: joined, places };
  }

  #nameAt(place: number): string {
    const behind = this.#starts.findIndex((start) => start > place);
    return this.#names[(behind === -1 ? this.#starts.length : behind) - 1] ?? "";
  }
}

/** Decodes a text, whatever its characters are spelled as. */
function plainAtEdge(text: string, atEnd: boolean): { digits: string; places: number[] } {
  const { text: digits, places } = spelledOut(text);
  const ends = [...places.slice(1), text.length].map((end, index) => (end === places[index] ? end : end - 1));
  return { digits, places: atEnd ? places.map((place) => text.length - 1 - place).reverse() : ends };
}

function hashOf(digits: string, at: number): number {
  let hash = 0;
  for (let from = at; from < at + gramLength; from++) hash = Math.imul(hash, 0x10001) + digits.charCodeAt(from) + 1;
  return Math.imul(hash, 0x9e3779b1) >>> (32 - hashBits);
}
