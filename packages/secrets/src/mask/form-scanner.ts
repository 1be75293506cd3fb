import { type Form, type FormIndex, gramLength, hashOf, type Sought } from "./form-index.ts";

/**
 * Takes a place of the text that must not be shown, from `start` to before `end`. `continued`: it belongs to the place before it, and
 * gets no name of its own.
 */
export type Report = (start: number, end: number, sought: Sought, continued: boolean) => void;

/** What a character is that is no digit: see {@link FormScanner.scan}. */
export const between = 64;
export const padding = 65;
export const foreign = 66;

/** With more than this between two digits they don't belong together. */
const maxGapLength = 256;

/** A form whose beginning stands at the end of what was read. */
interface Follower {
  readonly form: Form;
  /** How many of its digits. */
  length: number;
  /** Digits between them that were none of the form's. */
  readonly skipped: number;
}

/** Looks for the forms of one alphabet in a stream of digits. A reader knows which characters of the text are digits, and which are between them. */
export class FormScanner {
  readonly #index: FormIndex;
  readonly #report: Report;
  #followers: Follower[] = [];
  #gram = 0;
  /** Digits since the last break. */
  #run = 0;
  #count = 0;
  /** The last digits and where they stand in the text, in rings. */
  #digits = new Uint16Array(64);
  #places = new Float64Array(64);
  #mask = 63;
  #lastPlace = 0;
  #backslashAt = -1;
  /** A form that ended at the digit before and shares the next one with what follows it. */
  #tail: { sought: Sought; end: number; digits: number } | undefined;

  constructor(index: FormIndex, report: Report) {
    this.#index = index;
    this.#report = report;
  }

