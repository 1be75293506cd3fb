import { isUtf8 } from "node:buffer";

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
