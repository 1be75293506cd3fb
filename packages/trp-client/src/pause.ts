import { clientError } from "./errors.ts";
import { remove } from "./list.ts";

/** Milliseconds of a clock that never jumps. */
export function clock(): number {
  return performance.now();
}

/** Whoever waits: told when the time is up, and when to stop. */
interface Waiter {
  /** Of {@link clock}. */
  readonly until: number;
  late(): void;
  stop(): void;
  timer: ReturnType<typeof setTimeout> | undefined;
  isOver: boolean;
}

/** How long a wait goes without a timer of its own, in milliseconds: most are over before that. */
const coarseMs = 25;

/**
 * What ends waiting: the callers' signals, the time, and the end of the client. Each signal gets one listener of ours,
 * however many calls wait by its leave, and one timer serves all that began to wait within a while.
 */
export class Stops {
  isClosed = false;
  readonly #waiting: Waiter[] = [];
  #fresh: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #signals = new WeakMap<AbortSignal, Set<() => void>>();

  begin(waiter: Waiter): void {
    this.#waiting.push(waiter);
    if (waiter.until - clock() <= 2 * coarseMs) this.#arm(waiter);
    else {
      this.#fresh.push(waiter);
      this.#timer ??= setTimeout(() => this.#armAll(), coarseMs);
    }
  }

  end(waiter: Waiter): void {
    waiter.isOver = true;
    remove(this.#waiting, waiter);
    if (waiter.timer === undefined) remove(this.#fresh, waiter);
    else clearTimeout(waiter.timer);
  }

  /** Returns what ends listening. */
  listen(signal: AbortSignal, stop: () => void): () => void {
    let waiting = this.#signals.get(signal);
    if (waiting === undefined) {
      waiting = new Set();
      this.#signals.set(signal, waiting);
      const all = waiting;
      signal.addEventListener("abort", () => stopAll(all), { once: true });
    }
    waiting.add(stop);
    const mine = waiting;
    return () => mine.delete(stop);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.#timer);
    for (const waiter of [...this.#waiting]) waiter.stop();
  }

  #arm(waiter: Waiter): void {
    waiter.timer = setTimeout(() => waiter.late(), Math.max(0, Math.min(waiter.until - clock(), 0x7fffffff)));
  }

  #armAll(): void {
    this.#timer = undefined;
    const waiters = this.#fresh;
    this.#fresh = [];
    for (const waiter of waiters) this.#arm(waiter);
  }
}

function stopAll(waiting: Set<() => void>): void {
  for (const stop of [...waiting]) stop();
}

/** How far something may go: until when, and by whose leave. */
export interface Limits {
  /** Of {@link clock}. */
  deadline: number;
  signal: AbortSignal | undefined;
  stops: Stops;
}

/** Throws when it is over: closed, aborted by the caller. Not for the deadline. */
export function checkLimits({ signal, stops }: Limits): void {
  if (stops.isClosed) throw clientError("trp-client/closed", "The client was closed.");
  if (signal?.aborted) throw clientError("trp-client/aborted", "The call was aborted.", { cause: signal.reason });
}

/** Waits; rejects when the limits say stop. */
export function pause(ms: number, limits: Limits): Promise<void> {
  return settleWithin(new Promise<void>(() => undefined), ms, limits, () => undefined);
}

/**
 * A promise's end; or, if that takes longer than `ms`, what `late` gives (or throws); or a rejection when the limits say
 * stop.
 */
export function settleWithin<T>(promise: Promise<T>, ms: number, limits: Limits, late: () => T): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    new Settling(resolve, reject, ms, limits, late).wait(promise);
  });
}

class Settling<T> implements Waiter {
  readonly until: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  isOver = false;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #limits: Limits;
  readonly #late: () => T;
  #unlisten: (() => void) | undefined;

  constructor(
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
    ms: number,
    limits: Limits,
    late: () => T,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.until = clock() + ms;
    this.#limits = limits;
    this.#late = late;
  }

  wait(promise: Promise<T>): void {
    const { signal, stops } = this.#limits;
    stops.begin(this);
    if (signal !== undefined) this.#unlisten = stops.listen(signal, () => this.stop());
    promise.then(
      (value) => {
        if (this.#end()) this.#resolve(value);
      },
      (error: unknown) => {
        if (this.#end()) this.#reject(error);
      },
    );
    if (signal?.aborted || stops.isClosed) this.stop();
  }

  late(): void {
    if (!this.#end()) return;
    try {
      this.#resolve(this.#late());
    } catch (error) {
      this.#reject(error);
    }
  }

  stop(): void {
    if (!this.#end()) return;
    try {
      checkLimits(this.#limits);
    } catch (error) {
      this.#reject(error);
    }
  }

  /** True for the first of all ends. */
  #end(): boolean {
    if (this.isOver) return false;
    this.#limits.stops.end(this);
    this.#unlisten?.();
    return true;
  }
}
