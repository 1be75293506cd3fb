import { createHash } from "node:crypto";
import { localError } from "../errors.ts";
import type { OpenedFile } from "../roots/roots.ts";

/** A file's text, exact: encoded again it gives the same bytes. */
export interface FileText {
  bytes: Uint8Array;
  /** Without the byte order mark. */
  text: string;
  bom: boolean;
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
}

/** The largest file that is edited, in bytes: 8 MiB. */
export const maxEditBytes: number = 8 * 1024 * 1024;

const byteOrderMark = "\ufeff";

/** Reads an open file whole. Rejects with `TooLarge` above `maxBytes`, and as {@link decodeText} does. Doesn't close it. */
export async function readText(file: OpenedFile, path: string, maxBytes: number = maxEditBytes): Promise<FileText> {
  const bytes = await readBytes(file, path, maxBytes);
  return decodeText(bytes, path);
}

/**
 * Decodes a file's bytes as UTF-8, nothing replaced. Throws `NotUtf8` for other encodings and `BinaryFile` for anything with a NUL
 * byte; `path` is what messages call the file.
 */
export function decodeText(bytes: Uint8Array, path: string): FileText {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw localError("NotUtf8", `${path} is UTF-16, not UTF-8: it can't be edited as text.`);
  }
  if (bytes.includes(0)) throw localError("BinaryFile", `${path} is a binary file: it can't be edited as text.`);
  const whole = decode(bytes);
  if (whole === undefined) {
    throw localError("NotUtf8", `${path} is not UTF-8 (line ${invalidLine(bytes)}): it can't be edited as text.`);
  }
  const bom = whole.startsWith(byteOrderMark);
  return {
    bytes,
    text: bom ? whole.slice(1) : whole,
    bom,
    hash: createHash("sha256").update(bytes).digest("hex"),
  };
}

/** The bytes of a text. It must hold no half of a surrogate pair. */
export function encodeText(text: string, bom: boolean): Uint8Array {
  return Buffer.from(bom ? byteOrderMark + text : text, "utf8");
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The line of the first byte that is no UTF-8. No character of UTF-8 holds an LF, so lines can be tried one by one. */
function invalidLine(bytes: Uint8Array): number {
  let from = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, from);
    if (end === -1 || decode(bytes.subarray(from, end)) === undefined) return line;
    from = end + 1;
  }
}

/** At most one byte more than allowed is read, even when the file grows meanwhile. */
async function readBytes({ handle, stats }: OpenedFile, path: string, maxBytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let total = 0;
  let next = Math.min(stats.size, maxBytes) + 1;
  while (stats.size <= maxBytes && total <= maxBytes) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(next), 0, next, total);
    if (bytesRead === 0) return Buffer.concat(parts);
    parts.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    next = Math.min(maxBytes + 1 - total, 65_536);
  }
  const size = Math.max(stats.size, total).toLocaleString("en");
  throw localError(
    "TooLarge",
    `${path} has ${size} bytes; files up to ${maxBytes.toLocaleString("en")} can be edited.`,
  );
}
