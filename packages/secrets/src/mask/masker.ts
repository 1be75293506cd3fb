import { DumpReader } from "./dump-reader.ts";
import type { Sought } from "./form-index.ts";
import { FormScanner, type Report } from "./form-scanner.ts";
import { HiddenPlaces } from "./hidden-places.ts";
import { base64Kinds, DecimalReader, HexReader, type Reader, ScanningReader } from "./readers.ts";
import type { SoughtValues } from "./sought-values.ts";
import { SpellingReader } from "./spelling-reader.ts";

/** Masks a text that comes in pieces. What the three return, joined, is the masked text. */
export interface Masker {
  /** Takes the next piece. Returns what no known value can reach any more. */
  write(text: string): string;
  /**
   * Returns everything but an ending that begins a form with four characters or more: for a result while the command runs. What was returned is
   * remembered: when it turns out to be the beginning of a form, the rest of the form is masked.
   */
  pause(): string;
  /** Returns the rest. The next `write` begins a new text. */
  end(): string;
  /** Creates another masker for what follows: it knows what was returned, and what this one holds back. */
  fork?(): Masker;
}

/** So many characters of a form may get out before it is known for one. */
const maxGiven = 3;
/** A line that began more characters before is none of a dump. */
const maxBeginningLength = 256;

interface MaskStreamOptions {
  keepsLines?: boolean;
  written?: (name: string) => string;
}

/** Masks a stream: several readers look at the text in their own way, what they find together is hidden. */
export class MaskStream implements Masker {
  readonly #values: SoughtValues;
  readonly #nameOf: (sought: Sought) => string;
  readonly #keepsLines: boolean;
  #readers: readonly Reader[] = [];
  readonly #written: (name: string) => string;
  #hidden: HiddenPlaces;
  /** The text from `#base` on; what is before it was returned, and no unfinished form reaches it. */
  #text = "";
  #base = 0;
  /** Everything before this place was given. */
  #given = 0;

  /** `keepsLines`: line ends in what is hidden stay. `written`: what stands in a value's place, default `‹NAME›`. */
  constructor(values: SoughtValues, nameOf: (sought: Sought) => string, options: MaskStreamOptions = {}) {
    this.#values = values;
    this.#nameOf = nameOf;
    this.#keepsLines = options.keepsLines ?? false;
    this.#written = options.written ?? ((name) => `‹${name}›`);
    this.#hidden = new HiddenPlaces(this.#written);
  }

  write(text: string): string {
    if (this.#values.isEmpty && this.#readers.length === 0) return text;
    if (this.#readers.length === 0) this.#start();
    this.#read(text);
    return this.#giveUpTo(this.#openSince(1));
  }

  pause(): string {
    if (this.#readers.length === 0) return "";
    const open = this.#openSince(maxGiven + 1);
    return this.#giveUpTo(this.#shownSince(open) > maxGiven ? open : this.#end);
  }

  end(): string {
    if (this.#readers.length === 0) return "";
    const rest = this.#giveUpTo(this.#end);
    this.#readers = [];
    this.#text = "";
    this.#base = 0;
    this.#given = 0;
    return rest;
  }

  fork(): MaskStream {
    const fork = new MaskStream(this.#values, this.#nameOf, { keepsLines: this.#keepsLines, written: this.#written });
    if (this.#readers.length === 0) return fork;
    fork.#start();
    fork.#read(this.#text);
    fork.#giveUpTo(this.#given - this.#base);
    return fork;
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  #start(): void {
    const { text, base64, hex } = this.#values.indexes;
    this.#hidden = new HiddenPlaces(this.#written);
    const report: Report = (start, end, sought, continued) =>
      this.#hidden.add({ start, end, name: this.#nameOf(sought), continued }, this.#given);
    this.#readers = [
      new SpellingReader(text, report),
      new ScanningReader(new FormScanner(base64, report), base64Kinds),
      new HexReader(new FormScanner(hex, report)),
      new DecimalReader(new FormScanner(hex, report)),
      new DumpReader(hex, report),
    ];
  }

  #read(text: string): void {
    const at = this.#end;
    this.#text += text;
    const units = unitsOf(text);
    for (const reader of this.#readers) reader.read(units, at);
    this.#hidden.sort();
  }

  #openSince(least: number): number {
    return this.#readers.reduce((open, reader) => Math.min(open, reader.openSince(least)), this.#end);
  }

  /** Returns how many characters from a place on were given in clear, or would be now. */
  #shownSince(place: number): number {
    return this.#hidden.shownBetween(place, this.#end, this.#given);
  }

  #giveUpTo(until: number): string {
    const { text, given } = this.#hidden.mask(
      (start, end) => this.#text.slice(start - this.#base, end - this.#base),
      this.#given,
      until,
      this.#keepsLines,
    );
    this.#given = given;
    const open = Math.min(given, this.#openSince(1));
    this.#hidden.forget(open);
    this.#keepFrom(open);
    return text;
  }

  /** Keeps the text from a place on, with the beginning of its line: a line of a dump can't be read without. */
  #keepFrom(place: number): void {
    const at = place - this.#base;
    const lineStart = at === 0 ? 0 : this.#text.lastIndexOf("\n", at - 1) + 1;
    const start = at - lineStart > maxBeginningLength ? at : lineStart;
    this.#text = this.#text.slice(start);
    this.#base += start;
  }
}

/** Converts a text to units, through which all readers go: that is several times faster than with a string. */
function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.from(text, "utf16le");
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}
