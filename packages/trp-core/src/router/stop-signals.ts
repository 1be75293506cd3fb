/** Signals that tell calls in flight to stop. */
export interface StopSignals {
  /** One of its own for each call; give it back when the call has ended. */
  take(): AbortSignal;
  giveBack(signal: AbortSignal): void;
  /** Aborts what is out, and what is taken from now on. */
  abort(reason: unknown): void;
}

/**
 * Signals that are used again: making one costs microseconds, and one signal for all calls would gather a listener per
 * call, of which runtimes warn.
 */
export function createStopSignals(): StopSignals {
  const free: AbortController[] = [];
  const out = new Map<AbortSignal, AbortController>();
  let stopped: { reason: unknown } | undefined;
  return {
    take() {
      const controller = free.pop() ?? new AbortController();
      if (stopped !== undefined) controller.abort(stopped.reason);
      out.set(controller.signal, controller);
      return controller.signal;
    },
    giveBack(signal) {
      const controller = out.get(signal);
      if (controller === undefined) return;
      out.delete(signal);
      if (!signal.aborted && free.length < 256) free.push(controller);
    },
    abort(reason) {
      stopped ??= { reason };
      for (const controller of out.values()) controller.abort(reason);
      free.length = 0;
    },
  };
}
