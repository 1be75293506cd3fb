import type { FileHandle } from "node:fs/promises";
import { localError } from "../errors.ts";
import { inMessage } from "../roots/words.ts";

/** All bytes of an open file; `TooLarge` for more than `maxBytes`, also when it grows meanwhile. */
export async function readWhole(handle: FileHandle, maxBytes: number, shown: string): Promise<Buffer> {
  const { size } = await handle.stat();
  const parts: Buffer[] = [];
  let total = 0;
  for (let room = Math.min(size, maxBytes) + 1; ; room = 65_536) {
    const part = Buffer.allocUnsafe(room);
    const { bytesRead } = await handle.read(part, 0, room, total);
    if (bytesRead === 0) return Buffer.concat(parts, total);
    parts.push(part.subarray(0, bytesRead));
    total += bytesRead;
    if (total > maxBytes) {
      throw localError(
        "TooLarge",
        `${inMessage(shown)} is larger than ${maxBytes} bytes: it can't be read as a whole.`,
      );
    }
  }
}

/** Bytes as text, a BOM included. Throws `BinaryFile` for NUL bytes and `NotUtf8` for what would be mangled. */
export function decodeText(bytes: Uint8Array, shown: string): string {
  if (bytes.includes(0)) throw localError("BinaryFile", `${inMessage(shown)} is no text: it has NUL bytes.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw localError("NotUtf8", `${inMessage(shown)} is no UTF-8 text.`);
  }
}

/** Without the byte order mark. */
export function withoutBom(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
