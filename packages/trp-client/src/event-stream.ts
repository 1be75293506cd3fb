import { isObject } from "@toolglot/internal";
import { createParser } from "eventsource-parser";
import type { AnswerReader } from "./answer.ts";
import { clientError } from "./errors.ts";

/** What a transport asks for when somebody listens for frames before the answer. */
export const acceptStream = "text/event-stream, application/json;q=0.5";

/** Whether an answer is a stream of frames, by its `Content-Type`. */
export function isEventStream(contentType: string | null | undefined): boolean {
  return /^\s*text\/event-stream\s*(;|$)/i.test(contentType ?? "");
}

/** Reads a stream of frames: partial results go to the listener as they come, and the last frame is the answer. */
export class FrameStream implements AnswerReader<unknown> {
  readonly #onPartial: (frame: unknown) => void;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #parser: ReturnType<typeof createParser>;
  #last: { frame: unknown; isPartial: boolean } | undefined;
  /** Bytes since the last frame. */
  #pending = 0;

  /** @param maxBytes Of one frame. */
  constructor(onPartial: (frame: unknown) => void, maxBytes: number) {
    this.#onPartial = onPartial;
    this.#maxBytes = maxBytes;
    this.#parser = createParser({ onEvent: ({ data }) => this.#take(data) });
  }

  /** Throws `trp-client/bad-answer` for what is no stream of frames. */
  push(bytes: Uint8Array): void {
    this.#pending += bytes.byteLength;
    if (this.#pending > this.#maxBytes) throw bad(`A frame of the answer has more than ${this.#maxBytes} bytes.`);
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw bad("The answer is not UTF-8.");
    }
    this.#parser.feed(text);
  }

  /** Returns the answer. Throws `trp-client/no-answer` when the stream ended before it. */
  end(): unknown {
    if (this.#last === undefined) throw clientError("trp-client/no-answer", "The stream ended without an answer.");
    return this.#last.frame;
  }

  #take(data: string): void {
    this.#pending = 0;
    let frame: unknown;
    try {
      frame = JSON.parse(data);
    } catch {
      throw bad("The answer has an event that is not JSON.");
    }
    const isPartial = isObject(frame) && frame.frame_type === "PARTIAL_RESULT";
    // An ACK that comes before the answer.
    if (this.#last !== undefined && !this.#last.isPartial) this.#onPartial(this.#last.frame);
    // Not to be held back, though it may turn out to be the answer, too.
    if (isPartial) this.#onPartial(frame);
    this.#last = { frame, isPartial };
  }
}

function bad(why: string): Error {
  return clientError("trp-client/bad-answer", why, { data: { permanent: true } });
}
