/** Longer patterns, and those that need more steps, are not supported. */
const maxLength = 4000;
const maxSteps = 20_000;
const maxNesting = 100;

/** One step of a compiled pattern. `a` and `b` are the next steps. */
type Step =
  | { op: "char"; test: (character: string) => boolean }
  | { op: "split"; a: number; b: number }
  | { op: "jump"; a: number }
  | { op: "start" | "end" | "word" | "no-word" | "match" };

/** Thrown inside for what can't be run in linear time, or in steps. */
class Unsupported extends Error {}

/**
 * A regular expression that is run as an automaton: all ways at once, so that the time is at most the length of the text times
 * that of the pattern, whatever the pattern. For untrusted patterns, which can make `RegExp` hang. It matches what
 * `RegExp` in unicode mode matches. Look-around and back-references have no such form.
 */
export class LinearPattern {
  readonly #ops: Uint8Array;
  /** The next steps of each step. */
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  readonly #tests: readonly (((character: string) => boolean) | undefined)[];
  readonly #hasWords: boolean;

  private constructor(steps: readonly Step[]) {
    this.#ops = Uint8Array.from(steps, ({ op }) => ops.indexOf(op));
    this.#first = Int32Array.from(steps, (step, at) => ("a" in step ? step.a : at + 1));
    this.#second = Int32Array.from(steps, (step) => ("b" in step ? step.b : 0));
    this.#tests = steps.map((step) => ("test" in step ? step.test : undefined));
    this.#hasWords = steps.some(({ op }) => op === "word" || op === "no-word");
  }

  /** Undefined for a pattern that has no such form, or is too large. Takes what compiles in unicode mode. */
  static from(pattern: string): LinearPattern | undefined {
    if (pattern.length > maxLength) return undefined;
    try {
      return new LinearPattern(new PatternReader(pattern).read());
    } catch (error) {
      if (error instanceof Unsupported) return undefined;
      throw error;
    }
  }

