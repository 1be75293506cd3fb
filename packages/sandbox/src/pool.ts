import { ToolglotError } from "@toolglot/core";
import type { Engine, Guest } from "./engine.ts";

/** A guest lent to one run. */
export interface Lease {
  guest: Guest;
  /** Whether it was ready when it was asked for. */
  warm: boolean;
  /** Ends the guest and gives its place to the next run. */
  release(): void;
}

/** How long a run goes on before the guest for the next one is started; a shorter run starts it when it ends. */
const REFILL_DELAY_MS = 30;

interface Place {
  guest: Guest;
  ready: boolean;
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** Guests for single use: some kept ready, refilled in the background, a bounded number at work. */
export class GuestPool {
  readonly #engine: Engine;
  readonly #size: number;
  readonly #maxConcurrent: number;
  #places: Place[] = [];
  #waiters: Waiter[] = [];
  readonly #alive = new Set<Guest>();
  #running = 0;
  #started = 0;
  #disposed = false;

  constructor(engine: Engine, size: number, maxConcurrent: number) {
    this.#engine = engine;
    this.#size = size;
    this.#maxConcurrent = maxConcurrent;
  }

  get counts(): { idle: number; starting: number; running: number; waiting: number; started: number } {
    const idle = this.#places.filter((place) => place.ready).length;
    const starting = this.#places.length - idle;
    return { idle, starting, running: this.#running, waiting: this.#waiters.length, started: this.#started };
  }

  /** Rejects with what `signal` was aborted with, or when no guest starts. */
  async acquire(signal: AbortSignal): Promise<Lease> {
    await this.#turn(signal);
    const warm = this.#places.some((place) => place.ready);
    const taking = this.#take();
    let guest: Guest;
    try {
      guest = await aborted(signal, taking);
    } catch (error) {
      // Aborted while it started: nobody else has it.
      taking.then(
        (late) => late.kill(),
        () => {},
      );
      this.#leave();
      throw error;
    }
    // Starting a process takes milliseconds that the program need not wait for.
    const refill = setTimeout(() => this.#refill(), REFILL_DELAY_MS);
    refill.unref();
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      clearTimeout(refill);
      setImmediate(() => this.#refill()).unref();
      guest.kill();
      this.#leave();
    };
    return { guest, warm, release };
  }

  /** Resolves when the pool is full. */
  async warm(): Promise<void> {
    await this.#engine.prepare();
    this.#refill();
    // While somebody waits for it, the start keeps the host alive.
    const places = [...this.#places];
    for (const { guest } of places) guest.hold(true);
    try {
      await Promise.all(places.map(({ guest }) => guest.ready));
    } finally {
      for (const { guest } of places) if (this.#alive.has(guest)) guest.hold(false);
    }
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(disposedError());
    this.#places = [];
    const ends = [...this.#alive].map((guest) => {
      // Waited for: a host with nothing else to do must not end in between.
      guest.hold(true);
      guest.kill();
      return guest.ended;
    });
    await Promise.all(ends);
  }

  /** Waits for a free place among those at work, first come first served. */
  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#disposed) throw disposedError();
    if (this.#running < this.#maxConcurrent) {
      this.#running++;
      return;
    }
    const { promise, resolve, reject } = withResolvers<void>();
    const waiter: Waiter = { resolve, reject };
    this.#waiters.push(waiter);
    const onAbort = (): void => {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Hands the place on. */
  #leave(): void {
    const next = this.#waiters.shift();
    if (next) next.resolve();
    else this.#running--;
  }

  async #take(): Promise<Guest> {
    await this.#engine.prepare();
    let failure: unknown;
    for (let attempt = 0; attempt < 2; attempt++) {
      if (this.#disposed) throw disposedError();
      const ready = this.#places.findIndex((place) => place.ready);
      const [place] = this.#places.splice(Math.max(ready, 0), 1);
      const guest = place?.guest ?? this.#spawn();
      guest.hold(true);
      try {
        await guest.ready;
        return guest;
      } catch (error) {
        failure = error;
        if (this.#disposed) throw disposedError();
        this.#engine.startFailed();
      }
    }
    throw failure;
  }

  #spawn(): Guest {
    const guest = this.#engine.spawn();
    this.#started++;
    this.#alive.add(guest);
    void guest.ended.then(() => {
      this.#alive.delete(guest);
      this.#places = this.#places.filter((place) => place.guest !== guest);
    });
    return guest;
  }

  #refill(): void {
    while (!this.#disposed && this.#places.length < this.#size) {
      const place: Place = { guest: this.#spawn(), ready: false };
      place.guest.hold(false);
      this.#places.push(place);
      place.guest.ready.then(
        () => {
          place.ready = true;
        },
        () => {
          this.#places = this.#places.filter((each) => each !== place);
        },
      );
    }
  }
}

function disposedError(): ToolglotError {
  return new ToolglotError("sandbox-disposed", "The sandbox was disposed: make a new one with createSandbox().");
}

/** The promise, or a rejection as soon as the signal is aborted. */
async function aborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: stop, reject } = withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, stop]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
