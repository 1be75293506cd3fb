/** More than that nobody reads, and the host has other work. */
const mostASecond = 16_000_000;
/** Units of what is skipped that are kept to go on from: nearly the last of a flood is shown. */
const keptUnits = 65_536;
/** A program takes the alternate screen, or gives it back: this must not be skipped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins control sequences.
const screenSwitch = /\u001b\[\?(?:1049|1047|47)[hl]/g;
/** Units of the longest of these, but one. */
const edgeUnits = 7;

/** What a flood left out. */
export interface Skipped {
  /** UTF-16 units that were skipped. */
  units: number;
  /** What to go on with. */
  rest: string;
}

/** Lets through what a terminal prints, up to so much cleaned text a second; of what is more, the middle is skipped. */
export class FloodGate {
  readonly #most: number;
  #second = 0;
  #passed = 0;
  #units = 0;
  #kept: string[] = [];
  #keptUnits = 0;
  #switch = "";
  #edge = "";

  /** `most`: UTF-16 units of cleaned text that pass in a second. */
  constructor(most: number = mostASecond) {
    this.#most = most;
  }

  /** So much cleaned text came of what was let through. */
  passed(units: number): void {
    this.#passed += units;
  }

  /** True when a text is skipped. `now`: milliseconds. */
  skips(text: string, now: number): boolean {
    if (now - this.#second >= 1000) {
      this.#second = now;
      this.#passed = 0;
    }
    if (this.#passed < this.#most) return false;
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

  /** What was skipped since the last time, if anything was; nothing is held afterwards. */
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
