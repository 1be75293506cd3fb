import { isObject } from "@toolglot/internal";
import type { Guest } from "../engine.ts";
import { type GuestEvent, type GuestOutcome, readGuestMessage } from "./guest-events.ts";
import { Stopwatch } from "./stopwatch.ts";

/** The program gets its interrupt at the deadline, and this long to report its line; then the guest is killed. */
const graceMs = 250;
/** The tools that a program waits for end before. */
const maxWakeMs = 24 * 3600 * 1000;

/** Errors after which nothing that the program ran in is used again. */
const unsafeEnds: readonly string[] = [
  ..."Timeout MemoryLimit MemoryError RecursionError EngineFailure ResultTooLarge".split(" "),
];

/** Checks whether a program that ended so leaves no interpreter that can be used again. */
export function endsInterpreter(type: string): boolean {
  return type === "ToolCallLimit" || unsafeEnds.includes(type);
}

function isRest(event: GuestOutcome): boolean {
  if (event.type === "result") return true;
  return isObject(event.error) && !unsafeEnds.includes(String(event.error.type));
}

/** Called by a session. After `onOutcome`, `onTimeout` and `onFault` nothing else comes. */
export interface SessionListener {
  /** `bytes` is the size of the message, here and below. */
  onCall(call: Extract<GuestEvent, { type: "call" }>, bytes: number): void;
  onOutcome(event: GuestOutcome, bytes: number): void;
  onLog(event: Extract<GuestEvent, { type: "log" }>): void;
  onUsage(memoryMb: number): void;
  /** The files are as they came. */
  onFiles(files: unknown): void;
  /** Nothing can happen in the guest until it gets an answer. */
  onIdle(): void;
  onTimeout(): void;
  /** `ended`: the guest is gone. `broken`: it sent what it must not send. */
  onFault(fault: "ended" | "broken"): void;
}

/** Rules of a guest that a session must know. */
export interface SessionRules {
  /** As {@link Engine.concurrent}. */
  concurrent: boolean;
  timeoutMs: number;
}

/** A running program, and the way to send it answers. */
export interface Session {
  /** Sends the program. */
  start(request: string): void;
  /** Sends the answer to a call. `call`: its number, counted from 0. */
  answer(reply: string, call: number): void;
  /** Nothing can happen in the guest until it gets an answer. */
  readonly idle: boolean;
  /** Milliseconds that the program has run. */
  readonly guestMs: number;
  /** Ends the guest. The listener is not called any more. */
  close(): void;
}

/**
 * One guest and one program: which of the two must act next, and how long the program has run. The guest may be hostile: a message
 * at the wrong time ends it.
 */
export class GuestSession implements Session {
  readonly #guest: Guest;
  readonly #rules: SessionRules;
  readonly #listener: SessionListener;
  /** Runs while the program does. */
  readonly #watch = new Stopwatch();
  #asked = 0;
  #answered = 0;
  idle: boolean = false;
  #usageKnown = false;
  /** Whether the program printed more than it may. */
  #isCut = false;
  #filesKnown = false;
  #over = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(guest: Guest, rules: SessionRules, listener: SessionListener) {
    this.#guest = guest;
    this.#rules = rules;
    this.#listener = listener;
  }

  start(request: string): void {
    this.#guest.listen({
      onMessage: (message, bytes) => this.#receive(readGuestMessage(message), bytes),
      onEnd: () => this.#fault("ended"),
    });
    this.#guest.send(request);
    this.#resume();
  }

  answer(reply: string): void {
    if (this.#over) return;
    this.#answered++;
    if (this.idle || !this.#rules.concurrent) this.#resume();
    this.#guest.send(reply);
  }

  get guestMs(): number {
    return this.#watch.ms;
  }

  close(): void {
    this.#close(false);
  }

  /** `atRest`: the program came to its end by itself. */
  #close(atRest: boolean): void {
    if (this.#over) return;
    this.#pause();
    this.#over = true;
    if (atRest && this.#guest.rest) this.#guest.rest();
    else this.#guest.kill();
  }

  #receive(event: GuestEvent | undefined, bytes: number): void {
    if (this.#over) return;
    // A guest that waits for an answer may send nothing.
    if (event === undefined || this.idle) this.#fault("broken");
    else if (event.type === "log") this.#log(event);
    else if (event.type === "usage") this.#usage(event.memoryMb);
    else if (event.type === "files") this.#files(event.files);
    else if (event.type === "idle") this.#wait(event.answered, event.wake);
    else if (event.type === "call") this.#call(event, bytes);
    else {
      this.#close(!this.#isCut && isRest(event));
      this.#listener.onOutcome(event, bytes);
    }
  }

  #log(event: Extract<GuestEvent, { type: "log" }>): void {
    this.#isCut ||= event.cut > 0;
    this.#listener.onLog(event);
  }

  #usage(memoryMb: number): void {
    if (this.#usageKnown) {
      this.#fault("broken");
      return;
    }
    this.#usageKnown = true;
    this.#listener.onUsage(memoryMb);
  }

  #files(files: unknown): void {
    if (this.#filesKnown) {
      this.#fault("broken");
      return;
    }
    this.#filesKnown = true;
    this.#listener.onFiles(files);
  }

  #call(event: Extract<GuestEvent, { type: "call" }>, bytes: number): void {
    const { concurrent } = this.#rules;
    if (concurrent && event.id !== this.#asked) {
      this.#fault("broken");
      return;
    }
    this.#asked++;
    if (!concurrent) this.#pause();
    this.#listener.onCall(event, bytes);
    if (!concurrent && this.idle) this.#listener.onIdle();
  }

  /** Handles a guest that waits. `wake`: it continues after so many milliseconds, also without an answer. */
  #wait(answered: number, wake: number | undefined): void {
    if (!this.#rules.concurrent || answered > this.#answered) this.#fault("broken");
    // Sent before it got the newest answer.
    else if (answered < this.#answered) return;
    else if (this.#asked === this.#answered) this.#fault("broken");
    else {
      this.#pause();
      if (wake !== undefined) this.#wakeAfter(wake);
      this.#listener.onIdle();
    }
  }

  #wakeAfter(ms: number): void {
    this.#timer = setTimeout(
      () => {
        this.#resume();
        this.#guest.send('{"type":"wake"}');
      },
      Math.min(ms, maxWakeMs),
    );
  }

  #resume(): void {
    this.idle = false;
    const { timeoutMs } = this.#rules;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.close();
        this.#listener.onTimeout();
      },
      Math.max(0, timeoutMs - this.#watch.ms + graceMs),
    );
    this.#watch.start();
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#watch.stop();
    this.idle = true;
  }

  #fault(fault: "ended" | "broken"): void {
    if (this.#over) return;
    this.close();
    this.#listener.onFault(fault);
  }
}
