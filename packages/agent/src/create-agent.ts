import type { Message } from "@toolglot/core";
import { checkKeys, defined, onAbort } from "@toolglot/internal";
import type { AgentEvent } from "./events.ts";
import { saidBy } from "./loop/injected.ts";
import { toRunError } from "./loop/run-error.ts";
import { type Outcome, RunState } from "./loop/run-state.ts";
import { runSteps } from "./loop/steps.ts";
import { takeOver } from "./session/resume.ts";
import type { Resumed } from "./session/run-session.ts";
import { type Settings, toSettings } from "./settings.ts";
import { toMessages } from "./to-messages.ts";
import type { Agent, AgentOptions, AgentRun, RunOptions, RunResult, Steering } from "./types.ts";

/**
 * Makes an agent: a model that asks for tools through a protocol, and an executor that runs them. Throws `TypeError` for
 * options that can't work; nothing else here or in a run throws.
 */
export function createAgent<Value = unknown>(options: AgentOptions<Value>): Agent<Value> {
  const settings = toSettings(options);
  return {
    run(input, runOptions = {}) {
      checkKeys("run", runOptions, "signal:signal runId:text");
      return startRun(settings, toMessages(input), runOptions) as AgentRun<Value>;
    },
    async resume(saved, options = {}) {
      const said = options?.steer === undefined ? undefined : saidBy(options.steer);
      if (said && settings.mode === "single") throw new TypeError("resume: in single mode there is nothing to steer.");
      const begun = options?.begin === undefined ? undefined : toMessages(options.begin);
      if (begun && typeof saved !== "string")
        throw new TypeError("resume: begin is for a run's id, not for a snapshot.");
      const resumed = await takeOver(settings, saved, options);
      const messages = resumed?.restored.messages ?? (begun as Message[]);
      const about = { runId: resumed?.runId ?? (saved as string), ...defined({ signal: options.signal }) };
      const run = startRun(settings, messages, about, undefined, resumed) as AgentRun<Value>;
      if (said) run.steer(said);
      return run;
    },
  };
}

/** Starts the loop and returns its events and its result. `observer` gets every event, before `onEvent`. */
export function startRun(
  settings: Settings,
  input: Message[],
  options: RunOptions,
  observer?: (event: AgentEvent) => void,
  resumed?: Resumed,
): AgentRun {
  const run = new RunState(settings, input, options.runId ?? settings.runtime.newRunId(), observer, resumed);
  const steering: Steering = {
    steer: (...said) => run.injected.steer(...said),
    followUp: (said) => run.injected.followUp(said),
  };
  settings.runtime.onRun?.(steering);
  const result = run.trace.within(() => toTheEnd(run, options.signal));
  return {
    runId: run.runId,
    result,
    snapshot: () => run.session.snapshot(),
    ...steering,
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
  const about = { runId: run.runId, protocol: protocol.version, mode, locale, tools: names };
  const { resumed } = run;
  run.emit(resumed ? { type: "run-resume", from: resumed.restored.from, ...about } : { type: "run-start", ...about });
  for (const warning of failed === undefined ? warnings : []) run.warn(...warning);
  return run.end(await written(run, await outcomeOf(run, failed, signal)));
}

/** Writes down how the run ends. */
async function written(run: RunState, outcome: Outcome): Promise<Outcome> {
  const { session } = run;
  try {
    if (session.fault === undefined && outcome.status !== "waiting") await session.ended(outcome.status, outcome.text);
  } catch {
    // Said below.
  }
  return session.fault ? sessionFailed(run, await session.faultOf(session.fault.error)) : outcome;
}

function sessionFailed({ lastText: text }: RunState, fault: unknown): Outcome {
  const error = toRunError(fault, "agent/session-failed");
  if (/^agent\/session-(?:busy|ended)$/.test(error.code)) return { status: "error", text, error };
  const message = `The session can't be written: ${error.message}`;
  return { status: "error", text, error: { ...error, code: "agent/session-failed", message } };
}

/** How the run ends. A run that was stopped ends so, even if its last step was just over. */
async function outcomeOf(run: RunState, failed: string | undefined, signal: AbortSignal | undefined): Promise<Outcome> {
  let outcome: Outcome;
  let stopListening: (() => void) | undefined;
  try {
    stopListening = onAbort(signal, () => run.requestStop({ cause: "signal" }));
    outcome =
      failed === undefined
        ? await runSteps(run)
        : { status: "error", text: "", error: { code: "agent/tools-failed", message: failed } };
  } catch (error) {
    outcome = { status: "error", text: run.lastText, error: toRunError(error, "agent/fault") };
  }
  stopListening?.();
  const { stop, lastText } = run;
  if (!stop || stop.cause === "session") return outcome;
  return stop.cause === "limit"
    ? { status: "limit", limit: stop.limit, text: lastText }
    : { status: "aborted", text: lastText };
}
