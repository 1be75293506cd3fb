import { maxTimerMs, randomHex } from "@toolglot/internal";
import type { AgentRuntime } from "./types.ts";

/** The real clock, random ids, real timers; `given` replaces single parts. */
export function withDefaults(given: Partial<AgentRuntime> = {}): AgentRuntime {
  return {
    now: given.now ?? Date.now,
    newRunId: given.newRunId ?? (() => `run_${randomHex(12)}`),
    startTimer: given.startTimer ?? startTimer,
  };
}

function startTimer(_name: string, ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, maxTimerMs));
  return () => clearTimeout(timer);
}