  /** Checks whether the pattern is found in the text. `spend` is called with the steps taken, and may throw. */
  test(text: string, spend: (steps: number) => void = () => {}): boolean {
    const marks = new Int32Array(this.#ops.length).fill(-1);
    let ways: number[] = [];
    let before = "";
    for (let at = 0, position = 0; ; position += 1) {
      const code = text.codePointAt(at);
      const next = code === undefined ? "" : String.fromCodePoint(code);
      const isBoundary = this.#hasWords && isWord(before) !== isWord(next);
      const reached: number[] = [];
      // Those that came so far, and one more that begins here.
      const open = ways;
      open.push(0);
      let taken = 0;
      for (let step = open.pop(); step !== undefined; step = open.pop()) {
        if (marks[step] === position) continue;
        marks[step] = position;
        taken += 1;
        const op = ops[this.#ops[step] as number] as Step["op"];
        const first = this.#first[step] as number;
        if (op === "match") return true;
        if (op === "char") reached.push(step);
        else if (op === "split") open.push(this.#second[step] as number, first);
        else if (op === "jump" || holds(op, at === 0, next === "", isBoundary)) open.push(first);
      }
      spend(taken);
      if (next === "") return false;
      ways = [];
      for (const step of reached) {
        if (this.#tests[step]?.(next)) ways.push(this.#first[step] as number);
      }
      before = next;
      at += next.length;
    }
  }
}

/** By their numbers in a compiled pattern. */
const ops: readonly Step["op"][] = ["char", "split", "jump", "start", "end", "word", "no-word", "match"];

function holds(
  op: "start" | "end" | "word" | "no-word",
  isStart: boolean,
  isEnd: boolean,
  isBoundary: boolean,
): boolean {
  if (op === "start") return isStart;
  if (op === "end") return isEnd;
  return (op === "word") === isBoundary;
}

function isWord(character: string): boolean {
  return /^\w$/.test(character);
}

/** Reads a pattern from left to right, and writes its steps. */
class PatternReader {
  readonly #text: string;
  readonly #steps: Step[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Step[] {
    this.#choice();
    if (this.#at < this.#text.length) throw new Unsupported();
    this.#write({ op: "match" });
    return this.#steps;
  }

  #write(step: Step): number {
    if (this.#steps.length >= maxSteps) throw new Unsupported();
    return this.#steps.push(step) - 1;
  }

  #choice(): void {
    this.#depth += 1;
    if (this.#depth > maxNesting) throw new Unsupported();
    const start = this.#steps.length;
    this.#sequence();
    if (this.#take("|")) {
      const first = this.#cut(start);
      const split = this.#write({ op: "split", a: start + 1, b: 0 });
      this.#paste(first, start);
      const jump = this.#write({ op: "jump", a: 0 });
      this.#steps[split] = { op: "split", a: split + 1, b: this.#steps.length };
      this.#choice();
      this.#steps[jump] = { op: "jump", a: this.#steps.length };
    }
    this.#depth -= 1;
  }

  #sequence(): void {
    while (this.#at < this.#text.length && !/^[|)]/.test(this.#text[this.#at] as string)) {
      const start = this.#steps.length;
      this.#atom();
      this.#repeat(start);
    }
  }

  #atom(): void {
    const rest = this.#text.slice(this.#at);
    if (this.#take("(")) {
      const [name] = /^(?:\?:|\?<[^=!][^>]*>)/.exec(this.#text.slice(this.#at)) ?? [];
      if (name === undefined && this.#text[this.#at] === "?") throw new Unsupported();
      this.#at += name?.length ?? 0;
      this.#choice();
      if (!this.#take(")")) throw new Unsupported();
    } else if (this.#take("^")) this.#write({ op: "start" });
    else if (this.#take("$")) this.#write({ op: "end" });
    else if (this.#take("\\b")) this.#write({ op: "word" });
    else if (this.#take("\\B")) this.#write({ op: "no-word" });
    else {
      const [source] =
        /^(?:\[(?:\\[\s\S]|[^\\\]])*\]|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\{\w+\}|\\u\w{4}|\\x\w\w|\\c\w|\\[pP]\{[^}]*\}|\\[^1-9k]|[^\\])/su.exec(
          rest,
        ) ?? [];
      if (source === undefined) throw new Unsupported();
      this.#at += source.length;
      this.#write({ op: "char", test: characterTest(source) });
    }
  }

  #repeat(start: number): void {
    const [all, mark = "", least, comma, most] =
      /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(this.#text.slice(this.#at, this.#at + 40)) ?? [];
    if (all === undefined) return;
    this.#at += all.length;
    const min = mark === "" ? Number(least) : mark === "+" ? 1 : 0;
    const max =
      mark === "?"
        ? 1
        : mark !== "" || (comma && most === "")
          ? Number.POSITIVE_INFINITY
          : Number(comma ? most : least);
    const item = this.#cut(start);
    for (let count = 0; count < min; count += 1) this.#paste(item, start);
    if (max === Number.POSITIVE_INFINITY) {
      const split = this.#write({ op: "split", a: 0, b: 0 });
      this.#paste(item, start);
      this.#write({ op: "jump", a: split });
      this.#steps[split] = { op: "split", a: split + 1, b: this.#steps.length };
      return;
    }
    const splits: number[] = [];
    for (let count = min; count < max; count += 1) {
      splits.push(this.#write({ op: "split", a: 0, b: 0 }));
      this.#paste(item, start);
      if (item.length === 0) break;
    }
    for (const split of splits) this.#steps[split] = { op: "split", a: split + 1, b: this.#steps.length };
  }

  /** Takes away what was written since, to write it again elsewhere. */
  #cut(start: number): Step[] {
    return this.#steps.splice(start);
  }

  /** Writes steps that stood at `from`. */
  #paste(steps: readonly Step[], from: number): void {
    const move = this.#steps.length - from;
    for (const step of steps) {
      if (step.op === "split") this.#write({ op: "split", a: step.a + move, b: step.b + move });
      else if (step.op === "jump") this.#write({ op: "jump", a: step.a + move });
      else this.#write(step);
    }
  }

  #take(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }
}

/** Returns a test whether a character fits one atom of a pattern. One character is no work for `RegExp`. */
function characterTest(source: string): (character: string) => boolean {
  const pattern = new RegExp(`^${source}$`, "u");
  const known: (boolean | undefined)[] = [];
  return (character) => {
    const code = character.charCodeAt(0);
    if (code > 0x7f) return pattern.test(character);
    known[code] ??= pattern.test(character);
    return known[code];
  };
}
