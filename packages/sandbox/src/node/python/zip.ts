import { inflateRawSync } from "node:zlib";

/** One file of an archive. */
export interface ZipEntry {
  name: string;
  read(): Buffer;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
/** Of the end of the archive, without its comment. */
const endBytes = 22;
/** A comment's length is written in 16 bits. */
const maxCommentBytes = 0xffff;
/** Where a number does not fit, and stands in a part that is not read here. */
const elsewhere = 0xffffffff;
/** What is read of one file; metadata takes a few kilobytes. */
const maxEntryBytes = 16 * 1024 * 1024;

/** Returns the files of a ZIP archive. Throws `RangeError` and `Error` for what is none, or one of more than 4 GB. */
export function readZip(bytes: Buffer): ZipEntry[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const found: ZipEntry[] = [];
  for (let number = 0; number < count; number += 1) {
    if (bytes.readUInt32LE(at) !== entrySignature) throw new Error("its list of files is broken");
    const [method, packed, local] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 42),
    ];
    if (packed === elsewhere || local === elsewhere) throw new Error("it is larger than 4 GB");
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const [nameBytes = 0] = lengths;
    const name = bytes.toString("utf8", at + 46, at + 46 + nameBytes);
    if (!name.endsWith("/")) found.push({ name, read: () => readEntry(bytes, local, packed, method) });
    at += 46 + lengths.reduce((sum, each) => sum + each, 0);
  }
  return found;
}

function findEnd(bytes: Buffer): number {
  const least = Math.max(0, bytes.length - endBytes - maxCommentBytes);
  for (let at = bytes.length - endBytes; at >= least; at -= 1) {
    if (bytes.readUInt32LE(at) === endSignature) return at;
  }
  throw new Error("it is no ZIP archive");
}

function readEntry(bytes: Buffer, local: number, packed: number, method: number): Buffer {
  if (bytes.readUInt32LE(local) !== localSignature) throw new Error("a file in it is broken");
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const content = bytes.subarray(start, start + packed);
  if (method === 0) return content;
  if (method === 8) return inflateRawSync(content, { maxOutputLength: maxEntryBytes });
  throw new Error(`a file in it is packed by method ${method}`);
}
