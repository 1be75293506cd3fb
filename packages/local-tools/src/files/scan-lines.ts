import { cutText } from "@toolglot/core/results";
import { pieceDecoder, replacementCharacter } from "../encodings/codecs.ts";
import { type TextForm, utf8 } from "../encodings/encodings.ts";
import { localError } from "../errors.ts";
import { counted, sized } from "../messages.ts";
import { mediaType } from "./file-kind.ts";
import type { OpenedFile } from "./pinned-folder.ts";
import { Utf8Pieces } from "./text.ts";

/** What is wanted of a file. Lines from 1, both ends included. */
export interface LinesWanted {
  from: number;
  to: number;
  /** UTF-16 units of text; the last whole line that fits is the last one given. */
  maxChars: number;
  /** UTF-16 units of one line. */
  maxLine: number;
  /** A file of more bytes is not read on just to count its lines. */
  maxBytes: number;
  /** What messages call the file. */
  called: string;
  /** How the file is encoded. Undefined: as UTF-8, if it is. */
  form?: TextForm | undefined;
  signal?: AbortSignal | undefined;
}

/** Lines of a file, and what was learned about the file on the way. */
export interface LinesFound {
  text: string;
  /** How many lines `text` has. */
  lines: number;
  /** Lines of the whole file; undefined when it was not read to its end. */
  total: number | undefined;
  /** Wanted lines that didn't fit were left out. */
  cut: boolean;
  /** Numbers of lines that were shortened. */
  shortened: number[];
  /** Line ends seen: CR LF, and LF alone. */
  crlf: number;
  lf: number;
  byteOrderMark: boolean;
  /** `text` holds the file's last line, and that line has no line end. */
  unterminated: boolean;
}

const chunkSize = 256 * 1024;
const lf = 10;
const cr = 13;

/**
 * Reads lines out of a file without holding more of it than what it returns. CR LF becomes LF, a byte order mark is dropped.
 * Returns undefined where a file of no given form is no plain UTF-8, as far as it was read. Rejects with `NotText` for lines that are not
 * of the form. Reads no further than the file reached when it was opened.
 */
export async function scanLines(file: OpenedFile, wanted: LinesWanted): Promise<LinesFound | undefined> {
  const { form, called, signal, maxBytes } = wanted;
  const lines = new LineTaker(wanted);
  const pieces = new Utf8Pieces();
  const decoder = form === undefined || form.encoding === utf8 ? undefined : pieceDecoder(form.encoding);
  const buffer = Buffer.allocUnsafe(chunkSize);
  // Files of /proc have the size 0 and content.
  const end = file.stats.size === 0 ? maxBytes : file.stats.size;
  let position = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.handle
      .read(buffer, 0, Math.min(chunkSize, end - position), position)
      .catch((error: NodeJS.ErrnoException) => {
        throw localError("AccessDenied", `${called} can't be read (${error.code ?? "unknown"}).`);
      });
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (decoder === undefined && chunk.includes(0)) {
      if (form === undefined) return undefined;
      throw binaryFile(file, chunk, called);
    }
    if (form === undefined && !pieces.take(chunk)) return undefined;
    const text = decoder === undefined ? chunk : Buffer.from(decoder.write(chunk));
    lines.take(position === 0 ? lines.withoutMark(text) : text);
    position += bytesRead;
    if (lines.full && file.stats.size > maxBytes && position < end) return lines.found(false);
  }
  if (form === undefined && !pieces.end()) return undefined;
  if (decoder !== undefined) lines.take(Buffer.from(decoder.end()));
  return lines.found(true);
}

/** Returns the refusal of a file that is no text; `start`: its first bytes, or others. */
export function binaryFile({ stats, path }: OpenedFile, start: Uint8Array, called: string): Error {
  const size = Math.max(stats.size, start.length);
  const type = mediaType(start, path);
  return localError("BinaryFile", `${called} is a binary file (${sized(size)}, ${type}).`, { size, mediaType: type });
}

