import { inBackground } from "@toolglot/internal";
import type { Masker } from "@toolglot/secrets";
import { isHighSurrogate } from "./char-width.ts";
import { LiveText } from "./live-text.ts";
import type { TextCleaner } from "./text-cleaner.ts";

/** Milliseconds between two events: at most ten in any second. */
const eventMs = 105;
/** Milliseconds of silence after which an unfinished line is given. */
const silenceMs = 100;
/** Bytes of UTF-8 in one event, and in all of them. */
const eventBytes = 65_536;
const maxBytes = 1 << 20;

const fullNote = "[More than 1 MiB was printed: the rest is not shown while the command runs.]\n";
const encoder = new TextEncoder();

/** Emits a command's output to a listener while it runs: a few times a second, and no more of it than a person can use. */
export class LiveOutput {
  readonly #cleaner: TextCleaner;
  readonly #masker: Masker;
  readonly #onOutput: (text: string) => void;
  readonly #text = new LiveText();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastWrite = 0;
  #waiting: string;
  #atLineStart = true;
  #left = maxBytes;
  #isClosed = false;

  /** `before`: what was printed before anybody listened. */
  constructor(cleaner: TextCleaner, masker: Masker, onOutput: (text: string) => void, before: string) {
    this.#cleaner = cleaner;
    this.#masker = masker;
    this.#onOutput = onOutput;
    this.#waiting = before;
    cleaner.listen(this.#text);
    this.touch();
  }

  /** Restarts the silence: something was printed. */
  touch(): void {
    this.#lastWrite = performance.now();
    this.#arm();
  }

  /** Emits nothing any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#cleaner.listen(undefined);
  }

  #arm(): void {
    if (!this.#isClosed) this.#timer ??= inBackground(() => this.#tick(), eventMs);
  }

  #tick(): void {
    this.#timer = undefined;
    let isMore = false;
    if (this.#waiting.length <= this.#left) {
      const time = performance.now();
      const isSilent = time - this.#lastWrite >= silenceMs;
      isMore = this.#cleaner.giveLive({ time, isSilent });
      this.#waiting += this.#masker.write(this.#text.take());
      if (isSilent) this.#waiting += this.#masker.pause();
      // It is enough: the page need not collect more.
    } else this.#cleaner.listen(undefined);
    this.#give();
    if (isMore || this.#waiting !== "") this.#arm();
  }

  #give(): void {
    if (this.#waiting === "") return;
    const { read, written } = measured(this.#waiting, Math.min(eventBytes, this.#left));
    if (read === 0) {
      this.#call(this.#atLineStart ? fullNote : `\n${fullNote}`);
      this.close();
      return;
    }
    const piece = this.#waiting.slice(0, read);
    this.#waiting = this.#waiting.slice(read);
    this.#left -= written;
    this.#atLineStart = piece.endsWith("\n");
    this.#call(piece);
  }

  /** Calls the listener; one that fails is removed, and the command continues. */
  #call(piece: string): void {
    try {
      this.#onOutput(piece);
    } catch {
      this.close();
    }
  }
}

/** Counts how many UTF-16 units of a text fit into so many bytes of UTF-8, and the bytes that they take. */
function measured(text: string, bytes: number): { read: number; written: number } {
  const front = text.slice(0, bytes);
  const whole = front.length < text.length && isHighSurrogate(front.charCodeAt(bytes - 1)) ? front.slice(0, -1) : front;
  return encoder.encodeInto(whole, new Uint8Array(bytes));
}
