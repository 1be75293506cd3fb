import { type Form, type FormIndex, gramLength, hashOf } from "./form-index.ts";
import type { Report } from "./form-scanner.ts";
import type { Reader } from "./readers.ts";
import { beginsSpelling, maxBackslashes, readSpelling } from "./spellings.ts";

/** A beginning of a form that ends where the text was read to. */
interface Follower {
  readonly form: Form;
  /** How many of the form's characters. */
  length: number;
  /** Where each character stands that was read, the last ones of the form's own. */
  places: number[];
  /** All of it is written as bytes in hexadecimal digits: then it is found as those. */
  isHex: boolean;
}

/** A text that may spell a character, from `start` on. */
interface Token {
  readonly start: number;
  text: string;
  /** What ended before it, as it was then. */
  readonly before: readonly (Omit<Follower, "places"> & { places: readonly number[]; count: number })[];
  /** The last characters before it, as they are. */
  readonly plain: string;
}

/** Different spellings may lead to as many beginnings of one form at one place; more come of hostile texts only. */
const maxOfForm = 4;
const hexadecimal = /^(?:%|\\+x)[0-9a-f]{2}/i;

/**
 * Looks for values as texts, whose characters may be written in any spelling and in any mixture of them. Followers go through the text
 * character by character; where a spelling may begin, they are remembered, and continue behind it as well. A form is followed from its
 * first four characters on where they are as they are, and from the first spelling among them elsewhere.
 */
export class SpellingReader implements Reader {
  readonly #index: FormIndex;
  readonly #report: Report;
  #followers: Follower[] = [];
  #tokens: Token[] = [];
  #gram = 0;
  /** The last characters before what is read, and where that is. */
  #last = "";
  /** The same before the piece that is read. */
  #before = "";
  #end = 0;

  constructor(index: FormIndex, report: Report) {
    this.#index = index;
    this.#report = report;
  }

  read(units: Uint16Array, at: number): void {
    this.#before = this.#last;
    let noted = 0;
    const note = (to: number): void => {
      const from = Math.max(noted, to - gramLength);
      this.#last = (this.#last + String.fromCharCode(...units.subarray(from, to))).slice(-gramLength);
      noted = to;
    };
    for (let index = 0; index < units.length; index++) {
      if (this.#followers.length === 0 && this.#tokens.length === 0) {
        index = this.#skip(units, index);
        if (index === units.length) break;
      }
      note(index);
      this.#take(units[index] as number, at + index);
    }
    note(units.length);
    this.#end = at + units.length;
  }

