import { maxTimerMs, onAbort } from "@toolglot/internal";
import { clientError } from "./errors.ts";
import { remove } from "./list.ts";

/** Milliseconds of a clock that never jumps. */
export function clock(): number {
  return performance.now();
}

/** The waits of one client, which end when it is closed. */
export class Waits {
  isClosed = false;
  readonly stops: (() => void)[] = [];

  close(): void {
    this.isClosed = true;
    for (const stop of [...this.stops]) stop();
  }
}

/** How long something may take, and what stops it. */
export interface Limits {
  /** Of {@link clock}. */
  deadline: number;
  /** The caller's. */
  signal: AbortSignal | undefined;
  waits: Waits;
}

/** Throws when the client was closed, or the caller aborted the call. Does not look at the deadline. */
export function checkLimits({ signal, waits }: Limits): void {
  if (waits.isClosed) throw clientError("trp-client/closed", "The client was closed.");
  if (signal?.aborted) throw clientError("trp-client/aborted", "The call was aborted.", { cause: signal.reason });
}

/** Waits; rejects as soon as {@link checkLimits} would throw. */
export function pause(ms: number, limits: Limits): Promise<void> {
  return settleWithin(new Promise<void>(() => undefined), ms, limits, () => undefined);
}

/**
 * Settles as the work does. After `ms` milliseconds, it settles with what `late` gives or throws; it rejects as soon as
 * {@link checkLimits} would throw.
 *
 * Not the helper of `@toolglot/internal`: its set of listeners would be changed twice in every call, which takes a tenth of one.
 */
export function settleWithin<T>(work: Promise<T>, ms: number, limits: Limits, late: () => T): Promise<T> {
  const { signal, waits } = limits;
  return new Promise<T>((resolve, reject) => {
    let stopListening: (() => void) | undefined;
    const end = (): void => {
      clearTimeout(timer);
      stopListening?.();
      remove(waits.stops, stop);
    };
    const stop = (): void => {
      end();
      try {
        checkLimits(limits);
        resolve(late());
      } catch (error) {
        reject(error);
      }
    };
    const timer = setTimeout(stop, Math.max(0, Math.min(ms, maxTimerMs)));
    waits.stops.push(stop);
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
    if (waits.isClosed) stop();
    else if (signal !== undefined) stopListening = onAbort(signal, stop);
  });
}
