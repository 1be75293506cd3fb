import { cutText } from "@toolglot/core/results";
import { localError } from "../errors.ts";
import { counted, sized } from "../messages.ts";
import type { OpenedFile } from "../roots/pinned-folder.ts";
import { looksBinary, mediaType } from "./file-kind.ts";

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
 * Reads lines out of a file without holding more of it than what it gives. CR LF becomes LF, a byte order mark is dropped.
 * Rejects with `BinaryFile` or `NotUtf8`. Reads no further than the file reached when it was opened.
 */
export async function scanLines(file: OpenedFile, wanted: LinesWanted): Promise<LinesFound> {
  const lines = new LineTaker(wanted);
  const buffer = Buffer.allocUnsafe(chunkSize);
  // Files of /proc say 0 and have content.
  const end = file.stats.size === 0 ? wanted.maxBytes : file.stats.size;
  let position = 0;
  for (;;) {
    wanted.signal?.throwIfAborted();
    const { bytesRead } = await file.handle
      .read(buffer, 0, Math.min(chunkSize, end - position), position)
      .catch((error: NodeJS.ErrnoException) => {
        throw localError("AccessDenied", `${wanted.called} can't be read (${error.code ?? "unknown"}).`);
      });
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (position === 0 ? looksBinary(chunk) : chunk.includes(0)) throw binary(file, buffer, position, wanted.called);
    lines.take(position === 0 ? lines.withoutMark(chunk) : chunk);
    position += bytesRead;
    if (lines.full && file.stats.size > wanted.maxBytes && position < end) return lines.found(false);
  }
  return lines.found(true);
}

function binary(file: OpenedFile, chunk: Buffer, position: number, called: string): Error {
  const type = position === 0 ? mediaType(chunk, file.path) : "application/octet-stream";
  const { size } = file.stats;
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
      line = `${cutText(line, maxLine)}… (line cut; it has ${counted(this.#length)} bytes)`;
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
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: open });
    } catch {
      const { called } = this.#wanted;
      throw localError("NotUtf8", `${called} is not UTF-8 text: line ${counted(this.#number)} has other bytes.`, {
        line: this.#number,
        hint: "Look at it with a command that knows its encoding, such as iconv.",
      });
    }
  }
}
