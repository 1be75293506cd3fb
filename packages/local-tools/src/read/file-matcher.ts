import { isAscii, isUtf8 } from "node:buffer";
import { isLowSurrogate } from "../output/char-width.ts";
import { around, type MatchedLine, type Range } from "./matched-line.ts";
import type { Pattern } from "./pattern.ts";
import { WantedText } from "./wanted-text.ts";

export interface FileMatches {
  /** Lines that fit, or places where a text of several lines begins. */
  count: number;
  lines: MatchedLine[];
  /** Not all of it could be decoded, and the pattern may stand in what could not. */
  doubtful: boolean;
  /** U+FFFD stands for that in a line that is shown. */
  replaced: boolean;
  /** It has lines of more than a million characters, which an expression was tried on in parts. */
  inParts: boolean;
}

/** A longer line is searched in parts, which overlap. */
const maxPartLength = 1 << 20;
const overlap = 1 << 16;
/** UTF-16 units of a file that is one text to an expression. */
const maxTextLength = 1 << 25;
/** Stands for the rest of an unfinished line. */
const more = "\uffff";
const replacement = Buffer.from("\ufffd");
const lf = 10;
const cr = 13;
const noBytes = Buffer.alloc(0);
/** For files of one piece. */
const decoder = new TextDecoder();
/** Lines of a file that are decoded one by one, and bytes for each; when more hold a needle, all of it takes less time. */
const maxSparse = 48;
const bytesPerLine = 1024;
const byteOrderMark = Buffer.from("\ufeff");

/**
 * Searches files for a pattern, one at a time. A file comes in pieces: whole lines are searched as they come, and what is left is
 * carried on to the next piece. A line of more than a million units is searched in parts that overlap: texts are found all the
 * same, matches of expressions when they are no longer than the overlap. `^` fits at a line's beginning only, and `$` at its
 * end, also then.
 */
export class FileMatcher {
  /** What it looks for. */
  readonly wanted: WantedText;

  #found: FileMatches = nothing();
  #maxLines = 0;
  /** Undefined before a file's first piece. */
  #decoder: TextDecoder | undefined;
  #carriageReturn = "";
  /** What is carried on, its first line's number, whether that line began before it, and whether it was found already. */
  #text = "";
  #number = 1;
  #isInLine = false;
  #isHit = false;
  /** Something was replaced in decoding. */
  #isReplaced = false;
  /** All of the file is ASCII, for certain. */
  #isAscii = false;
  /** The last bytes of the piece before. */
  #before: Buffer = noBytes;

  constructor(pattern: Pattern) {
    this.wanted = new WantedText(pattern);
  }

  /** What the file holds, complete behind its last piece. */
  get found(): FileMatches {
    return this.#found;
  }

  /** Begins a file, of which so many lines are wanted. */
  begin(maxLines: number): void {
    this.#found = nothing();
    this.#maxLines = maxLines;
    this.#decoder = undefined;
    this.#carriageReturn = "";
    this.#text = "";
    this.#number = 1;
    this.#isInLine = false;
    this.#isHit = false;
    this.#isReplaced = false;
    this.#isAscii = false;
    this.#before = noBytes;
  }

