import { inBackground } from "@toolglot/internal";
import type { Masker } from "@toolglot/secrets";
import { isHighSurrogate } from "./char-width.ts";
import { LiveText } from "./live-text.ts";

/** Milliseconds between two events: at most ten in any second. */
const eventMs = 105;
/** Milliseconds of silence after which an unfinished line is given. */
const silenceMs = 100;
/** Bytes of UTF-8 in one event, and in all of them. */
const eventBytes = 65_536;
const maxBytes = 1 << 20;

const fullNote = "[More than 1 MiB was printed: the rest is not shown while the command runs.]\n";
const encoder = new TextEncoder();

/** Dependencies of a {@link LiveOutput}. */
export interface LiveOutputOptions {
  onOutput: (text: string) => void;
  masker: Masker;
  /** Makes the page give what is due. True when there is more, which is not due yet. */
  settle: (time: number, isSilent: boolean) => boolean;
  /** The page need not collect news any more. */
  detach: () => void;
}

/** Emits a command's output to a listener while it runs: a few times a second, and no more of it than a person can use. */
export class LiveOutput {
  /** Where the page puts its news. */
  readonly text: LiveText = new LiveText();
  readonly #options: LiveOutputOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastWrite = 0;
  /** To be given. */
  #waiting: string;
  #atLineStart = true;
  #left = maxBytes;
  #stopped = false;

  /** `before`: what was printed before anybody listened. */
  constructor(options: LiveOutputOptions, before: string) {
    this.#options = options;
    this.#waiting = before;
    this.touch();
  }

  /** Restarts the silence: something was printed. */
  touch(): void {
    this.#lastWrite = performance.now();
    this.#arm();
  }

  /** Emits nothing any more. */
  close(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    if (!this.#stopped) this.#timer ??= inBackground(() => this.#tick(), eventMs);
  }

  #tick(): void {
    this.#timer = undefined;
    const { masker, settle, detach } = this.#options;
    let isMore = false;
    if (this.#waiting.length <= this.#left) {
      const time = performance.now();
      const isSilent = time - this.#lastWrite >= silenceMs;
      isMore = settle(time, isSilent);
      this.#waiting += masker.write(this.text.take());
      if (isSilent) this.#waiting += masker.pause();
    } else detach();
    this.#give();
    if (isMore || this.#waiting !== "") this.#arm();
  }

  #give(): void {
    if (this.#waiting === "") return;
    const { read, written } = measured(this.#waiting, Math.min(eventBytes, this.#left));
    if (read === 0) {
      this.#call(this.#atLineStart ? fullNote : `\n${fullNote}`);
      this.#end();
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
      this.#options.onOutput(piece);
    } catch {
      this.#end();
    }
  }

  #end(): void {
    this.#waiting = "";
    this.close();
    this.#options.detach();
  }
}

/** Counts how many UTF-16 units of a text fit into so many bytes of UTF-8, and the bytes that they take. */
function measured(text: string, bytes: number): { read: number; written: number } {
  const front = text.slice(0, bytes);
  const whole = front.length < text.length && isHighSurrogate(front.charCodeAt(bytes - 1)) ? front.slice(0, -1) : front;
  return encoder.encodeInto(whole, new Uint8Array(bytes));
}
