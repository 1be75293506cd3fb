import { maxTimerMs, onAbort } from "./async.ts";

/** Releases a place. A second call does nothing. */
export type Release = () => void;

/** Reason why there was no place: the line is full, the time was up, the signal was aborted, the limiter was closed. */
export type Refusal = "full" | "late" | "aborted" | "closed";

/** Request for a place. */
export interface PlaceRequest {
  /** Requests of one key share `keyLimit` places. */
  key?: string | undefined;
  /** Default: as many as there are. */
  keyLimit?: number | undefined;
  /** How long to wait in line, in milliseconds. Default: as long as it takes. */
  ms?: number | undefined;
  /** A function is called only when there is no place yet. */
  signal?: AbortSignal | (() => AbortSignal) | undefined;
}

interface Waiter {
  readonly key: string | undefined;
  readonly keyLimit: number;
  leave(answer: Release | Refusal): void;
}

/**
 * Places for what runs at the same time, and a line for the rest. First come, first served; only who waits for a place
 * of its own key is passed by others.
 */
export class Limiter {
  readonly #maxConcurrency: number;
  readonly #maxWaiting: number;
  /** In order of arrival. */
  readonly #line = new Set<Waiter>();
  /** Only of keys with a limit of their own. */
  readonly #runningOf = new Map<string, number>();
  running: number = 0;
  #closed = false;

  /** Numbers that the caller has checked. `maxWaiting`: the most waiters; by default there is no limit. */
  constructor(maxConcurrency: number, maxWaiting: number = Infinity) {
    this.#maxConcurrency = maxConcurrency;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#line.size;
  }

  get isFree(): boolean {
    return this.running < this.#maxConcurrency;
  }

  /** Returns a place, at once when there is one; give it back when done. Never rejects. */
  take(request: PlaceRequest = {}): Release | Refusal | Promise<Release | Refusal> {
    const { key, keyLimit = Infinity, ms, signal } = request;
    if (this.#closed) return "closed";
    if (typeof signal === "object" && signal.aborted) return "aborted";
    // Who waits could not go either, so nobody is passed who could.
    if (this.#hasRoom(key, keyLimit)) return this.#occupy(key, keyLimit);
    if (this.#line.size >= this.#maxWaiting) return "full";
    return new Promise((resolve) => {
      const waiter: Waiter = {
        key,
        keyLimit,
        leave: (answer) => {
          clearTimeout(timer);
          stopListening();
          this.#line.delete(waiter);
          resolve(answer);
        },
      };
      const timer = ms === undefined ? undefined : setTimeout(() => waiter.leave("late"), Math.min(ms, maxTimerMs));
      const stopListening = onAbort(typeof signal === "function" ? signal() : signal, () => waiter.leave("aborted"));
      this.#line.add(waiter);
    });
  }

  /** Sends everybody away who waits, and who comes later. What runs continues. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#line) waiter.leave("closed");
  }

  #hasRoom(key: string | undefined, keyLimit: number): boolean {
    return this.isFree && (key === undefined || (this.#runningOf.get(key) ?? 0) < keyLimit);
  }

  #occupy(key: string | undefined, keyLimit: number): Release {
    const counted = keyLimit === Infinity ? undefined : key;
    const count = (step: number): void => {
      this.running += step;
      if (counted === undefined) return;
      const running = (this.#runningOf.get(counted) ?? 0) + step;
      if (running === 0) this.#runningOf.delete(counted);
      else this.#runningOf.set(counted, running);
    };
    let held = true;
    count(1);
    return () => {
      if (!held) return;
      held = false;
      count(-1);
      this.#callNext();
    };
  }

  /** Calls the next waiter: one place came free, so one at most can go. */
  #callNext(): void {
    for (const waiter of this.#line) {
      if (!this.isFree) return;
      if (!this.#hasRoom(waiter.key, waiter.keyLimit)) continue;
      waiter.leave(this.#occupy(waiter.key, waiter.keyLimit));
      return;
    }
  }
}