  /** Takes the next piece; `last` ends the file. `isDecoded`: it was in another encoding, and U+FFFD stands for what could not be decoded. */
  take(bytes: Buffer, last: boolean, isDecoded = false): FileMatches {
    if (!this.#passes(bytes, last) && !this.#isSparse(bytes, last, isDecoded)) {
      const text = this.#text + this.#decoded(bytes, last, isDecoded);
      if (this.#isReplaced) this.#found.doubtful ||= this.wanted.isDoubtful(text);
      const cut = this.#searchable(text, last);
      this.#search(text, cut, last);
      this.#text = text.slice(cut);
    }
    return this.#found;
  }

  /** Goes past a piece that plainly holds nothing: only its lines are counted, and what follows its last line end is carried on. */
  #passes(bytes: Buffer, last: boolean): boolean {
    if (last) return false;
    const end = bytes.lastIndexOf(lf) + 1;
    const before = this.#before;
    this.#before = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.wanted.overhang)));
    // What a text of several lines begins with may stand here, without its longest line.
    if (
      end === 0 ||
      this.wanted.lineEnds > 0 ||
      this.wanted.isWhole ||
      this.wanted.overhang > bytes.length ||
      !this.wanted.lacks(bytes)
    )
      return false;
    if (!this.wanted.lacks(Buffer.concat([before, bytes.subarray(0, this.wanted.overhang)]))) return false;
    if (this.wanted.sure?.some((text) => this.#text.includes(text))) return false;
    if (this.#found.lines.length < this.#maxLines) {
      for (let at = 0; at < end; at++) if (bytes[at] === lf) this.#number++;
    }
    this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.#text = this.#withoutReturn(this.#decoder.decode(bytes.subarray(end), { stream: true }), false);
    this.#isInLine = false;
    this.#isHit = false;
    return true;
  }

  /** Searches a file of one piece in UTF-8 in which few lines hold the needle: no others are decoded. False: it isn't such a file. */
  #isSparse(bytes: Buffer, last: boolean, isDecoded: boolean): boolean {
    const [needle, more] = this.wanted.needles ?? [];
    if (!last || isDecoded || this.#decoder !== undefined || this.wanted.lineEnds > 0 || this.wanted.isWhole)
      return false;
    const maxDecoded = Math.min(maxSparse, Math.floor(bytes.length / bytesPerLine));
    if (needle === undefined || more !== undefined || maxDecoded === 0 || !isUtf8(bytes)) return false;
    const found = nothing();
    let counted = 0;
    let number = 1;
    let lines = 0;
    for (let at = bytes.indexOf(needle); at !== -1; lines++) {
      if (lines === maxDecoded) return false;
      const start = at === 0 ? 0 : bytes.lastIndexOf(lf, at - 1) + 1;
      const next = bytes.indexOf(lf, at);
      const end = next === -1 ? bytes.length : next;
      if (end - start > maxPartLength) return false;
      const line = this.#lineOf(bytes, start, end, next !== -1);
      const fits = this.#fits(line, line.indexOf(this.wanted.literal ?? ""), 0, line.length, true, false);
      if (fits !== undefined) {
        found.count++;
        if (found.lines.length < this.#maxLines) {
          for (let to = bytes.indexOf(lf, counted); to !== -1 && to < start; to = bytes.indexOf(lf, counted)) {
            number++;
            counted = to + 1;
          }
          found.lines.push({ line: number, text: around(line, fits, false, false) });
        }
      }
      at = next === -1 ? -1 : bytes.indexOf(needle, end);
    }
    this.#found = found;
    return true;
  }

  /** Returns the text of one line. */
  #lineOf(bytes: Buffer, start: number, end: number, isEnded: boolean): string {
    const from = start === 0 && bytes.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : start;
    const to = isEnded && !this.wanted.isRaw && end > from && bytes[end - 1] === cr ? end - 1 : end;
    return bytes.toString("utf8", from, to);
  }

  /** Returns the text of a piece, its line ends LF. The only place where bytes become text. */
  #decoded(bytes: Buffer, last: boolean, isDecoded: boolean): string {
    this.#isAscii = last && this.#decoder === undefined && isAscii(bytes);
    this.#decoder ??= last ? decoder : new TextDecoder();
    const text = this.#isAscii
      ? bytes.toString("latin1")
      : this.#carriageReturn + this.#decoder.decode(bytes, { stream: !last });
    if (text.includes("\ufffd") && (isDecoded || !bytes.includes(replacement))) this.#isReplaced = true;
    return this.wanted.isRaw ? text : this.#withoutReturn(text, last).replaceAll("\r\n", "\n");
  }

