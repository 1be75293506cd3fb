import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { ByteLines, isObject, parseJson } from "@toolglot/internal";
import { DocumentSplitter } from "./document-splitter.ts";
import { isJsonSpace } from "./json-value.ts";

/** Bytes of a record at most: what is longer is not read, so that the memory stays flat. */
export const maxRecordBytes = 16 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/** Members of a document that are lists of records. */
const recordLists: ReadonlySet<string> = new Set([
  "messages",
  "contents",
  "history",
  "steps",
  "runs",
  "questions",
  "items",
  "input",
  "output",
  "resourceSpans",
  "resourceLogs",
]);

/** A record as it stands in a file: a line, or a part of the one document, whose place is `pointer`. */
export interface LogRecord {
  /** From 1; of a document 1. */
  line: number;
  /** JSON Pointer in the document; empty for a line. */
  pointer: string;
  value: Record<string, unknown>;
}

/** Receiver of the records of a file, in order. */
export interface RecordTaker {
  record(record: LogRecord): void;
  /** Something that is no record: no JSON, no object, too long, or cut. */
  unread(line: number): void;
}

/** Reads the records of a file, lines or one document, by what it begins with. Throws what the file system does. */
export async function readRecords(file: string, taker: RecordTaker): Promise<void> {
  const chunks = (): Chunks => (isPacked(file) ? unpacked(file) : chunksOf(file));
  if ((await isDocument(chunks())) && (await readDocument(chunks(), taker))) return;
  await readLines(chunks(), taker);
}

type Chunks = Iterable<Buffer> | AsyncIterable<Buffer>;

/** Reads a file from its start. */
function* chunksOf(file: string): Generator<Buffer, void> {
  const descriptor = openSync(file, "r");
  try {
    for (let position = 0; ; ) {
      // A buffer of its own: lines keep parts of it.
      const buffer = Buffer.allocUnsafeSlow(chunkBytes);
      const size = readSync(descriptor, buffer, 0, chunkBytes, position);
      if (size === 0) return;
      yield position === 0 ? unmarked(buffer.subarray(0, size)) : buffer.subarray(0, size);
      position += size;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Leaves out a byte order mark. */
const unmarked = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** Whether a file begins as gzip does, as logs do that were put aside. */
function isPacked(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const head = Buffer.alloc(2);
    return readSync(descriptor, head, 0, 2, 0) === 2 && head[0] === 0x1f && head[1] === 0x8b;
  } finally {
    closeSync(descriptor);
  }
}

async function* unpacked(file: string): AsyncGenerator<Buffer, void> {
  const source = createReadStream(file);
  const stream = source.pipe(createGunzip({ chunkSize: chunkBytes }));
  source.on("error", (error) => stream.destroy(error));
  let isFirst = true;
  try {
    for await (const chunk of stream) {
      yield isFirst ? unmarked(chunk as Buffer) : (chunk as Buffer);
      isFirst = false;
    }
  } finally {
    source.destroy();
  }
}

/** A document is a list, an object that goes on in the next line, or one line that is longer than a record. */
async function isDocument(chunks: Chunks): Promise<boolean> {
  let first: number | undefined;
  let last = 0;
  let size = 0;
  for await (const chunk of chunks) {
    let at = 0;
    while (first === undefined && at < chunk.length && isJsonSpace(chunk[at] as number)) at += 1;
    first ??= chunk[at];
    if (first === undefined) continue;
    if (first !== 0x7b) return first === 0x5b;
    const end = chunk.indexOf(0x0a, at);
    const line = chunk.subarray(at, end === -1 ? chunk.length : end);
    for (let index = line.length; index-- > 0; ) {
      if (isJsonSpace(line[index] as number)) continue;
      last = line[index] as number;
      break;
    }
    size += line.length;
    // What an object can't end with: `{`, `[`, `,` or `:`.
    if (end !== -1) return last === 0x7b || last === 0x5b || last === 0x2c || last === 0x3a;
    if (size > maxRecordBytes) return true;
  }
  return false;
}

/** False when it is no document and nothing was taken. */
async function readDocument(chunks: Chunks, taker: RecordTaker): Promise<boolean> {
  let records = 0;
  let unread = 0;
  /** The document's own members, less its lists. */
  let head: [name: string, value: unknown][] = [];
  let headBytes = 0;
  const flush = (): void => {
    if (head.length > 0) taker.record({ line: 1, pointer: "", value: Object.fromEntries(head) });
    head = [];
    headBytes = 0;
  };
  const splitter = new DocumentSplitter(maxRecordBytes, recordLists, {
    part(steps, bytes) {
      const [name] = steps;
      const isMember = steps.length === 1 && typeof name === "string";
      if (isMember) headBytes += bytes.length;
      if (isMember && headBytes > maxRecordBytes) return;
      const value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
      if (isMember) head.push([name, value]);
      else if (isObject(value)) {
        flush();
        records += 1;
        taker.record({ line: 1, pointer: `/${steps.join("/")}`, value });
      } else unread += 1;
    },
    tooLong: () => {
      unread += 1;
    },
    end: flush,
  });
  for await (const chunk of chunks) {
    if (splitter.push(chunk)) continue;
    // A first line that was cut looks like the beginning of a document.
    if (records === 0) return false;
    break;
  }
  flush();
  // It ends early, or can't be read from some place on.
  if (!splitter.isWhole) unread += 1;
  for (; unread > 0; unread--) taker.unread(1);
  return true;
}

/** Returns the object that a line of a server's log ends with, behind the time, a level and what it is: `data: {…}`. */
const behindHead = (line: string): string => /^[^{]{1,400}[:=]\s{0,9}(\{".*\})\s*$/s.exec(line)?.[1] ?? "";

async function readLines(chunks: Chunks, taker: RecordTaker): Promise<void> {
  let line = 0;
  const lines = new ByteLines(maxRecordBytes, {
    line(bytes) {
      line += 1;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
      const value = parseJson(text) ?? parseJson(behindHead(text));
      if (isObject(value)) taker.record({ line, pointer: "", value });
      else taker.unread(line);
    },
    tooLong() {
      line += 1;
      taker.unread(line);
    },
    blank() {
      line += 1;
    },
  });
  for await (const chunk of chunks) lines.push(chunk);
  lines.end();
}
