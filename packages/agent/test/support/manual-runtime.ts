import type { AgentRuntime } from "@toolglot/agent";

export interface ManualRuntime extends AgentRuntime {
  /** Lets time pass, and timers fire. */
  pass(ms: number): void;
  /** Whether a timer of that name is set. */
  waiting(name: string): boolean;
  /** Waits, without time passing, until something is true. */
  until(condition: () => boolean): Promise<void>;
}

/** A clock that stands still until it is told to move. */
export function manualRuntime(): ManualRuntime {
  let now = 1_000_000;
  let runs = 0;
  let timers: { name: string; at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    newOwner: () => "owner",
    newRunId: () => `run_${runs++}`,
    startTimer(name, ms, callback) {
      const timer = { name, at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pass(ms) {
      now += ms;
      const due = timers.filter((timer) => timer.at <= now);
      timers = timers.filter((timer) => timer.at > now);
      for (const timer of due) timer.callback();
    },
    waiting: (name) => timers.some((timer) => timer.name === name),
    async until(condition) {
      for (let turn = 0; turn < 1000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (!condition()) throw new Error("it never came to that");
    },
  };
}
