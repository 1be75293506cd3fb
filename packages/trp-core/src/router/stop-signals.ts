/** A signal that one call has for itself. */
export interface StopSignal {
  readonly signal: AbortSignal;
}

/** Signals that tell calls in flight to stop. */
export interface StopSignals {
  /** One of its own for each call; give it back when the call has ended. */
  take(): StopSignal;
  giveBack(taken: StopSignal): void;
  /** Aborts what is out, and what is taken from now on. */
  abort(reason: unknown): void;
}

interface Pooled extends StopSignal {
  readonly controller: AbortController;
  state: "out" | "free" | "dropped";
}

/** How many are kept for later. */
const mostKept = 256;

/**
 * Signals that are used again: making one costs microseconds, and one signal for all calls would gather a listener per
 * call, of which runtimes warn.
 */
export function createStopSignals(): StopSignals {
  const free: Pooled[] = [];
  /** All that are out or free, so that most calls change no more than a state. */
  let known: Pooled[] = [];
  let pruneAt = 2 * mostKept;
  let stopped: { reason: unknown } | undefined;

  function make(): Pooled {
    const controller = new AbortController();
    if (known.length >= pruneAt) {
      known = known.filter(({ state }) => state !== "dropped");
      pruneAt = Math.max(2 * mostKept, 2 * known.length);
    }
    const pooled: Pooled = { controller, signal: controller.signal, state: "out" };
    known.push(pooled);
    return pooled;
  }

  return {
    take() {
      const pooled = free.pop() ?? make();
      pooled.state = "out";
      if (stopped !== undefined) pooled.controller.abort(stopped.reason);
      return pooled;
    },
    giveBack(taken) {
      const pooled = taken as Pooled;
      if (pooled.state !== "out") return;
      pooled.state = "dropped";
      if (pooled.signal.aborted || free.length >= mostKept) return;
      pooled.state = "free";
      free.push(pooled);
    },
    abort(reason) {
      stopped ??= { reason };
      free.length = 0;
      for (const { controller, state } of known) if (state === "out") controller.abort(reason);
    },
  };
}
