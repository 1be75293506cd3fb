import { isObject } from "@toolglot/internal";
import { dropKeys } from "../../json.ts";

/** In Python data `constructor` and `prototype` are keys like any other. */
const droppedKeys = ["__proto__"];

/** One frame: its length in bytes (32 bits, big endian), then JSON in UTF-8. */
const headBytes = 4;

/** Returns a frame as bytes, from JSON text. */
export function encodeFrame(json: string): Buffer {
  const body = Buffer.from(json);
  const frame = Buffer.allocUnsafe(headBytes + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, headBytes);
  return frame;
}

/** Fault of a stream of frames. */
export class FrameError extends Error {}

/** Splits a byte stream into frames. Linear in the bytes: chunks are joined once per frame. */
export class FrameDecoder {
  #chunks: Buffer[] = [];
  #buffered = 0;
  #wanted = headBytes;
  #inBody = false;
  readonly #maxBytes: number;

  /** `maxBytes`: a longer frame throws {@link FrameError} as soon as its length is read. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Emits the bodies of the frames that this chunk completes. */
  *push(chunk: Buffer): Generator<Buffer, void, void> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#buffered >= this.#wanted) {
      const bytes = this.#take(this.#wanted);
      if (this.#inBody) {
        this.#inBody = false;
        this.#wanted = headBytes;
        yield bytes;
        continue;
      }
      const length = bytes.readUInt32BE(0);
      if (length > this.#maxBytes) throw new FrameError(`a frame of ${length} bytes, more than ${this.#maxBytes}`);
      this.#inBody = true;
      this.#wanted = length;
    }
  }

  #take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = count < all.length ? [all.subarray(count)] : [];
    this.#buffered -= count;
    return all.subarray(0, count);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the JSON text of a frame. Keys named `__proto__` are dropped. Throws {@link FrameError} for anything that is
 * not UTF-8, not JSON, not an object, or nested too deeply.
 */
export function decodeFrame(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new FrameError("a frame that is not JSON");
  }
  if (!isObject(value)) throw new FrameError("a frame that is no object");
  if (!dropKeys(value, droppedKeys)) throw new FrameError("a frame that is nested too deeply");
  return value;
}
