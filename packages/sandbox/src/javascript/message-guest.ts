import { isObject } from "@toolglot/internal";
import type { Guest } from "../engine.ts";
import { dropKeys, utf8Bytes } from "../json.ts";
import { StartedGuest } from "../started-guest.ts";
import type { SandboxLimits } from "../types.ts";

/** `onMessage` gets what the thread sent, `onEnd` why it ended. */
export interface ThreadListener {
  onMessage(data: unknown): void;
  onEnd(fault: string): void;
}

/** A thread that runs an interpreter. */
export interface GuestThread {
  /** Called once for each guest that runs in it, before anything is posted. */
  attach(listener: ThreadListener): void;
  /**
   * Asks it for a new interpreter, once its program is over, or to keep the one it has under the name `held`; it answers as at
   * its start.
   */
  renew(held?: string): void;
  /** `pages`: of a session's memory, where there are sessions. */
  post(text: string, pages?: Uint8Array): void;
  /** Resolves when nothing of it is left. */
  end(): Promise<void>;
  hold(alive: boolean): void;
}

/** What the guest's side lets a call's arguments have, and what surrounds a value in a message. */
const maxArgumentBytes = 4 * 1024 * 1024;
const messageOverheadBytes = 256 * 1024;
/** Messages that come together; the guest's side sends 64 at the most. */
const maxBatchLength = 256;
/** Keys that are no data of a JavaScript program, and a danger to careless readers. */
const droppedKeys = ["__proto__", "constructor", "prototype"];

/** Message to a thread whose program is over, to make an interpreter for the next. */
export const renewMessage = '{"type":"renew"}';

/** Of an engine that has run nothing. */
const firstMemoryMb = 16;

type Take = (message: Record<string, unknown>, pages: unknown) => void;

/** An interpreter in a thread. It sends arrays of JSON texts; anything else ends it. */
export class MessageGuest extends StartedGuest implements Guest {
  readonly ended: Promise<void>;
  protected readonly thread: GuestThread;
  protected readonly startTimeoutMs: number;
  protected readonly limits: SandboxLimits;
  readonly #maxBytes: number;
  #resting = false;
  grownMb = 0;
  holds: string | undefined;
  /** What takes the next answer in place of the listener. */
  protected take: Take | undefined;
  #markEnded: () => void = () => {};

  /** `startTimeoutMs`: until it must be ready. */
  constructor(thread: GuestThread, limits: SandboxLimits, startTimeoutMs: number) {
    super("the thread ended", startTimeoutMs);
    this.thread = thread;
    this.limits = limits;
    this.startTimeoutMs = startTimeoutMs;
    this.#maxBytes = Math.max(limits.maxResultBytes, limits.maxLogBytes, maxArgumentBytes) + messageOverheadBytes;
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
    const onEnd = (fault: string): void => {
      if (!this.over) this.fault = fault;
      this.end();
    };
    thread.attach({ onMessage: (data) => this.#read(data), onEnd });
  }

  send(json: string): void {
    if (!this.over) this.thread.post(json);
  }

  kill(): void {
    void this.thread.end().then(this.#markEnded);
    this.end();
  }

  rest(): void {
    if (!this.over) this.#resting = true;
  }

  renew(held?: string): Guest | undefined {
    if (!this.#resting || this.over) return undefined;
    this.over = true;
    this.#markEnded();
    const next = this.next();
    next.holds = held;
    this.thread.renew(held);
    return next;
  }

  /** The guest of the next program. */
  protected next(): MessageGuest {
    return new MessageGuest(this.thread, this.limits, this.startTimeoutMs);
  }

  hold(alive: boolean): void {
    this.thread.hold(alive);
  }

  #read(data: unknown): void {
    if (this.over) return;
    if (this.take) {
      this.#answer(data, this.take);
      return;
    }
    if (this.#resting) {
      this.fail("it sent a message after its end");
      return;
    }
    if (!Array.isArray(data) || data.length === 0 || data.length > maxBatchLength) {
      this.fail("it sent something that is no batch of messages");
      return;
    }
    for (const text of data as unknown[]) {
      if (this.over) return;
      this.#receive(text);
    }
  }

  /** An answer to what was asked besides a program: a text, and the pages of a memory. */
  #answer(data: unknown, take: Take): void {
    this.take = undefined;
    const [text, pages] = Array.isArray(data) ? data : [];
    const message = this.#parse(text);
    if (message) take(message, pages);
  }

  /** Undefined, and the end of it, for what is no message. */
  #parse(text: unknown): Record<string, unknown> | undefined {
    if (typeof text !== "string" || text.length > this.#maxBytes) {
      this.fail(typeof text === "string" ? "it sent a message that is too long" : "it sent a message that is no text");
      return undefined;
    }
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.fail("it sent a message that is no JSON");
      return undefined;
    }
    if (isObject(message) && dropKeys(message, droppedKeys)) return message;
    this.fail("it sent a message that is no object, or too deep");
    return undefined;
  }

  #receive(text: unknown): void {
    const message = this.#parse(text);
    if (message === undefined) return;
    if (this.listener) {
      // Of a call it is no matter what else than ASCII would add.
      const isOutcome = message.type === "result" || message.type === "error";
      if (message.type === "usage") this.grownMb = Number(message.memoryMb) - firstMemoryMb;
      const length = isOutcome ? utf8Bytes(text as string) : (text as string).length;
      this.listener.onMessage(message, length);
    } else if (message.type === "ready") this.markReady();
    else this.fail(message.type === "fatal" ? String(message.message) : "it sent a message too early");
  }

  protected override end(): void {
    if (this.over) return;
    super.end();
    void this.thread.end().then(this.#markEnded);
  }
}