  /**
   * Reads the next piece of text; `at`: the place of its first unit. `kinds` has for each unit whether it is a digit (and
   * which), or one of `between`, `padding` and `foreign`.
   */
  scan(text: Uint16Array, at: number, kinds: Uint8Array): void {
    for (let index = 0; index < text.length; ) {
      if (this.#followers.length === 0 && this.#tail === undefined) {
        const from = index;
        index = this.#skipDigits(text, from, kinds);
        this.#noteBefore(text, at, from, index, kinds);
        if (index === text.length) break;
      }
      this.#take(text[index] as number, at + index, kinds);
      index++;
    }
    // So that no more than a gap of blanks is ever kept back.
    if (at + text.length - this.#lastPlace > maxGapLength) this.break();
  }

  /** Takes the next digit; `at`: its place in the text. */
  push(digit: number, at: number): void {
    this.#note(digit, at);
    const { filter, shift, gramMask } = this.#index;
    const gram = ((this.#gram << shift) ^ digit) & gramMask;
    this.#gram = gram;
    if (this.#tail !== undefined) this.#extendTail(at);
    if (this.#followers.length > 0) this.#follow(digit, at);
    if (filter[hashOf(gram)] !== 0 && this.#run >= gramLength) this.#wake(gram);
  }

  /** Forgets what came before: what follows has nothing to do with it. */
  break(): void {
    this.#run = 0;
    this.#followers = [];
    this.#tail = undefined;
  }

  /** Takes the padding of base64: ends the digits, and belongs to the form before it. */
  pad(at: number): void {
    const tail = this.#tail;
    this.break();
    if (tail === undefined) return;
    this.#report(tail.end, at + 1, tail.sought, true);
    this.#tail = { ...tail, end: at + 1, digits: 0 };
  }

  /** Returns where the earliest form begins that what was read may be the beginning of, with so many of its digits at least. */
  openSince(least: number): number {
    let length = 0;
    for (const { form, length: known, skipped } of this.#followers) {
      const digits = Math.min(known + form.lead + skipped, this.#run);
      if (digits >= least) length = Math.max(length, digits);
    }
    const lead = this.#index.hasLeads ? 1 : 0;
    for (let digits = Math.min(gramLength - 1, this.#run); digits > 0; digits--) {
      if (digits + lead < least || !this.#index.beginnings.has(this.#last(digits))) continue;
      length = Math.max(length, Math.min(digits + lead, this.#run));
      break;
    }
    if (least <= lead && this.#run > 0) length = Math.max(length, 1);
    return length === 0 ? Number.POSITIVE_INFINITY : this.#placeOf(length);
  }

  /** Checks whether these digits, if they came next, would be the beginning of a form. */
  wouldBegin(digits: readonly number[]): boolean {
    const begin = String.fromCharCode(...digits.slice(0, gramLength - 1));
    return this.#index.beginnings.has(begin);
  }

  /** Goes on to the next digit with which a form may wake up: where nothing is followed, the last four digits are all that counts. */
  #skipDigits(text: Uint16Array, from: number, kinds: Uint8Array): number {
    const { filter, shift, gramMask } = this.#index;
    let gram = this.#gram;
    let index = from;
    for (; index < text.length; index++) {
      const code = text[index] as number;
      const kind = kinds[code] as number;
      // No branch: which characters are digits is what a processor can't foresee. 0 for what is none, else all bits.
      const isDigit = (kind - between) >> 31;
      const next = ((gram << (shift & isDigit)) ^ (kind & isDigit)) & gramMask;
      if (filter[hashOf(next)] !== 0 && kind < between && this.#index.has(next)) break;
      gram = next;
    }
    this.#gram = gram;
    return index;
  }

  /** Notes the last digits of a part that was skipped: as many as a form that wakes up behind it can reach, with its lead. */
  #noteBefore(text: Uint16Array, at: number, from: number, to: number, kinds: Uint8Array): void {
    const digits: number[] = [];
    const places: number[] = [];
    let isApart = false;
    let next = at + to;
    for (let index = to - 1; index >= from && digits.length <= gramLength && !isApart; index--) {
      const code = text[index] as number;
      const kind = kinds[code] as number;
      isApart = kind > between || next - at - index > maxGapLength;
      if (isApart || kind === between) continue;
      next = at + index;
      digits.push(kind);
      places.push(next);
    }
    if (to > from && (isApart || digits.length > gramLength || next - this.#lastPlace > maxGapLength)) this.break();
    for (let index = digits.length - 1; index >= 0; index--)
      this.#note(digits[index] as number, places[index] as number);
  }

  #take(code: number, place: number, kinds: Uint8Array): void {
    const kind = kinds[code] as number;
    if (this.#isEscapedLetter(code, place)) {
      if (kind < between) this.#takeOrSkip(kind, place);
      return;
    }
    if (kind < between) {
      if (place - this.#lastPlace > maxGapLength) this.break();
      this.push(kind, place);
    } else if (kind === foreign) this.break();
    else if (kind === padding) this.pad(place);
  }

  /** Checks whether this is the letter of `\n` or `\r`, with which JSON writes the wraps of base64. */
  #isEscapedLetter(code: number, place: number): boolean {
    const isEscaped = this.#backslashAt === place - 1 && (code === 110 || code === 114);
    if (code === 92) this.#backslashAt = place;
    return isEscaped;
  }

  /** Takes a digit that may be none: each form is followed both with it and without it. */
  #takeOrSkip(digit: number, place: number): void {
    const without = this.#followers.map((follower) => ({ ...follower, skipped: follower.skipped + 1 }));
    this.push(digit, place);
    for (const follower of without) {
      // Two of a form are enough, and no more skipped than the rings hold: only hostile texts need more.
      if (follower.skipped + 1 >= follower.form.digits.length) continue;
      if (this.#followers.filter(({ form }) => form === follower.form).length < 2) this.#followers.push(follower);
    }
  }

  #note(digit: number, at: number): void {
    const slot = this.#count & this.#mask;
    this.#digits[slot] = digit;
    this.#places[slot] = at;
    this.#lastPlace = at;
    this.#count++;
    this.#run++;
  }

  #follow(digit: number, at: number): void {
    let kept = 0;
    for (const follower of this.#followers) {
      const { form } = follower;
      let { length } = follower;
      while (length >= gramLength && form.digits.charCodeAt(length) !== digit) length = form.border(length);
      // Shorter beginnings are nobody's: their form wakes up again with its fourth digit.
      if (length < gramLength) continue;
      length++;
      if (length === form.digits.length) {
        this.#end(follower, at);
        length = form.border(length);
        if (length < gramLength) continue;
      }
      follower.length = length;
      this.#followers[kept++] = follower;
    }
    this.#followers.length = kept;
  }

  #wake(gram: number): void {
    for (const form of this.#index.startingWith(gram)) {
      if (this.#followers.some((follower) => follower.form === form)) continue;
      if (this.#last(gramLength) !== form.digits.slice(0, gramLength)) continue;
      // Twice as long: with an escape between all its digits, a form is not looked for.
      this.#makeRoom(2 * form.digits.length);
      this.#followers.push({ form, length: gramLength, skipped: 0 });
    }
  }

  /** Makes the rings long enough for so many digits. */
  #makeRoom(length: number): void {
    const former = this.#mask + 1;
    if (length <= former) return;
    const size = 2 ** Math.ceil(Math.log2(length));
    const digits = new Uint16Array(size);
    const places = new Float64Array(size);
    for (let number = Math.max(0, this.#count - former); number < this.#count; number++) {
      digits[number & (size - 1)] = this.#digits[number & this.#mask] as number;
      places[number & (size - 1)] = this.#places[number & this.#mask] as number;
    }
    this.#digits = digits;
    this.#places = places;
    this.#mask = size - 1;
  }

  #end({ form, skipped }: Follower, at: number): void {
    const start = this.#placeOf(Math.min(form.digits.length + form.lead + skipped, this.#run));
    this.#report(start, at + 1, form.sought, false);
    if (form.trail > 0) this.#tail = { sought: form.sought, end: at + 1, digits: 1 };
  }

  #extendTail(at: number): void {
    const tail = this.#tail;
    if (tail === undefined || tail.digits === 0) {
      this.#tail = undefined;
      return;
    }
    this.#report(tail.end, at + 1, tail.sought, true);
    this.#tail = { ...tail, end: at + 1, digits: 0 };
  }

  #last(count: number): string {
    let text = "";
    for (let back = count; back > 0; back--) {
      text += String.fromCharCode(this.#digits[(this.#count - back) & this.#mask] as number);
    }
    return text;
  }

  #placeOf(back: number): number {
    return this.#places[(this.#count - back) & this.#mask] as number;
  }
}
