import type { Message } from "@toolglot/core";
import type { AgentEvent } from "../events.ts";
import type { Settings } from "../settings.ts";
import { Stopped } from "../stop.ts";
import type { AgentRun, RunOptions, RunResult } from "../types.ts";
import { toRunError } from "./run-error.ts";
import { type Outcome, RunState } from "./run-state.ts";
import { runSteps } from "./steps.ts";

/** Starts the loop and hands out its events and its result. `observer` hears every event, before `onEvent`. */
export function startRun(
  settings: Settings,
  input: Message[],
  options: RunOptions,
  observer?: (event: AgentEvent) => void,
): AgentRun {
  const run = new RunState(settings, input, options.runId ?? settings.runtime.newRunId(), observer);
  const result = toTheEnd(run, options.signal);
  return {
    runId: run.runId,
    result,
    [Symbol.asyncIterator]: () => run.events[Symbol.asyncIterator](),
  };
}

async function toTheEnd(run: RunState, signal: AbortSignal | undefined): Promise<RunResult> {
  const onAbort = (): void => run.requestStop({ cause: "signal" });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  // The caller gets the AgentRun, and can start to listen, before anything happens.
  await Promise.resolve();
  try {
    return run.end(await outcomeOf(run));
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

async function outcomeOf(run: RunState): Promise<Outcome> {
  try {
    return await runSteps(run);
  } catch (error) {
    if (!(error instanceof Stopped) || !run.stop) {
      return { status: "error", text: run.lastText, error: toRunError(error, "fault") };
    }
    run.noteStop();
    return run.stop.cause === "limit"
      ? { status: "limit", limit: run.stop.limit, text: run.lastText }
      : { status: "aborted", text: run.lastText };
  }
}
