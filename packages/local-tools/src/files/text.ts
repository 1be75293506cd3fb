import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { decodeAll, lineNotOf } from "../encodings/codecs.ts";
import { utf8 } from "../encodings/encodings.ts";
import { localError } from "../errors.ts";
import { counted } from "../messages.ts";

/** A file's text, exact: encoded again it has the same bytes. */
export interface FileText {
  bytes: Uint8Array;
  /** Without the byte order mark. */
  text: string;
  bom: boolean;
}

/** What the file can't be, for a message. */
type Use = "edited" | "read";

/** The largest text that is read as a whole, in bytes, unless the caller sets another limit: 8 MiB. */
export const maxTextBytes: number = 8 * 1024 * 1024;

export const byteOrderMark = "\ufeff";

/** Reads an open file as a whole; the caller closes it. `TooLarge` above `maxBytes`, of which it reads one byte more at most. */
export async function readWhole(
  { handle, stats }: { handle: FileHandle; stats: Stats },
  path: string,
  maxBytes: number,
  use: Use = "read",
): Promise<Buffer> {
  const bytes = stats.size > maxBytes ? undefined : await readStart(handle, maxBytes + 1, stats.size + 1);
  if (bytes !== undefined && bytes.length <= maxBytes) return bytes;
  const size = counted(Math.max(stats.size, bytes?.length ?? 0));
  throw localError("TooLarge", `${path} has ${size} bytes; files up to ${counted(maxBytes)} can be ${use}.`);
}

/** Reads the first bytes of an open file, at most `most`; `first`: how many in the first read. */
export async function readStart(handle: FileHandle, most: number, first: number = 1 << 20): Promise<Buffer> {
  const parts: Buffer[] = [];
  const next = Math.min(Math.max(first, 1 << 16), 1 << 20);
  for (let total = 0; total < most; ) {
    const room = Math.min(total === 0 ? first : next, most - total);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(room), 0, room, total);
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(parts);
}

/** Decodes bytes as UTF-8, nothing replaced. Throws `NotText`, and `BinaryFile` for a NUL; `path` is what messages call the file. */
export function decodeText(bytes: Uint8Array, path: string, use: Use = "read"): FileText {
  const cant = `it can't be ${use} as text.`;
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw localError("NotText", `${path} is UTF-16, not UTF-8: ${cant}`);
  }
  if (bytes.includes(0)) throw localError("BinaryFile", `${path} is a binary file: ${cant}`);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = decodeAll(buffer, utf8);
  if (whole === undefined)
    throw localError("NotText", `${path} is not UTF-8 (line ${lineNotOf(buffer, utf8)}): ${cant}`);
  const bom = whole.startsWith(byteOrderMark);
  return { bytes, text: bom ? whole.slice(1) : whole, bom };
}

/** Returns the bytes of a text. Throws `InvalidInput` for half of a surrogate pair, which UTF-8 can't hold. */
export function encodeText(text: string, bom: boolean): Uint8Array {
  const bytes = Buffer.from(bom ? byteOrderMark + text : text, "utf8");
  // What has no code in UTF-8 became U+FFFD, of three bytes.
  if (bytes.length > text.length && /\p{Surrogate}/u.test(text)) {
    throw localError("InvalidInput", "The text holds half of a surrogate pair, which no file of text can hold.");
  }
  return bytes;
}

/** Returns lines with their ends; the last may have none. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  let from = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
    lines.push(text.slice(from, at + 1));
    from = at + 1;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

/** Returns lines without their ends, LF or CRLF. A line end at the end of the text begins no further line. */
export function bareLines(text: string): string[] {
  return linesOf(text).map((line) => line.replace(/\r?\n$/, ""));
}

/** Returns a function from offsets, in rising order, to their lines, from 1. Lines end with LF. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (offset) => {
    while (next !== -1 && next < offset) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}

/** Whether bytes that come in pieces are UTF-8. A piece may end within a character. */
export class Utf8Pieces {
  /** The beginning of a character, which the piece before ended with. */
  #open: Buffer | undefined;

  /** False: the pieces up to here can't be the beginning of UTF-8. */
  take(piece: Buffer): boolean {
    const bytes = this.#open === undefined ? piece : Buffer.concat([this.#open, piece]);
    const end = bytes.length - openLength(bytes);
    this.#open = end === bytes.length ? undefined : Buffer.from(bytes.subarray(end));
    return isUtf8(bytes.subarray(0, end));
  }

  /** Checks whether all of them are UTF-8. */
  end(): boolean {
    return this.#open === undefined;
  }
}

/** Bytes at the end that may be the beginning of a character. */
function openLength(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] as number;
    if (byte >= 0xc0) return byte >= (length === 1 ? 0xc0 : length === 2 ? 0xe0 : 0xf0) ? length : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Returns how many items two lists, or units two texts, have in common at their beginnings, and at the ends of what is left. */
export function commonEnds<Item>(
  one: ArrayLike<Item>,
  other: ArrayLike<Item>,
  isSame: (one: Item, other: Item) => boolean = (a, b) => a === b,
): [head: number, tail: number] {
  const shorter = Math.min(one.length, other.length);
  const isSameAt = (at: number, otherAt: number): boolean => isSame(one[at] as Item, other[otherAt] as Item);
  let [head, tail] = [0, 0];
  while (head < shorter && isSameAt(head, head)) head++;
  while (tail < shorter - head && isSameAt(one.length - 1 - tail, other.length - 1 - tail)) tail++;
  return [head, tail];
}

/** Up to this many comparisons the engine's own search is taken, whose worst case is the product of both lengths. */
const nativeLimit = 1_000_000_000;
/** So far the engine's own search is linear enough in any case. */
const nativeFind = 256;

/**
 * Calls `visit` with the offset of each occurrence, in order, until it answers `false`. `overlapping`: "aa" stands twice in
 * "aaa", not once. `find` must not be empty. Linear in both lengths, whatever they hold.
 */
export function eachOccurrence(
  text: string,
  find: string,
  overlapping: boolean,
  visit: (at: number) => boolean | undefined,
): void {
  if (find === "") throw new TypeError("find must not be empty: it would occur everywhere");
  if (find.length > nativeFind && text.length * find.length > nativeLimit) {
    eachByPrefixTable(text, find, overlapping, visit);
    return;
  }
  const step = overlapping ? 1 : find.length;
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + step)) {
    if (visit(at) === false) return;
  }
}

/** Visits occurrences by Knuth, Morris and Pratt: never looks at a character of the text twice. */
function eachByPrefixTable(
  text: string,
  find: string,
  overlapping: boolean,
  visit: (at: number) => boolean | undefined,
): void {
  const borders = borderLengths(find);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && find.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (find.charCodeAt(matched) === code) matched++;
    if (matched < find.length) continue;
    if (visit(at - find.length + 1) === false) return;
    matched = overlapping ? (borders[matched - 1] as number) : 0;
  }
}

/** Returns for each prefix how long a shorter prefix it ends with. */
function borderLengths(find: string): Int32Array {
  const borders = new Int32Array(find.length);
  let length = 0;
  for (let at = 1; at < find.length; at++) {
    const code = find.charCodeAt(at);
    while (length > 0 && find.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (find.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