  openSince(least: number): number {
    let open = this.#end;
    const consider = (start: number): void => {
      if (this.#end - start >= least) open = Math.min(open, start);
    };
    for (const follower of this.#followers) consider(startOf(follower));
    for (const { start, before, plain } of this.#tokens) {
      consider(start);
      for (const { length, places, count } of before) consider(places[count - length] as number);
      this.#considerPlain(plain, start, consider);
    }
    this.#considerPlain(this.#last, this.#end, consider);
    return open === this.#end ? Number.POSITIVE_INFINITY : open;
  }

  /** Returns the last characters of a text that begin a form. */
  #considerPlain(text: string, end: number, consider: (start: number) => void): void {
    for (let length = gramLength - 1; length > 0; length--)
      if (this.#index.beginnings.has(text.slice(-length))) consider(end - length);
  }

  /** Goes on to where a form may begin: four characters of one, or a spelling of one of them. */
  #skip(units: Uint16Array, from: number): number {
    const { filter, shift } = this.#index;
    let gram = this.#gram;
    let index = from;
    // Backslashes before it are looked at.
    let looked = from;
    for (; index < units.length; index++) {
      const unit = units[index] as number;
      const next = (gram << shift) ^ unit;
      if (filter[hashOf(next)] !== 0 && this.#index.has(next)) break;
      if (begins[unit] !== 0 && index >= looked) {
        if (this.#mayBegin(units, index)) break;
        if (unit === slash) looked = behindSlashes(units, index);
        if (units[looked] === slash) looked = index;
      }
      gram = next;
    }
    this.#gram = gram;
    return index;
  }

  /** Returns false where the text shows at once that no form begins with what is spelled here, or continues behind it. */
  #mayBegin(units: Uint16Array, at: number): boolean {
    const unit = units[at] as number;
    const next = units[at + 1];
    if (unit === plus) return this.#mayHold(32, units, at, at + 1);
    if (next === undefined) return true;
    if (unit === percentSign && next !== percentSign) {
      const digit = hexValue(next);
      const other = units[at + 2];
      if (digit === -1) return next === 117 || next === 85;
      if (digit > 7) return this.#index.isWide;
      return other === undefined || this.#mayHold(digit * 16 + hexValue(other), units, at, at + 3);
    }
    if (unit === slash) {
      const last = behindSlashes(units, at);
      const letter = units[last];
      if (letter === undefined || (last > at + 1 && this.#index.early.has(slash))) return true;
      if (letter < 128 && codeLetters[letter] !== 0) return true;
      return this.#mayHold(letter < 128 ? (escapedUnits[letter] as number) : letter, units, at, last + 1);
    }
    if (unit === ampersand) return next === 35 || (next | 32) >= 97;
    if (unit === carriageReturn) return next === 10 && this.#mayHold(10, units, at, at + 2);
    const { early } = this.#index;
    if (next === unit && early.has(unit)) return units[at + 2] === unit || this.#mayHold(unit, units, at, at + 2);
    if (unit === doubleQuote) return next === quote && early.has(unit);
    if (unit !== quote) return false;
    return (
      next === 36 || ((next === slash || next === doubleQuote) && early.has(quote)) || (next === 10 && early.has(10))
    );
  }

  /** Checks whether a character may be one of the first four of a form, with those before it, from `at` on, and with the one `behind` it. */
  #mayHold(unit: number, units: Uint16Array, at: number, behind: number): boolean {
    const early = this.#index.early.get(unit);
    if (early === undefined) return false;
    for (let n = 0; n < early.length; n++) {
      const { form, place } = early[n] as (typeof early)[number];
      let back = 1;
      while (back <= place && this.#unitAt(units, at - back) === form.digits.charCodeAt(place - back)) back++;
      if (back > place && mayBe(form.digits.charCodeAt(place + 1), units, behind)) return true;
    }
    return false;
  }

  #unitAt(units: Uint16Array, at: number): number {
    return at < 0 ? this.#before.charCodeAt(this.#before.length + at) : (units[at] as number);
  }

  #take(unit: number, at: number): void {
    const character = String.fromCharCode(unit);
    const before = this.#followers;
    const begun: Token[] =
      begins[unit] !== 0
        ? [
            {
              start: at,
              text: "",
              before: before.map((one) => ({ ...one, count: one.places.length })),
              plain: this.#last,
            },
          ]
        : [];
    this.#followers = [];
    const gram = (this.#gram << this.#index.shift) ^ unit;
    this.#gram = gram;
    for (const follower of before) this.#goOn(follower, unit, at);
    if (this.#index.filter[hashOf(gram)] !== 0) {
      const text = (this.#last + character).slice(-gramLength);
      for (const form of this.#index.startingWith(gram))
        if (form.digits.startsWith(text))
          this.#add({ form, length: gramLength, places: [at - 3, at - 2, at - 1, at], isHex: false }, at);
    }
    const tokens = this.#tokens;
    this.#tokens = [];
    for (const token of [...tokens, ...begun]) {
      token.text += character;
      const { characters, isOpen } = readSpelling(token.text);
      for (const spelled of characters) this.#spelled(token, spelled, at);
      if (isOpen) this.#tokens.push(token);
    }
  }

  /** Moves a follower by the next character as it is. Where that does not fit, a shorter beginning may. */
  #goOn(follower: Follower, unit: number, at: number): void {
    const { form } = follower;
    let { length } = follower;
    while (length >= gramLength && form.digits.charCodeAt(length) !== unit) length = form.border(length);
    if (form.digits.charCodeAt(length) !== unit) return;
    follower.places.push(at);
    follower.length = length + 1;
    follower.isHex = false;
    this.#add(follower, at);
  }

  /** Ends a spelling: those that ended before it continue behind it, and forms begin with it or shortly before. */
  #spelled({ start, before, plain, text }: Token, spelled: string, at: number): void {
    const isHex = hexadecimal.test(text);
    const places = Array.from({ length: spelled.length }, () => start);
    for (const one of before) {
      if (!one.form.digits.startsWith(spelled, one.length)) continue;
      const own = one.places.slice(one.count - one.length, one.count);
      this.#add(
        { form: one.form, length: one.length + spelled.length, places: [...own, ...places], isHex: isHex && one.isHex },
        at,
      );
    }
    for (const { form, place } of this.#index.early.get(spelled.charCodeAt(0)) ?? []) {
      const lead = form.digits.slice(0, place);
      if (!form.digits.startsWith(spelled, place) || !plain.endsWith(lead)) continue;
      const own = Array.from({ length: place }, (_, index) => start - place + index);
      this.#add({ form, length: place + spelled.length, places: [...own, ...places], isHex: isHex && place === 0 }, at);
    }
  }

  #add(follower: Follower, at: number): void {
    const { form } = follower;
    if (follower.length === form.digits.length) {
      if (!follower.isHex) this.#report(startOf(follower), at + 1, form.sought, false);
      follower.length = form.border(follower.length);
      if (follower.length < gramLength) return;
    }
    const same = this.#followers.filter((one) => one.form === form);
    const equal = same.find((one) => one.length === follower.length);
    if (equal !== undefined) {
      // What one reads as a character another may read as two: the one that began first hides all of it.
      if (startOf(follower) < startOf(equal)) Object.assign(equal, follower);
      return;
    }
    if (same.length >= maxOfForm || same.some((one) => form.endsIn(one.length, follower.length))) return;
    // Of a long text that a form follows again and again, only the last part counts.
    if (follower.places.length > 4 * form.digits.length + 64)
      follower.places = follower.places.slice(-form.digits.length);
    this.#followers.push(follower);
  }
}

const [slash, percentSign, ampersand, plus, carriageReturn, quote, doubleQuote] = [92, 37, 38, 43, 13, 39, 34];
const begins = new Uint8Array(2 ** 16);
for (const character of beginsSpelling) begins[character.charCodeAt(0)] = 1;
/** What comes behind a backslash and needs digits. */
const codeLetters = new Uint8Array(128);
for (const character of "01234567xuU") codeLetters[character.charCodeAt(0)] = 1;

/** What a letter behind a backslash stands for; -1 for nothing. */
const escapedUnits = Int32Array.from({ length: 128 }, (_, letter) => {
  const character = String.fromCharCode(letter);
  return readSpelling(`\\${character}`).characters[0]?.charCodeAt(0) ?? -1;
});

function startOf({ places, length }: Follower): number {
  return places[places.length - length] as number;
}

/** Returns the place behind the backslashes that stand there, as many as a spelling may have. */
function behindSlashes(units: Uint16Array, at: number): number {
  let behind = at + 1;
  while (units[behind] === slash && behind - at < maxBackslashes) behind++;
  return behind;
}

/** Returns false where a character that is expected can't stand at a place in any spelling. */
function mayBe(expected: number, units: Uint16Array, at: number): boolean {
  const unit = units[at];
  if (unit === undefined || unit === expected) return true;
  if (begins[unit] === 0) return false;
  if (unit === slash) {
    const letter = units[behindSlashes(units, at)];
    if (letter === undefined || letter === slash || expected === slash || (letter < 128 && codeLetters[letter] !== 0))
      return true;
    return (letter < 128 ? escapedUnits[letter] : letter) === expected;
  }
  const [one, two] = [units[at + 1], units[at + 2]];
  if (unit !== percentSign || one === undefined || two === undefined || expected > 127) return true;
  return one === percentSign || one === 117 || hexValue(one) * 16 + hexValue(two) === expected;
}

function hexValue(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 48;
  const small = unit | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}