  /** Keeps back a CR at the end of a piece, which may be half of a line end. */
  #withoutReturn(text: string, last: boolean): string {
    this.#carriageReturn = !last && text.endsWith("\r") ? "\r" : "";
    return this.#carriageReturn === "" ? text : text.slice(0, -1);
  }

  /** Returns where the part of a text ends that can be searched now: what is behind it may continue. */
  #searchable(text: string, last: boolean): number {
    if (last) return text.length;
    // What one text is has a limit, as lines have.
    if (this.wanted.isWhole && text.length <= maxTextLength) return 0;
    this.#found.inParts ||= this.wanted.isWhole;
    let cut = text.length + 1;
    for (let n = 0; n <= this.wanted.lineEnds && cut > 0; n++) cut = cut < 2 ? 0 : text.lastIndexOf("\n", cut - 2) + 1;
    if (text.length - cut <= maxPartLength) return cut;
    cut = text.length - overlap;
    return isLowSurrogate(text.charCodeAt(cut)) ? cut - 1 : cut;
  }

  #search(text: string, cut: number, last: boolean): void {
    const found = this.#found;
    if (cut === 0 && this.wanted.isWhole && !last) return;
    const next = this.wanted.finderFor(text);
    let counted = 0;
    let hitAt = this.#isHit ? 0 : -1;
    const countLines = (position: number): void => {
      for (let at = text.indexOf("\n", counted); at !== -1 && at < position; at = text.indexOf("\n", counted)) {
        this.#number++;
        counted = at + 1;
      }
    };
    for (let at = next(text, 0); at !== -1 && at < cut; ) {
      const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
      const lineEnd = text.indexOf("\n", at);
      const end = lineEnd === -1 ? text.length : lineEnd;
      if (start !== hitAt) {
        const goesOn = end === text.length && !last;
        const isWhole = start > 0 || !this.#isInLine;
        const fits = this.wanted.isWhole
          ? { from: at - start, to: end - start }
          : this.#fits(text, at, start, end, isWhole, goesOn);
        if (fits !== undefined) {
          hitAt = start;
          found.count++;
          if (found.lines.length < this.#maxLines) {
            countLines(start);
            found.replaced ||= this.#isReplaced && text.slice(start, end).includes("\ufffd");
            found.lines.push({ line: this.#number, text: around(text.slice(start, end), fits, !isWhole, goesOn) });
          }
        }
      }
      // Of a whole text, the next match begins behind this one.
      at =
        end === text.length
          ? -1
          : this.wanted.isWhole
            ? next(text, Math.max(at + 1, this.wanted.forms?.[0].regex.lastIndex ?? 0))
            : next(text, end + 1);
    }
    if (last) return;
    const lineStart = cut === 0 ? 0 : text.lastIndexOf("\n", cut - 1) + 1;
    this.#isHit = hitAt === lineStart && cut > lineStart;
    this.#isInLine = cut > lineStart || (cut === 0 && this.#isInLine);
    // A match that is longer than the overlap shows in no part.
    if (this.#isInLine && this.wanted.forms !== undefined && this.wanted.needles === undefined) found.inParts = true;
    // Nobody asks for the numbers of lines that are not shown.
    if (found.lines.length < this.#maxLines) countLines(cut);
  }

  /** Returns what of a line fits, from the line's beginning. `at`: where a literal was found. */
  #fits(text: string, at: number, start: number, end: number, isWhole: boolean, goesOn: boolean): Range | undefined {
    const length = end - start;
    if (this.wanted.forms === undefined) {
      const from = at - start;
      return { from, to: Math.min(length, from + (this.wanted.literal ?? "").length) };
    }
    const line = text.slice(start, end);
    const regex = this.wanted.regexFor(line, this.#isAscii);
    if (goesOn || !isWhole) this.#found.inParts = true;
    regex.lastIndex = isWhole ? 0 : 1;
    const match = regex.exec(line + (goesOn ? more : ""));
    return match === null ? undefined : { from: match.index, to: Math.min(length, match.index + match[0].length) };
  }
}

function nothing(): FileMatches {
  return { count: 0, lines: [], doubtful: false, replaced: false, inParts: false };
}
