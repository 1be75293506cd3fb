import { isObject, settleWithin } from "@toolglot/internal";
import { fault } from "../frames/fault.ts";
import type { ResponseFrame } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { FrameAnswers } from "./frame-answers.ts";
import { type DecodeUtf8, frameIdIn, readMessage } from "./read-message.ts";
import { UnreadGuard } from "./unread-guard.ts";

/** Why a connection is ended by the router. */
export type Ending = "closing" | "not-read";

/** A connection that carries frames both ways, as a {@link FrameChannel} sees it. */
export interface ChannelWire {
  /** Sends one frame. Calls `written` when the other side has taken it, or never will. */
  send(text: string, written: () => void): void;
  /** Bytes that were sent, and not taken. */
  unread(): number;
  pause(): void;
  resume(): void;
  end(why: Ending): void;
}

const unread = "Too many answers on this connection are not read.";

/** Questions of one connection that may wait for the end of a call; more are answered at once. */
const maxWaiting = 64;

/**
 * The frames of one connection: each is answered when its answer is there, in any order, an ACK and partial results before it.
 * A client that does not read what it gets is not read from either, and is cut off in the end: nobody makes the router keep
 * more than a few answers for them.
 */
export class FrameChannel {
  readonly #answers: FrameAnswers;
  readonly #principal: Principal;
  readonly #wire: ChannelWire;
  readonly #depth: number;
  readonly #decode: DecodeUtf8;
  readonly #gone = new AbortController();
  #inFlight = 0;
  #waiting = 0;
  #allAnswered: (() => void) | undefined;
  readonly #guard: UnreadGuard;
  readonly #taken = (): void => this.#guard.taken();

  constructor(
    answers: FrameAnswers,
    { principal, wire, depth, decode }: { principal: Principal; wire: ChannelWire; depth: number; decode: DecodeUtf8 },
  ) {
    this.#answers = answers;
    this.#principal = principal;
    this.#wire = wire;
    this.#depth = depth;
    this.#decode = decode;
    this.#guard = new UnreadGuard(answers.limits, {
      unread: () => wire.unread(),
      pause: () => wire.pause(),
      resume: () => wire.resume(),
      cut: () => this.#cut(),
    });
  }

  /** Whether nothing is read, because the client doesn't read either. */
  get isPaused(): boolean {
    return this.#guard.isStalled;
  }

  /** A whole message. */
  receive(bytes: Uint8Array): void {
    // What had arrived before the reading was stopped still comes.
    if (!this.#guard.hasRoom()) return;
    const { frameBytes } = this.#answers.limits;
    if (bytes.length > frameBytes) {
      this.receiveTooLarge(bytes);
      return;
    }
    const read = readMessage(bytes, { what: "frame", depth: this.#depth, decode: this.#decode });
    if ("fault" in read) this.#send(this.#answers.refuse(read.fault, { frame_id: frameIdIn(bytes) }));
    else if (this.#guard.isStalled) this.#send(this.#answers.refuse(fault("TRP_5003", unread), read.value));
    else void this.#answer(read.value);
  }

  /** A message of which only the beginning was kept. */
  receiveTooLarge(beginning: Uint8Array): void {
    if (!this.#guard.hasRoom()) return;
    const { frameBytes } = this.#answers.limits;
    const reason = fault("TRP_2008", `A frame may have at most ${frameBytes} bytes.`);
    this.#send(this.#answers.refuse(reason, { frame_id: frameIdIn(beginning) }));
  }

  /** The connection is over. What was started continues in the router. */
  leave(): void {
    this.#guard.end();
    this.#gone.abort();
  }

  /** Waits until every frame is answered, at most so long, and ends the connection. */
  async close(graceMs: number): Promise<void> {
    const { signal } = this.#gone;
    if (this.#inFlight > 0) {
      const answered = new Promise<void>((resolve) => {
        this.#allAnswered = resolve;
      });
      await settleWithin(answered, { ms: graceMs, signal });
    }
    if (!signal.aborted) this.#wire.end("closing");
  }

  async #answer(frame: unknown): Promise<void> {
    const waits = isObject(frame) && frame.frame_type === "RESULT_QUERY_REQ";
    const early = waits && this.#waiting >= maxWaiting ? undefined : this.#early;
    const sender = { principal: this.#principal, signal: this.#gone.signal, inFlight: this.#inFlight, early };
    this.#inFlight++;
    if (waits) this.#waiting++;
    const answer = await this.#answers.answer(frame, sender);
    this.#inFlight--;
    if (waits) this.#waiting--;
    this.#send(answer);
    if (this.#inFlight === 0) this.#allAnswered?.();
  }

  readonly #early = (frame: ResponseFrame): void => {
    if (this.#guard.hasRoom()) this.#send(frame);
  };

  #send(frame: ResponseFrame): void {
    if (this.#gone.signal.aborted) return;
    this.#wire.send(JSON.stringify(frame), this.#taken);
    this.#guard.sent();
  }

  #cut(): void {
    this.leave();
    this.#wire.end("not-read");
  }
}
