import type { FormText } from "./forms.ts";

/** A value that is looked for, and the names it has. */
export interface Sought {
  readonly names: ReadonlySet<string>;
}

/** So many digits of a form wake it up: see {@link FormIndex}. */
export const gramLength = 4;

/** One form of a value, with what the Knuth–Morris–Pratt algorithm needs to follow it through a text. */
export class Form {
  readonly digits: string;
  readonly lead: 0 | 1;
  readonly trail: 0 | 1;
  readonly sought: Sought;
  /** For each length of a beginning: its longest other beginning that it ends with. Filled as far as it was needed. */
  #borders: Int32Array = new Int32Array(0);
  #filled = 0;
  /** For each length of a beginning: whether its last four digits are the first four. */
  #holdsGram: Uint8Array = new Uint8Array(0);

  constructor({ digits, lead, trail }: FormText, sought: Sought) {
    this.digits = digits;
    this.lead = lead ? 1 : 0;
    this.trail = trail ? 1 : 0;
    this.sought = sought;
  }

  /** Returns how many digits still fit when a digit does not fit after `length` of them. */
  border(length: number): number {
    if (length > this.#filled) this.#fill(length);
    return this.#borders[length - 1] as number;
  }

  /** Checks whether what ends with the first `long` digits ends with the first `short` ones, too. */
  endsIn(long: number, short: number): boolean {
    if (short >= long) return false;
    // Of so short a beginning there is a table: it is asked for again and again.
    if (short === gramLength) {
      this.border(long);
      return this.#holdsGram[long] === 1;
    }
    let length = long;
    for (let n = 0; n < 64 && length > short; n++) length = this.border(length);
    return length === short;
  }

  #fill(length: number): void {
    if (length > this.#borders.length) {
      const borders = new Int32Array(Math.min(this.digits.length, Math.max(64, length * 2)));
      borders.set(this.#borders.subarray(0, this.#filled));
      this.#borders = borders;
      const holdsGram = new Uint8Array(borders.length + 1);
      holdsGram.set(this.#holdsGram.subarray(0, this.#filled + 1));
      this.#holdsGram = holdsGram;
    }
    const borders = this.#borders;
    const { digits } = this;
    for (let at = this.#filled; at < length; at++) {
      const digit = digits.charCodeAt(at);
      let fits = at === 0 ? 0 : (borders[at - 1] as number);
      while (fits > 0 && digits.charCodeAt(fits) !== digit) fits = borders[fits - 1] as number;
      const border = at > 0 && digits.charCodeAt(fits) === digit ? fits + 1 : 0;
      borders[at] = border;
      this.#holdsGram[at + 1] = border === gramLength || this.#holdsGram[border] === 1 ? 1 : 0;
    }
    this.#filled = length;
  }
}

/**
 * The forms of one alphabet, by their first four digits (a gram). A text is scanned by a look into a table at each digit: forms sleep
 * until their first four digits stand there, which in ordinary text they hardly ever do.
 */
export class FormIndex {
  /** Bits by which a gram is shifted for each digit; four digits and no more must count. */
  readonly shift: number;
  readonly gramMask: number;
  /** Not 0 where a gram with this hash begins a form. */
  readonly filter: Uint8Array = new Uint8Array(2 ** 16);
  /** The first one, two and three digits of all forms. */
  readonly beginnings: Set<string> = new Set();
  /** Forms by their first four digits, one by one, with the place of each. */
  readonly early: Map<number, { form: Form; place: number }[]> = new Map();
  /** Whether one of those is beyond ASCII. */
  isWide = false;
  hasLeads = false;
  readonly #byGram = new Map<number, Form[]>();

  constructor(bitsOfDigit: 4 | 6 | 8) {
    this.shift = bitsOfDigit;
    this.gramMask = bitsOfDigit === 8 ? -1 : 2 ** (bitsOfDigit * gramLength) - 1;
  }

  add(form: Form): void {
    let gram = 0;
    for (let at = 0; at < gramLength; at++) {
      gram = this.next(gram, form.digits.charCodeAt(at));
      if (at < gramLength - 1) this.beginnings.add(form.digits.slice(0, at + 1));
      const digit = form.digits.charCodeAt(at);
      this.isWide ||= digit > 127;
      this.early.set(digit, [...(this.early.get(digit) ?? []), { form, place: at }]);
    }
    this.filter[hashOf(gram)] = 1;
    const same = this.#byGram.get(gram);
    if (same === undefined) this.#byGram.set(gram, [form]);
    else same.push(form);
    this.hasLeads ||= form.lead > 0;
  }

  /** Returns the gram that a digit makes of the one before it. Only units above 255 can make two grams equal. */
  next(gram: number, digit: number): number {
    return ((gram << this.shift) ^ digit) & this.gramMask;
  }

  has(gram: number): boolean {
    return this.#byGram.has(gram);
  }

  /** Returns the forms that may begin with a gram; to be compared with the text. */
  startingWith(gram: number): readonly Form[] {
    return this.#byGram.get(gram) ?? [];
  }

  clear(): void {
    this.filter.fill(0);
    this.beginnings.clear();
    this.early.clear();
    this.isWide = false;
    this.#byGram.clear();
    this.hasLeads = false;
  }
}

export function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> 16;
}
