import { createHmac, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import type { GuestMemory } from "../../engine.ts";
import type { StoredTurn } from "../../session/kept.ts";
import type { SessionVariable } from "../../session/types.ts";
import type { SandboxLanguage } from "../../types.ts";
import { sessionError } from "./errors.ts";
import type { FileEntry } from "./session-files.ts";

// An image: the length of its head (32 bits, big endian), the head as JSON, numbers of pages (32 bits each, little endian), pages and
// contents of files, packed by gzip, and 32 bytes of HMAC-SHA256 over all of it, its session's id and its turn.

const pack = promisify(gzip);
const unpack = promisify(gunzip);
const macBytes = 32;
const lengthBytes = 4;
const pageBytes = 4096;
const pieceBytes = 1024 * 1024;

/** An image's description of itself. */
export interface ImageHead {
  format: 1;
  id: string;
  turn: number;
  language: SandboxLanguage;
  engine: string;
  guestHash: string;
  /** Of the libraries that the host offers; empty for none. */
  wheelsHash: string;
  /** As {@link GuestMemory.base}; empty in a session that has run nothing. */
  baseHash: string;
  memoryBytes: number;
  pages: number;
  /** Images that `undo` can go back to. */
  lineage: StoredTurn[];
  variables: readonly SessionVariable[];
  folders: readonly string[];
  files: readonly FileEntry[];
  /** Its next program gets new random numbers. */
  reseed: boolean;
  /**
   * How each turn came about, of a session whose turns are all in a log: the name of its program or file there, or the turn that was gone
   * back to.
   */
  history?: readonly (string | number)[] | undefined;
  /** Of a session with a log: tells it from earlier ones of the same id. */
  origin?: string;
  /** The HMAC of the image of another version that this one was made again from. */
  was?: string | undefined;
}

/** An image that was checked. Its pages are still packed, so that another head costs nothing. */
export interface SessionImage {
  head: ImageHead;
  packed: Uint8Array;
}

/** Returns what a log calls the state of an image: its HMAC, in hex, or that of the one that it was made again from. */
export function nameOfImage(bytes: Uint8Array, { was }: ImageHead): string {
  return was ?? Buffer.from(bytes.subarray(bytes.length - macBytes)).toString("hex");
}

/** Packs the pages and files of a memory. */
export async function packMemory(memory: Pick<GuestMemory, "numbers" | "pages" | "files">): Promise<Uint8Array> {
  const { numbers, pages, files } = memory;
  const table = new Uint8Array(numbers.length * 4);
  const view = new DataView(table.buffer);
  for (const [index, number] of numbers.entries()) view.setUint32(index * 4, number, true);
  const content = Buffer.concat([table, pages, ...files.map(({ data }) => data)]);
  // In few pieces: by default each 16 KiB is a piece of its own, and putting them together costs as much as packing.
  return await pack(content, { level: constants.Z_BEST_SPEED, chunkSize: pieceBytes });
}

/** Resolves with the memory that an image holds. */
export async function unpackMemory({ head, packed }: SessionImage): Promise<GuestMemory> {
  const { baseHash, memoryBytes, pages: count, variables, folders } = head;
  let at = count * (4 + pageBytes);
  const whole = head.files.reduce((sum, { bytes }) => sum + bytes, at);
  const all = await unpack(packed, { maxOutputLength: Math.max(1, whole), chunkSize: Math.max(64, whole) });
  const table = new DataView(all.buffer, all.byteOffset, count * 4);
  const numbers = Array.from({ length: count }, (_, index) => table.getUint32(index * 4, true));
  const pages = all.subarray(count * 4, at);
  const files = head.files.map(({ path, bytes }) => {
    at += bytes;
    return { path, data: all.subarray(at - bytes, at) };
  });
  return { base: baseHash, memoryBytes, numbers, pages, ran: true, variables, folders, files };
}

/** Returns the bytes of an image, signed. */
export function writeImage({ head, packed }: SessionImage, key: Uint8Array): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(text.length);
  const content = Buffer.concat([length, text, packed]);
  return Buffer.concat([content, sign(content, head, key)]);
}

/**
 * Reads an image. Nothing of it is looked at before its signature was: one that another key, session or turn has, or one byte of
 * which is another, is refused with `sandbox/session-tampered`.
 */
export function readImage(bytes: Uint8Array, expected: { id: string; turn: number }, key: Uint8Array): SessionImage {
  const content = bytes.subarray(0, Math.max(0, bytes.length - macBytes));
  const mac = bytes.subarray(content.length);
  if (mac.length !== macBytes || !timingSafeEqual(mac, sign(content, expected, key))) {
    const { id, turn } = expected;
    const message = `The image of turn ${turn} of the session ${id} is not what was stored under this key.`;
    throw sessionError("tampered", message, { id, turn });
  }
  const length = new DataView(content.buffer, content.byteOffset).getUint32(0);
  const head = JSON.parse(Buffer.from(content.subarray(lengthBytes, lengthBytes + length)).toString()) as ImageHead;
  return { head, packed: content.subarray(lengthBytes + length) };
}

function sign(content: Uint8Array, { id, turn }: { id: string; turn: number }, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`toolglot session\n${id}\n${turn}\n`).update(content).digest();
}
