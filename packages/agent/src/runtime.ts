import type { AgentRuntime } from "./types.ts";

/** The longest delay a timer takes; longer ones would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The real clock, random ids, real timers; `given` replaces single parts. */
export function withDefaults(given: Partial<AgentRuntime> = {}): AgentRuntime {
  return {
    now: given.now ?? Date.now,
    newRunId: given.newRunId ?? randomRunId,
    startTimer: given.startTimer ?? startTimer,
  };
}

function randomRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `run_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function startTimer(_name: string, ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}
