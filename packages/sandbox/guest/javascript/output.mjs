// What a program prints: lines to the host, up to a limit.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What all streams of a run may print together, in bytes of UTF-8. */
export class Output {
  /** @param {number} limit @param {(message: string) => void} send */
  constructor(limit, send) {
    this.limit = limit;
    this.left = limit;
    this.spent = false;
    this.send = send;
  }

  /** One entry for each line. @param {"stdout" | "stderr"} stream @param {string} text */
  print(stream, text) {
    for (const line of text.split("\n")) {
      if (this.spent) return;
      this.line(stream, line);
    }
  }

  /** @param {"stdout" | "stderr"} stream @param {string} text */
  line(stream, text) {
    // A unit of UTF-16 takes at least a byte: the rest would be cut anyway.
    let bytes = encoder.encode(text.length > this.left ? text.slice(0, this.left + 1) : text);
    if (bytes.length + 1 > this.left) {
      this.spent = true;
      bytes = bytes.subarray(0, this.left);
    }
    this.left -= bytes.length + 1;
    const whole = this.spent
      ? decoder.decode(bytes, { stream: true })
      : text.isWellFormed?.() === false
        ? decoder.decode(bytes)
        : text;
    if (this.spent) decoder.decode();
    if (whole !== "" || !this.spent) this.send(JSON.stringify({ type: "log", stream, text: whole }));
    if (!this.spent) return;
    this.send(JSON.stringify({ type: "log", stream, text: `[output cut at ${this.limit} bytes]`, cut: true }));
  }
}
