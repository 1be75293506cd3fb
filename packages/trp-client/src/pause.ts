import { clientError } from "./errors.ts";

/** Milliseconds of a clock that never jumps. */
export function clock(): number {
  return performance.now();
}

/** How far something may go: until when, and by whose leave. */
export interface Limits {
  /** Of {@link clock}. */
  deadline: number;
  signal: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  closing: AbortSignal;
}

/** Throws when it is over: closed, aborted by the caller. Not for the deadline. */
export function checkLimits({ signal, closing }: Limits): void {
  if (closing.aborted) throw clientError("trp-client/closed", "The client was closed.");
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
    const { signal, closing } = limits;
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      closing.removeEventListener("abort", stop);
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
    signal?.addEventListener("abort", stop);
    closing.addEventListener("abort", stop);
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
    if (signal?.aborted || closing.aborted) stop();
  });
}
