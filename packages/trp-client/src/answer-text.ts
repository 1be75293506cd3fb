import { joinBytes } from "@toolglot/internal";
import { clientError } from "./errors.ts";

/** Takes the bytes of an answer as they come, and gives what they were at their end. Both throw for what is no answer. */
export interface AnswerReader<Answer> {
  push(bytes: Uint8Array): void;
  end(): Answer;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** An answer that is one text. */
export class AnswerText implements AnswerReader<string> {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws `trp-client/bad-answer` when it is too large. */
  push(bytes: Uint8Array): void {
    this.#size += bytes.byteLength;
    if (this.#size > this.#maxBytes) {
      const message = `The answer has more than ${this.#maxBytes} bytes.`;
      throw clientError("trp-client/bad-answer", message, { data: { permanent: true } });
    }
    this.#chunks.push(bytes);
  }

  /** Throws `trp-client/bad-answer` when it is not UTF-8. */
  end(): string {
    // Joined before it is read: a character may lie across two chunks.
    const [first] = this.#chunks;
    try {
      return decoder.decode(this.#chunks.length === 1 ? first : joinBytes(this.#chunks));
    } catch {
      throw clientError("trp-client/bad-answer", "The answer is not UTF-8.");
    }
  }
}
