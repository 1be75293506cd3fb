import { isUtf8 } from "node:buffer";
import { spellings } from "../encodings/spellings.ts";
import { type LineFinder, lineFinder, type Pattern } from "./pattern.ts";

/** What a pattern is looked for by: its text or expression, and the bytes that whatever it fits must hold. Knows nothing of files. */
export class WantedText {
  readonly literal: string | undefined;
  /** The expression, and what finds the lines that it may fit: for any text, and for one of ASCII alone. */
  readonly forms: readonly [any: RegexForm, ascii: RegexForm] | undefined;
  /** To the expression, a file is one text. */
  readonly isWhole: boolean;
  /** Carriage returns of line ends count. */
  readonly isRaw: boolean;
  /** Bytes of which every line that fits holds some; undefined where that isn't sure. */
  readonly needles: readonly Buffer[] | undefined;
  /** The same as texts. */
  readonly sure: readonly string[] | undefined;
  /** Bytes that may lie in the piece before, of a needle that lies in two. */
  readonly overhang: number;
  /** Line ends in a text of several lines. */
  readonly lineEnds: number;
  /** The needles in all known encodings; made when first asked for, empty where they are not sure. */
  #spellings: readonly Buffer[] | undefined;

  constructor(pattern: Pattern) {
    const { literal, source = "", flags = "", needles, ascii, isWhole = false, isRaw = false } = pattern;
    this.literal = literal;
    [this.isWhole, this.isRaw] = [isWhole, isRaw];
    const formOf = (one: Pattern): RegexForm => ({
      regex: new RegExp(one.source ?? source, `${flags}g`),
      next: lineFinder(one),
    });
    if (literal === undefined) {
      const any = formOf(pattern);
      this.forms = [any, ascii === undefined ? any : formOf({ ...pattern, ...ascii })];
    }
    this.sure = flags.includes("i") ? undefined : needles;
    this.needles = this.sure?.map((text) => Buffer.from(text));
    this.overhang = Math.max(0, ...(this.needles ?? []).map((one) => one.length - 1));
    this.lineEnds = literal === undefined ? 0 : literal.split("\n").length - 1;
  }

  /** Checks whether bytes plainly hold nothing of it, so that a file of them, or a piece of one, needs no decoding. */
  lacks(bytes: Buffer): boolean {
    if (this.needles === undefined || this.needles.some((needle) => bytes.includes(needle))) return false;
    // What isn't ASCII may stand there in another encoding.
    return !this.isDoubtful() || isUtf8(bytes);
  }

  /** Checks whether all bytes of a file hold nothing of it in any encoding that is known, without a look at which one it is. Needs the codecs. */
  lacksInAll(bytes: Buffer, tick: () => void): boolean {
    const [text, ...others] = this.literal === undefined ? [] : (this.sure ?? []);
    this.#spellings ??= (text !== undefined && others.length === 0 && spellings(text, tick)) || [];
    return this.#spellings.length > 0 && !this.#spellings.some((bytesOfIt) => bytes.includes(bytesOfIt));
  }

  /** Checks whether the pattern may stand in bytes that were not decoded, or wrongly. */
  isDoubtful(text?: string): boolean {
    if (this.literal !== undefined) return /[^\0-\x7f]/.test(this.literal);
    return this.sure === undefined || (text !== undefined && this.sure.some((needle) => text.includes(needle)));
  }

  /** Returns what finds places in a text. Lines of ASCII alone are looked for with the form for these, and at others it stops. */
  finderFor(text: string): LineFinder {
    const [any, ascii] = this.forms ?? [];
    if (any === undefined || ascii === undefined) return (_, from) => text.indexOf(this.literal ?? "", from);
    if (this.isWhole) return (_, from) => placeOf(any.regex, text, from);
    if (any === ascii || this.sure !== undefined) return any.next;
    let [plain, other] = [-2, -2];
    return (_, from) => {
      if (plain !== -1 && plain < from) plain = ascii.next(text, from);
      if (other !== -1 && other < from) other = placeOf(notAscii, text, from);
      return plain === -1 || other === -1 ? Math.max(plain, other) : Math.min(plain, other);
    };
  }

  /** Returns the expression for a line. `isAscii`: it is known to be ASCII. */
  regexFor(line: string, isAscii: boolean): RegExp {
    const [any, ascii] = this.forms as [RegexForm, RegexForm];
    return (any !== ascii && (isAscii || placeOf(notAscii, line, 0) === -1) ? ascii : any).regex;
  }
}

interface RegexForm {
  regex: RegExp;
  next: LineFinder;
}

/** What is not ASCII. */
const notAscii = /[^\0-\x7f]/g;

/** Returns where an expression fits next; -1: nowhere. */
function placeOf(regex: RegExp, text: string, from: number): number {
  regex.lastIndex = from;
  return regex.exec(text)?.index ?? -1;
}
