import { clientError } from "./errors.ts";

/** Milliseconds of a clock that never jumps. */
export function clock(): number {
  return performance.now();
}

/**
 * What ends waiting: the callers' signals, and the end of the client. Each signal gets one listener of ours, however many
 * calls wait by its leave.
 */
export class Stops {
  isClosed = false;
  readonly #closing = new Set<() => void>();
  readonly #signals = new WeakMap<AbortSignal, Set<() => void>>();

  /** Returns what ends listening. */
  listen(signal: AbortSignal | undefined, stop: () => void): () => void {
    this.#closing.add(stop);
    if (signal === undefined) return () => this.#closing.delete(stop);
    let waiting = this.#signals.get(signal);
    if (waiting === undefined) {
      waiting = new Set();
      this.#signals.set(signal, waiting);
      const all = waiting;
      signal.addEventListener("abort", () => stopAll(all), { once: true });
    }
    waiting.add(stop);
    const mine = waiting;
    return () => {
      this.#closing.delete(stop);
      mine.delete(stop);
    };
  }

  close(): void {
    this.isClosed = true;
    stopAll(this.#closing);
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
    const { signal, stops } = limits;
    let unlisten: () => void = () => undefined;
    const end = (): void => {
      clearTimeout(timer);
      unlisten();
    };
    const stop = (): void => {
      end();
      try {
        checkLimits(limits);
      } catch (error) {
        reject(error);
      }
    };
    const timer = setTimeout(
      () => {
        end();
        try {
          resolve(late());
        } catch (error) {
          reject(error);
        }
      },
      Math.max(0, Math.min(ms, 0x7fffffff)),
    );
    unlisten = stops.listen(signal, stop);
    promise.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
    if (signal?.aborted || stops.isClosed) stop();
  });
}
