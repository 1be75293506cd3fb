/** What a {@link ControlParser} finds in the output of a program. */
export interface ControlTarget {
  /** Text without control characters but tabs and line ends, LF or CRLF. */
  print(text: string): void;
  /** A control character that is no beginning of a sequence. */
  control(unit: number): void;
  /** `ESC`, intermediate characters, and a last one. */
  escape(intermediates: string, final: string): void;
  /** `CSI`, its parameters as written, and its last character. Colours are left out. */
  sequence(parameters: string, final: string): void;
}

/** UTF-16 units after which a control sequence without an end is dropped and text continues. */
const maxParametersLength = 256;
const maxStringLength = 65_536;
const maxIntermediates = 16;

const states = { ground: 0, escape: 1, escapeIntermediate: 2, csi: 3, osc: 4, string: 5, stringEscape: 6 } as const;
type State = (typeof states)[keyof typeof states];

/** What is not plain text: all controls but tab, LF, and a CR before an LF. Whole colour sequences, for speed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const control = /\u001b\[[0-9;:]{0,64}m|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g;
/** What ends a control string, or breaks it off; in an operating system command a line end as well. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const oscEnd = /[\u0007\n\r\u0018\u001a\u001b\u009c]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const stringEnd = /[\u0018\u001a\u001b\u009c]/g;

/** Finds control sequences in a stream of text. One without an end is dropped: a title at its line's end, others after 65,536 units. */
export class ControlParser {
  readonly #target: ControlTarget;
  #state: State = states.ground;
  /** Of a control sequence, or the intermediates of an escape sequence. */
  #parameters = "";
  /** Units of a control string that have gone by. */
  #passed = 0;

  constructor(target: ControlTarget) {
    this.#target = target;
  }

  /** No sequence has begun. */
  get isIdle(): boolean {
    return this.#state === states.ground;
  }

  feed(input: string): void {
    for (let at = 0; at < input.length; ) at = this.#next(input, at);
  }

  /** Drops a sequence that has begun. */
  reset(): void {
    this.#state = states.ground;
  }

  /** Continues from `at`; returns where it stopped. */
  #next(input: string, at: number): number {
    switch (this.#state) {
      case states.ground:
        return this.#ground(input, at);
      case states.escape:
        return this.#escape(input, at);
      case states.escapeIntermediate: {
        const unit = input.charCodeAt(at);
        if (unit >= 0x20 && unit <= 0x2f && this.#parameters.length < maxIntermediates) {
          this.#parameters += String.fromCharCode(unit);
          return at + 1;
        }
        this.#state = states.ground;
        if (unit < 0x30 || unit > 0x7e) return at;
        this.#target.escape(this.#parameters, String.fromCharCode(unit));
        return at + 1;
      }
      case states.csi:
        return this.#csi(input, at);
      case states.osc:
        return this.#string(input, at, oscEnd);
      case states.string:
        return this.#string(input, at, stringEnd);
      case states.stringEscape:
        this.#state = input[at] === "\\" ? states.ground : states.escape;
        return this.#state === states.ground ? at + 1 : at;
    }
  }

  #ground(input: string, from: number): number {
    control.lastIndex = from;
    let text = "";
    let at = from;
    let found = input.length;
    while (control.test(input)) {
      const end = control.lastIndex;
      found = input.charCodeAt(end - 1) === 0x6d ? input.lastIndexOf("\u001b", end - 2) : end - 1;
      text += input.slice(at, found);
      at = end;
      if (end - found === 1) break;
      found = input.length;
    }
    if (found === input.length) text = at === 0 ? input : text + input.slice(at);
    if (text !== "") this.#target.print(text);
    if (found === input.length) return found;
    const unit = input.charCodeAt(found);
    if (unit === 0x1b) this.#state = states.escape;
    else if (unit >= 0x90) this.#begin(unit);
    else this.#target.control(unit);
    return found + 1;
  }

  /** Begins a sequence with an 8-bit introducer. */
  #begin(unit: number): void {
    this.#parameters = "";
    this.#passed = 0;
    if (unit === 0x9b) this.#state = states.csi;
    else if (unit === 0x9d) this.#state = states.osc;
    else if (unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f) this.#state = states.string;
  }

  #escape(input: string, at: number): number {
    const unit = input.charCodeAt(at);
    this.#state = states.ground;
    if (unit === 0x1b) this.#state = states.escape;
    else if (unit >= 0x20 && unit <= 0x2f) {
      this.#state = states.escapeIntermediate;
      this.#parameters = String.fromCharCode(unit);
    } else if (unit === 0x5b || unit === 0x5d || unit === 0x50 || unit === 0x58 || unit === 0x5e || unit === 0x5f) {
      this.#begin(unit + 0x40);
    } else if (unit < 0x20 || unit > 0x7e) return at;
    else this.#target.escape("", String.fromCharCode(unit));
    return at + 1;
  }

  #csi(input: string, at: number): number {
    const most = at + maxParametersLength - this.#parameters.length;
    let end = at;
    while (end < input.length && end < most && isParameter(input.charCodeAt(end))) end++;
    if (end === input.length && end < most) {
      this.#parameters += input.slice(at);
      return end;
    }
    this.#state = states.ground;
    const final = input.charCodeAt(end);
    if (end === most || final < 0x40 || final > 0x7e) return end;
    if (final !== 0x6d) this.#target.sequence(this.#parameters + input.slice(at, end), String.fromCharCode(final));
    return end + 1;
  }

  #string(input: string, at: number, ends: RegExp): number {
    const most = at + maxStringLength - this.#passed;
    ends.lastIndex = at;
    const found = ends.test(input) ? ends.lastIndex - 1 : input.length;
    if (found >= most) {
      this.#state = states.ground;
      return most;
    }
    this.#passed += found - at;
    if (found === input.length) return found;
    const unit = input.charCodeAt(found);
    this.#state = unit === 0x1b ? states.stringEscape : states.ground;
    return unit === 0x0a || unit === 0x0d ? found : found + 1;
  }
}

function isParameter(unit: number): boolean {
  return unit >= 0x20 && unit <= 0x3f;
}
