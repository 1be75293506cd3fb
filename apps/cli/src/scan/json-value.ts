const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** Checks for white space of JSON. */
export const isJsonSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Finds the end of a value in JSON that comes in chunks. It trusts the JSON: what is not valid has some end. */
export class ValueEnd {
  #depth = 0;
  #inString = false;
  /** The unit before the chunk was a backslash that escapes what comes. */
  #escaped = false;
  #isScalar = false;

  /** Begins with the value's first byte. */
  begin(first: number): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#isScalar = first !== quote && first !== openBrace && first !== openBracket;
  }

  /** Returns the index behind the value, which goes on at an index; -1 when the chunk does not have its end. */
  find(chunk: Buffer, from: number): number {
    return this.#isScalar ? scalarEnd(chunk, from) : this.#nestedEnd(chunk, from);
  }

  #nestedEnd(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#inString) {
        const end = this.#stringEnd(chunk, at);
        if (end === -1) return -1;
        at = end;
        this.#inString = false;
        if (this.#depth === 0) return at;
        continue;
      }
      const byte = chunk[at++];
      if (byte === quote) this.#inString = true;
      else if (byte === openBrace || byte === openBracket) this.#depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        this.#depth -= 1;
        if (this.#depth <= 0) return at;
      }
    }
    return -1;
  }

  #stringEnd(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    for (;;) {
      const end = chunk.indexOf(quote, at);
      const last = end === -1 ? chunk.length : end;
      let slashes = 0;
      while (last - slashes > at && chunk[last - slashes - 1] === backslash) slashes += 1;
      const isEscaped = slashes % 2 === 1;
      if (end === -1) {
        this.#escaped = isEscaped;
        return -1;
      }
      if (!isEscaped) return end + 1;
      at = end + 1;
    }
  }
}

function scalarEnd(chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    if (byte === comma || byte === closeBrace || byte === closeBracket || isJsonSpace(byte)) return at;
  }
  return -1;
}
