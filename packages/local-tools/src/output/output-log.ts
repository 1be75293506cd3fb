import { defined } from "@toolglot/internal";
import { ArtifactFile } from "./artifact-file.ts";
import { BlankFilter } from "./blank-filter.ts";
import { isHighSurrogate, isLowSurrogate } from "./char-width.ts";

export interface OutputLogOptions {
  /** UTF-16 units of the output that is given: head, tail, and the line between them. */
  maxChars: number;
  /** Where an output that is longer is kept whole; made when needed (0700). */
  artifactDir: string;
  /** Bytes of one file at most; what is printed beyond is only in the tail. Default 256 MiB. */
  maxArtifactBytes?: number;
  /** White space that is only a screen's layout is left out of what is given; then the file has all, too. Default false. */
  foldBlanks?: boolean;
}

/** One output as a result holds it. */
export interface KeptOutput {
  /** Whole, or head and tail. */
  output: string;
  /** UTF-16 units written, cut or not. */
  outputLength: number;
  /** The file (0600) with all that was written, when `output` was cut or folded and the file could be written. */
  artifact?: string;
  /** What there is to say of white space that was left out. */
  folded?: string;
}

/** Keeps the text of one result in bounded memory: all of it up to `maxChars`, else head and tail, and the whole in a file, if it can be written. */
export class OutputLog {
  readonly #max: number;
  readonly #file: ArtifactFile;
  readonly #blanks: BlankFilter | undefined;
  #length = 0;
  /** Units without what was folded. */
  #shown = 0;
  /** The first units, up to `#max`. */
  #head = "";
  /** The last units, once the head is full; more than needed, until {@link #trimTail}. */
  #tail = "";
  #tailPieces = 0;
  /** Units of the head before anything was folded. */
  #unfolded: number | undefined;
  #kept: KeptOutput | undefined;

  constructor(options: OutputLogOptions) {
    const { maxChars, artifactDir, maxArtifactBytes = 256 * 1024 * 1024, foldBlanks = false } = options;
    this.#max = maxChars;
    this.#file = new ArtifactFile(artifactDir, maxArtifactBytes);
    this.#blanks = foldBlanks ? new BlankFilter() : undefined;
  }

  get length(): number {
    return this.#length;
  }

  /** The first units of what was written, up to `maxChars`, or to where something was folded. */
  get beginning(): string {
    return this.#head.slice(0, this.#unfolded);
  }

  /** Adds text. Throws `TypeError` after {@link finish}. */
  write(text: string): void {
    if (this.#kept !== undefined) throw new TypeError("this output is finished; make a new OutputLog");
    if (text === "") return;
    const held = this.#blanks?.held ?? "";
    this.#length += text.length;
    this.#add(this.#blanks?.push(text) ?? text, text, held);
  }

  /** Returns the output, `pendingLine` last. Nothing can be written afterwards; a second call returns the same. */
  finish(pendingLine = ""): KeptOutput {
    if (this.#kept !== undefined) return this.#kept;
    this.write(pendingLine);
    const held = this.#blanks?.held ?? "";
    if (held !== "") this.#add(this.#blanks?.end() ?? "", "", held);
    if (this.#file.begun) this.#file.close();
    this.#kept = {
      output: this.#shown <= this.#max ? this.#head : this.#cut(),
      outputLength: this.#length,
      ...defined({ artifact: this.#file.path, folded: this.#folded() }),
    };
    this.#head = "";
    this.#tail = "";
    return this.#kept;
  }

  /** Drops what was written, its file too. */
  discard(): void {
    this.#file.discard();
    this.#kept ??= { output: "", outputLength: this.#length };
    this.#head = "";
    this.#tail = "";
  }

  /** Adds what is shown of a text; `held`: blanks before it that were neither shown nor folded. */
  #add(shown: string, text: string, held: string): void {
    const room = this.#max - this.#head.length;
    // Nothing was cut or folded before the file begins.
    const before = this.#file.begun ? "" : this.#head + held;
    this.#shown += shown.length;
    if (room > 0) this.#head += shown.length <= room ? shown : detached(shown.slice(0, room), shown);
    const isFolded = (this.#blanks?.removed ?? 0) > 0;
    if (isFolded) this.#unfolded ??= Math.min(this.#max, before.length - held.length);
    if (this.#shown > this.#max || isFolded) this.#file.write(before + text);
    if (this.#shown > this.#max) this.#addTail(room > 0 ? shown.slice(room) : shown);
  }

  #addTail(text: string): void {
    if (text.length >= this.#max) {
      this.#tail = detached(text.slice(-this.#max), text);
      this.#tailPieces = 0;
      return;
    }
    this.#tail += text;
    if (this.#tail.length > this.#max * 2 + 65_536 || ++this.#tailPieces === 1024) this.#trimTail();
  }

  /** Makes one string of the pieces, which would keep what they were cut from in memory. */
  #trimTail(): void {
    this.#tail = detached(this.#tail.slice(-this.#max));
    this.#tailPieces = 0;
  }

  #cut(): string {
    const whole = this.#head + this.#tail;
    const all = this.#shown === whole.length;
    const most = this.#line(this.#shown).length + 2;
    const room = most * 2 <= this.#max ? this.#max - most : this.#max;
    const head = headOf(this.#head, Math.ceil(room / 2));
    // Head and tail may lie in one another when little was cut.
    const last = all ? whole : this.#tail.slice(-this.#max);
    const tail = tailOf(last, Math.floor(room / 2));
    const cut = this.#shown - head.length - tail.length;
    return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${this.#line(cut)}\n${tail}`;
  }

  #folded(): string | undefined {
    const { removed = 0 } = this.#blanks ?? {};
    if (removed === 0) return undefined;
    const { path, failure } = this.#file;
    const where =
      path === undefined ? `the whole output could not be kept: ${failure}` : `the whole output is in ${path}`;
    return `${removed} characters of white space before line ends and of blank lines are left out; ${where}.`;
  }

  #line(cut: number): string {
    const { path, failure, bytes, full } = this.#file;
    if (path === undefined) return `[${cut} characters left out here; the whole output could not be kept: ${failure}]`;
    if (full)
      return `[${cut} characters left out here; the first ${bytes} bytes of the output are in ${path}, the rest was not kept]`;
    return `[${cut} characters left out here; the whole output is in ${path}]`;
  }
}

/** Returns how far from its place a cut may be to lie between two lines. */
function near(room: number): number {
  return Math.min(1024, Math.floor(room / 4));
}

/** Returns the first units, up to a line end when one is near. */
export function headOf(text: string, room: number): string {
  const lineEnd = text.lastIndexOf("\n", room - 1) + 1;
  if (lineEnd > 0 && room - lineEnd <= near(room)) return text.slice(0, lineEnd);
  return text.slice(0, isHighSurrogate(text.charCodeAt(room - 1)) ? room - 1 : room);
}

/** Returns the last units, from a line's beginning when one is near. */
export function tailOf(text: string, room: number): string {
  const start = text.length - room;
  const lineEnd = start > 0 ? text.indexOf("\n", start - 1) + 1 : 0;
  if (lineEnd > 0 && lineEnd - start <= near(room) && lineEnd < text.length) return text.slice(lineEnd);
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

/** Returns a copy that does not keep the long string in memory which it was cut from. */
function detached(text: string, from = ""): string {
  if (from !== "" && from.length < text.length * 2) return text;
  return Buffer.from(text, "utf16le").toString("utf16le");
}
