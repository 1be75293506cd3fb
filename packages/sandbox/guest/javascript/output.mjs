// What a program prints: lines to the host; of more than the limit the first and the last.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @typedef {{ stream: "stdout" | "stderr", text: string, size: number }} Line */

/**
 * What all streams of a run may print together, in bytes of UTF-8: of more than that the first two fifths, and of the rest the
 * end. Programs print their answer last.
 */
export class Output {
  /** @param {number} limit @param {(message: string) => void} send */
  constructor(limit, send) {
    this.send = send;
    /** Of the head. */
    this.left = Math.floor((limit * 2) / 5);
    this.afterHead = limit - this.left;
    /** The last lines, once the head is over. @type {Line[] | undefined} */
    this.tail = undefined;
    /** Where the tail begins: what is before it is dropped a few at a time. */
    this.from = 0;
    this.size = 0;
    this.lost = 0;
    this.lines = 0;
  }

  /** One entry for each line. @param {"stdout" | "stderr"} stream @param {string} text */
  print(stream, text) {
    for (const line of text.split("\n")) this.line(stream, line);
  }

  /** @param {"stdout" | "stderr"} stream @param {string} text */
  line(stream, text) {
    const bytes = encoder.encode(text);
    const size = bytes.length + 1;
    const whole = text.isWellFormed?.() === false ? decoder.decode(bytes) : text;
    if (this.tail === undefined && size <= this.left) {
      this.left -= size;
      return this.say({ stream, text: whole });
    }
    let rest = { stream, text: whole, size };
    if (this.tail === undefined) {
      this.tail = [];
      this.room = this.afterHead + this.left;
      // A line that is longer than all that is left has its beginning in the head.
      if (size > this.room && this.left > 0) {
        this.say({ stream, text: part(bytes.subarray(0, this.left)) });
        rest = { stream, text: part(bytes.subarray(this.left)), size: size - this.left };
        this.room -= this.left + 1;
      }
    }
    this.tail.push(rest);
    this.size += rest.size;
    while (this.size > this.room) this.drop(this.tail);
  }

  /** Lets go of the first line of the tail, or of the beginning of the only one. @param {Line[]} tail */
  drop(tail) {
    const first = tail[this.from];
    let gone = first.size;
    if (this.from < tail.length - 1) {
      this.lines += 1;
      this.from += 1;
      if (this.from > 1000) {
        tail.splice(0, this.from);
        this.from = 0;
      }
    } else {
      gone = Math.min(gone, this.size - this.room);
      first.text = part(encoder.encode(first.text).subarray(gone));
      first.size -= gone;
    }
    this.lost += gone;
    this.size -= gone;
  }

  /** Says what was kept of the end. */
  finish() {
    const tail = (this.tail ?? []).slice(this.from);
    this.tail = [];
    this.from = 0;
    const { lost, lines } = this;
    this.lost = 0;
    if (lost > 0) {
      const text = `[${lost} bytes of output are left out here, ${lines} whole lines]`;
      this.send(JSON.stringify({ type: "log", stream: tail[0]?.stream ?? "stdout", text, cut: lost }));
    }
    for (const line of tail) this.say(line);
  }

  /** @param {Pick<Line, "stream" | "text">} line */
  say({ stream, text }) {
    this.send(JSON.stringify({ type: "log", stream, text }));
  }
}

/** Whole characters of a part. @param {Uint8Array} bytes */
function part(bytes) {
  const isRest = (/** @type {number | undefined} */ byte) => byte !== undefined && (byte & 0xc0) === 0x80;
  let from = 0;
  while (isRest(bytes[from])) from += 1;
  const text = decoder.decode(bytes.subarray(from), { stream: true });
  decoder.decode();
  return text;
}