/** Finds lines in chunks. */
class LineTaker {
  readonly #wanted: LinesWanted;
  readonly #texts: string[] = [];
  readonly #shortened: number[] = [];
  #units = 0;
  #number = 1;
  #crlf = 0;
  #lf = 0;
  #mark = false;
  #cut = false;
  /** The beginning of the line that is not over yet, as far as it is kept, and the bytes of all of it so far. */
  #parts: Buffer[] = [];
  #kept = 0;
  #length = 0;
  #lastByte = 0;

  constructor(wanted: LinesWanted) {
    this.#wanted = wanted;
  }

  /** Nothing further is wanted. */
  get full(): boolean {
    return this.#cut || this.#number > this.#wanted.to;
  }

  withoutMark(first: Buffer): Buffer {
    this.#mark = first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
    return this.#mark ? first.subarray(3) : first;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lf); end !== -1; end = chunk.indexOf(lf, start)) {
      if ((end > 0 ? chunk[end - 1] : this.#lastByte) === cr) this.#crlf++;
      else this.#lf++;
      if (this.#wantsLine) {
        this.#add(chunk.subarray(start, end));
        this.#endLine("\n");
      } else {
        // Most lines of a large file, by far.
        this.#number++;
        this.#length = 0;
      }
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    if (chunk.length > 0) this.#lastByte = chunk[chunk.length - 1] as number;
  }

  found(atEnd: boolean): LinesFound {
    const rest = this.#length > 0;
    const total = rest ? this.#number : this.#number - 1;
    const before = this.#texts.length;
    if (atEnd && rest) this.#endLine("");
    return {
      text: this.#texts.join(""),
      lines: this.#texts.length,
      total: atEnd ? total : undefined,
      cut: this.#cut,
      shortened: this.#shortened,
      crlf: this.#crlf,
      lf: this.#lf,
      byteOrderMark: this.#mark,
      unterminated: atEnd && rest && this.#texts.length > before,
    };
  }

  /** What it is given was decoded before. */
  get #isOther(): boolean {
    const { form } = this.#wanted;
    return form !== undefined && form.encoding !== utf8;
  }

  get #wantsLine(): boolean {
    return !this.full && this.#number >= this.#wanted.from;
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    // A UTF-16 unit takes at most three bytes. One more unit shows that there is more; CR needs one, too.
    const room = (this.#wanted.maxLine + 2) * 3 - this.#kept;
    if (bytes.length === 0 || room <= 0 || !this.#wantsLine) return;
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#parts.push(kept);
    this.#kept += kept.length;
  }

  #endLine(end: string): void {
    if (this.#wantsLine) this.#giveLine(end);
    this.#number++;
    this.#parts = [];
    this.#kept = 0;
    this.#length = 0;
  }

  #giveLine(end: string): void {
    const { maxLine, maxChars } = this.#wanted;
    const bytes = Buffer.concat(this.#parts);
    let line = this.#decoded(bytes, bytes.length < this.#length);
    if (end !== "" && line.endsWith("\r") && bytes.length === this.#length) line = line.slice(0, -1);
    if (line.length > maxLine || bytes.length < this.#length) {
      line = `${cutText(line, maxLine)}… (line cut; it has ${counted(this.#length)} bytes${this.#isOther ? " as UTF-8" : ""})`;
      this.#shortened.push(this.#number);
    }
    // The first line is always given: what was cut off it is said.
    if (this.#texts.length > 0 && this.#units + line.length + end.length > maxChars) {
      this.#cut = true;
      if (this.#shortened.at(-1) === this.#number) this.#shortened.pop();
      return;
    }
    this.#texts.push(line + end);
    this.#units += line.length + end.length;
  }

  #decoded(bytes: Buffer, open: boolean): string {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: open });
      if (!this.#isOther || !text.includes(replacementCharacter)) return text;
    } catch {
      // Said below.
    }
    const { called, form } = this.#wanted;
    const name = form?.encoding.name ?? utf8.name;
    throw localError("NotText", `${called} is not ${name}: line ${counted(this.#number)} has other bytes.`, {
      line: this.#number,
      hint: "Look at it with a command that knows its encoding, such as iconv.",
    });
  }
}
