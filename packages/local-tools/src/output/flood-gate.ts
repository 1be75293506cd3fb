/** UTF-16 units of cleaned text a second: of more, nobody reads the middle, and the host has other work. */
const maxASecond = 16_000_000;
/** So much passes at any speed: a build's log or a large file is kept whole. */
const maxAtOnce = 64_000_000;
/** Units of what is skipped that are kept to resume from: nearly the last of a flood is shown. */
const keptUnits = 65_536;
/** A program enters or leaves the alternate screen: this must not be skipped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins control sequences.
const screenSwitch = /\u001b\[\?(?:1049|1047|47)[hl]/g;
/** Units of the longest of these, but one. */
const edgeUnits = 7;

/** What a flood left out. */
export interface Skipped {
  /** UTF-16 units that were skipped. */
  units: number;
  /** What to resume with. */
  rest: string;
}

/** Lets through what a terminal prints, so much at once and then so much a second; of what is more, the middle is skipped. */
export class FloodGate {
  readonly #aSecond: number;
  readonly #atOnce: number;
  /** What may still pass; it grows with time. */
  #room: number;
  #at = 0;
  #units = 0;
  #kept: string[] = [];
  #keptUnits = 0;
  #switch = "";
  #edge = "";

  constructor(aSecond: number = maxASecond, atOnce: number = maxAtOnce) {
    this.#aSecond = aSecond;
    this.#atOnce = atOnce;
    this.#room = atOnce;
  }

  /** So much cleaned text came of what was let through. */
  passed(units: number): void {
    this.#room -= units;
  }

  /** Returns true when a text is skipped. `now`: milliseconds. */
  skips(text: string, now: number): boolean {
    this.#room = Math.min(this.#atOnce, this.#room + ((now - this.#at) / 1000) * this.#aSecond);
    this.#at = now;
    if (this.#room > 0) return false;
    this.#units += text.length;
    this.#kept.push(text);
    this.#keptUnits += text.length;
    while (this.#keptUnits - (this.#kept[0] as string).length >= keptUnits) {
      this.#keptUnits -= (this.#kept.shift() as string).length;
    }
    for (const part of [this.#edge + text.slice(0, edgeUnits), text]) {
      if (part.includes("\u001b[?")) this.#switch = part.match(screenSwitch)?.at(-1) ?? this.#switch;
    }
    this.#edge = text.slice(-edgeUnits);
    return true;
  }

  /** Returns what was skipped since the last time, if anything was; nothing is held afterwards. */
  take(): Skipped | undefined {
    if (this.#units === 0) return undefined;
    const kept = this.#kept.join("");
    // From a line's beginning: no control sequence is cut.
    const text = kept.slice(kept.indexOf("\n") + 1);
    const skipped = { units: this.#units - text.length, rest: this.#switch + text };
    this.#units = 0;
    this.#kept = [];
    this.#keptUnits = 0;
    this.#switch = "";
    this.#edge = "";
    return skipped;
  }
}
