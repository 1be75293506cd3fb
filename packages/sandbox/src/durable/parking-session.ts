import { isObject } from "@toolglot/internal";
import type { Lease } from "../pool.ts";
import type { DurableProgram } from "../run/durability.ts";
import { GuestSession, type Session, type SessionListener, type SessionRules } from "../run/guest-session.ts";
import { limitErrors, otherCourse, startError } from "./errors.ts";

/**
 * A program that can do without its guest while it waits. When an answer comes, a fresh guest runs it from its start: calls
 * that were made before are answered as before, and nothing is reported twice.
 */
export class ParkingSession implements Session {
  readonly #rules: SessionRules;
  readonly #listener: SessionListener;
  readonly #program: Pick<DurableProgram, "stats" | "fail">;
  readonly #acquire: () => Promise<Lease>;
  #request = "";
  /** Tool and arguments of each call, as text. */
  readonly #calls: string[] = [];
  readonly #answers: { call: number; reply: string }[] = [];
  #lines = 0;
  #lease: Lease | undefined;
  #session: GuestSession | undefined;
  /** How far the present guest has come. */
  #now = { calls: 0, answers: 0, lines: 0 };
  #guestMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #opening = false;
  #closed = false;

  /** `acquire` gets guests after the first. `parked` and `startMs` are counted in the program's statistics. */
  constructor(
    lease: Lease,
    rules: SessionRules,
    listener: SessionListener,
    program: Pick<DurableProgram, "stats" | "fail">,
    acquire: () => Promise<Lease>,
  ) {
    this.#lease = lease;
    this.#rules = rules;
    this.#listener = listener;
    this.#program = program;
    this.#acquire = acquire;
    program.stats.parked = 0;
  }

  start(request: string): void {
    this.#request = request;
    if (this.#lease) this.#open(this.#lease);
  }

  answer(reply: string, call: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#answers.push({ call, reply });
    if (this.#session) this.#send();
    else if (!this.#opening) this.#reopen();
  }

  get idle(): boolean {
    return this.#session ? this.#session.idle : !this.#opening;
  }

  get guestMs(): number {
    return this.#session?.guestMs ?? this.#guestMs;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#leave();
  }

  /** Releases the guest after this time, unless an answer comes before. */
  parkAfter(ms: number): void {
    if (this.#closed || this.#session === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#session?.idle) return;
      this.#program.stats.parked = (this.#program.stats.parked ?? 0) + 1;
      this.#leave(true);
    }, ms);
  }

  /** `goesOn`: in another guest. */
  #leave(goesOn = false): void {
    this.#guestMs = this.guestMs;
    this.#session?.close();
    this.#session = undefined;
    const lease = this.#lease;
    this.#lease = undefined;
    if (goesOn && lease?.leave) lease.leave();
    else lease?.release();
  }

  #reopen(): void {
    this.#opening = true;
    const asked = performance.now();
    this.#acquire().then(
      (lease) => {
        this.#opening = false;
        if (this.#closed) lease.release();
        else {
          this.#program.stats.startMs += performance.now() - asked;
          this.#program.stats.reused = lease.reused;
          this.#open(lease);
        }
      },
      (error) => this.#program.fail(startError(error)),
    );
  }

  #open(lease: Lease): void {
    this.#lease = lease;
    this.#now = { calls: 0, answers: 0, lines: 0 };
    const { onUsage, onFiles, onTimeout, onFault } = this.#listener;
    this.#session = new GuestSession(lease.guest, this.#rules, {
      ...{ onUsage, onFiles, onTimeout, onFault },
      onCall: (event, bytes) => {
        const text = JSON.stringify([event.tool, event.args]);
        const before = this.#calls[this.#now.calls];
        this.#now.calls++;
        if (before === undefined) {
          this.#calls.push(text);
          this.#listener.onCall(event, bytes);
        } else if (before !== text) this.#diverged(this.#now.calls);
        this.#send();
      },
      onLog: (event) => {
        if (++this.#now.lines <= this.#lines) return;
        this.#lines++;
        this.#listener.onLog(event);
      },
      onIdle: () => {
        if (this.#caughtUp()) this.#listener.onIdle();
      },
      onOutcome: (event, bytes) => {
        // A guest may be slower than the one before: then it ends earlier.
        const isLimit = event.type === "error" && isObject(event.error) && limitErrors.includes(event.error.type);
        if (!isLimit && !this.#caughtUp()) return;
        this.#leave();
        this.#listener.onOutcome(event, bytes);
      },
    });
    this.#session.start(this.#request);
  }

  /** Answers go in their order, each when its call was made. */
  #send(): void {
    for (;;) {
      const next = this.#answers[this.#now.answers];
      if (next === undefined || next.call >= this.#now.calls) return;
      this.#now.answers++;
      this.#session?.answer(next.reply);
    }
  }

  #caughtUp(): boolean {
    if (this.#now.calls >= this.#calls.length && this.#now.answers >= this.#answers.length) return true;
    this.#diverged(this.#now.calls + 1);
    return false;
  }

  #diverged(call: number): void {
    this.#program.fail(otherCourse(call));
  }
}
