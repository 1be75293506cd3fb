import type { LimitKind } from "./types.ts";

/** Why a run stops before its end. */
export type StopCause = { cause: "signal" } | { cause: "limit"; limit: LimitKind };

/** Thrown inside the loop where it notices that the run was stopped. Never leaves the package. */
class Stopped extends Error {
  constructor() {
    super("The run was stopped.");
    this.name = "Stopped";
  }
}

/**
 * Settles as `promise` does, but rejects with {@link Stopped} as soon as the signal is aborted. What the promise does after
 * that is ignored; its rejection is handled. Leaves no listener behind, however many promises pass through one signal.
 */
export function orStopped<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new Stopped());
    const settle = (): void => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

/** Throws {@link Stopped} when the signal is aborted. */
export function checkStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped();
}
