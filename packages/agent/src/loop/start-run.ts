import type { Message } from "@toolglot/core";
import { onAbort } from "@toolglot/internal";
import type { AgentEvent } from "../events.ts";
import type { Settings } from "../settings.ts";
import type { AgentRun, RunOptions, RunResult } from "../types.ts";
import { toRunError } from "./run-error.ts";
import { type Outcome, RunState } from "./run-state.ts";
import { runSteps } from "./steps.ts";

/** Starts the loop and returns its events and its result. `observer` gets every event, before `onEvent`. */
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
  // The caller gets the AgentRun, and can start to listen, before anything happens.
  await Promise.resolve();
  const { protocol, mode, locale } = run.settings;
  const warnings: [code: string, message: string][] = [];
  const { failed } = run.readTools((...warning) => warnings.push(warning));
  const names = run.tools.current.map((tool) => tool.name);
  run.emit({ type: "run-start", runId: run.runId, protocol: protocol.version, mode, locale, tools: names });
  for (const warning of failed === undefined ? warnings : []) run.warn(...warning);
  const stopListening = onAbort(signal, () => run.requestStop({ cause: "signal" }));
  try {
    return run.end(await outcomeOf(run, failed));
  } finally {
    stopListening();
  }
}

/** How the run ends. A run that was stopped ends so, even if its last step was just over. */
async function outcomeOf(run: RunState, failed: string | undefined): Promise<Outcome> {
  let outcome: Outcome;
  try {
    outcome =
      failed === undefined
        ? await runSteps(run)
        : { status: "error", text: "", error: { code: "agent/tools-failed", message: failed } };
  } catch (error) {
    outcome = { status: "error", text: run.lastText, error: toRunError(error, "agent/fault") };
  }
  const { stop, lastText } = run;
  if (!stop) return outcome;
  return stop.cause === "limit"
    ? { status: "limit", limit: stop.limit, text: lastText }
    : { status: "aborted", text: lastText };
}
