/**
 * Decodes UTF-8 that comes in chunks. Bad bytes become U+FFFD, one for each longest part that could have begun a character, as
 * the WHATWG Encoding Standard asks; a byte order mark is kept. Any chunking gives the same text: a character
 * that a chunk leaves unfinished, three bytes at most, is held back. Several times as fast as a streaming `TextDecoder` on
 * Node 20.
 */
export class Utf8Decoder {
  #held: Buffer | undefined;

  /** The characters that are whole after this chunk. The bytes are not kept: their memory may be used again. */
  push(bytes: Uint8Array): string {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (chunk.length === 0) return "";
    const whole = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    const end = whole.length - unfinishedBytes(whole);
    this.#held = end === whole.length ? undefined : Buffer.from(whole.subarray(end));
    return whole.toString("utf8", 0, end);
  }

  /** U+FFFD for a character that was left unfinished, else nothing. The decoder can be used on, as a new one. */
  end(): string {
    const text = this.#held === undefined ? "" : this.#held.toString("utf8");
    this.#held = undefined;
    return text;
  }
}

/** How many bytes at the end begin a character that the next chunk may finish: 0 to 3. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
    if (back >= length) return 0;
    // The second byte is bounded more tightly after these: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    const second = back > 1 ? (bytes[bytes.length - back + 1] as number) : undefined;
    if (second === undefined) return back;
    if (byte === 0xe0 && second < 0xa0) return 0;
    if (byte === 0xed && second > 0x9f) return 0;
    if (byte === 0xf0 && second < 0x90) return 0;
    if (byte === 0xf4 && second > 0x8f) return 0;
    return back;
  }
  return 0;
}
