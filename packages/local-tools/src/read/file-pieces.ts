import { fstatSync, readSync } from "node:fs";

/** Bytes of a file that are read at one time. */
export const pieceBytes: number = 1 << 20;

/** Reads files piece by piece into one buffer, with calls that wait. */
export class FilePieces {
  readonly #buffer = Buffer.allocUnsafeSlow(pieceBytes);

  /** Returns the bytes of an open file from a place on, as many as a piece takes; they last until the next call. Undefined: it can't be read. */
  read(fd: number, from: number, most: number): Buffer | undefined {
    const wanted = Math.min(most, pieceBytes);
    let length = 0;
    try {
      for (let read = 1; read > 0 && length < wanted; length += read) {
        read = readSync(fd, this.#buffer, length, wanted - length, from + length);
      }
    } catch {
      return undefined;
    }
    return this.#buffer.subarray(0, length);
  }

  /** Returns the first bytes of a file, which last. `tick` is called before each further piece. */
  head(fd: number, most: number, tick: () => void): Buffer | undefined {
    const head = Buffer.allocUnsafeSlow(most);
    for (let length = 0; ; tick()) {
      const bytes = this.read(fd, length, most - length);
      if (bytes === undefined) return undefined;
      length += bytes.copy(head, length);
      if (bytes.length === 0 || length === most) return head.subarray(0, length);
    }
  }
}

/** Bytes of a regular file; undefined for anything else. */
export function sizeOf(fd: number): number | undefined {
  const stats = fstatSync(fd);
  return stats.isFile() ? stats.size : undefined;
}
