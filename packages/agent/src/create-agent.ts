import type { Message } from "@toolglot/core";
import { checkKeys, defined, onAbort } from "@toolglot/internal";
import type { AgentEvent } from "./events.ts";
import { hostHooks } from "./hooks/host-hooks.ts";
import { hostMessages, toMessages } from "./loop/injected.ts";
import type { Part } from "./loop/part.ts";
import { Run } from "./loop/run.ts";
import { toRunError } from "./loop/run-error.ts";
import { readTools, refreshTools } from "./loop/show-tools.ts";
import { deliver, runSteps } from "./loop/steps.ts";
import type { Outcome } from "./loop/types.ts";
import type { AgentOptions } from "./options.ts";
import { outputPart } from "./output/output-part.ts";
import { Artifacts } from "./parts/artifacts.ts";
import { afterOverflow, makeRoomIfNeeded } from "./parts/compaction.ts";
import { guardEcho } from "./parts/echo.ts";
import { repeats } from "./parts/repeats.ts";
import { tracing } from "./parts/tracing.ts";
import type { RunResult, Steering } from "./result.ts";
import { takeOver } from "./session/resume.ts";
import { explainFault, type Resumed, sessionPart } from "./session/session-part.ts";
import { type Settings, toSettings } from "./settings.ts";
import { stepsPart, withStepClock } from "./steps/steps-part.ts";
import type { Agent, AgentRun, RunOptions } from "./types.ts";

/**
 * Creates an agent: a model that asks for tools through a protocol, and an executor that runs them. Throws `TypeError` for
 * options that can't work; nothing else here or in a run throws.
 *
 * @example
 * ```ts
 * const executor = toolkitExecutor(toolkit);
 * const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit });
 * const { status, text } = await agent.run("What is 19 + 23?").result;
 * ```
 */
export function createAgent<Value = unknown>(options: AgentOptions<Value>): Agent<Value> {
  const settings = toSettings(options);
  if (options.once && !options.steps)
    throw new TypeError(
      "once is for the calls of steps. For the tools of a toolkit, give it to new Toolkit({ once }).",
    );
  return {
    run(input, runOptions = {}) {
      checkKeys("run", runOptions, "signal:signal runId:text");
      if (settings.steps && runOptions.runId === undefined)
        throw new TypeError(
          "run: with steps it needs a runId that is the same when it is played again, as the workflow's.",
        );
      return startRun(settings, toMessages(input), runOptions) as AgentRun<Value>;
    },
    async resume(saved, options = {}) {
      checkKeys(
        "resume",
        options,
        "decisions:object allowUnbound:boolean settle:object begin:text|object[] steer:string|object|object[] signal:signal",
      );
      const messages = options.steer === undefined ? undefined : hostMessages(options.steer);
      if (messages && settings.mode === "single")
        throw new TypeError("resume: in single mode there is nothing to steer.");
      const begun = options.begin === undefined ? undefined : toMessages(options.begin);
      if (begun && typeof saved !== "string")
        throw new TypeError("resume: begin is for a run's id, not for a snapshot.");
      const resumed = await takeOver(settings, saved, options);
      const input = resumed?.restored.messages ?? (begun as Message[]);
      const about = { runId: resumed?.runId ?? (saved as string), ...defined({ signal: options.signal }) };
      const run = startRun(settings, input, about, undefined, resumed) as AgentRun<Value>;
      if (messages) run.steer(messages);
      return run;
    },
  };
}

/** Starts the loop and returns its events and its result. `observer` is called with every event, before `onEvent`. */
export function startRun(
  given: Settings,
  messages: readonly Message[],
  { runId = given.runtime.newRunId(), signal }: RunOptions,
  observer?: (event: AgentEvent) => void,
  resumed?: Resumed,
): AgentRun {
  const settings = given.steps ? withStepClock(given) : given;
  const known = resumed && { lines: resumed.lines, owner: resumed.owner, ms: resumed.restored.counts.ms };
  const run = new Run(settings, { runId, messages, observer, known });
  run.parts = makeParts(run, resumed);
  for (const { tools = [] } of run.parts) for (const tool of tools) run.tools.addOwn(tool);
  const steering: Steering = {
    steer: (...input) => run.injected.steer(...input),
    followUp: (input) => run.injected.followUp(input),
  };
  settings.runtime.onRun?.(steering);
  const within = run.first("within") ?? ((work) => work());
  const result = within(() => toTheEnd(run, resumed, signal));
  // With steps it may reject, and who reads events alone need not care.
  result.catch(() => undefined);
  return {
    runId,
    result,
    snapshot: () => run.log.snapshot(),
    ...steering,
    [Symbol.asyncIterator]: () => run.events[Symbol.asyncIterator](),
  };
}

async function toTheEnd(run: Run, resumed: Resumed | undefined, signal: AbortSignal | undefined): Promise<RunResult> {
  // The caller gets the AgentRun, and can start to listen, before anything happens.
  await Promise.resolve();
  const { protocol, mode, locale } = run.settings;
  const warnings: [code: string, message: string][] = [];
  const { failed } = readTools(run, (...warning) => warnings.push(warning));
  const tools = run.tools.current.map(({ name }) => name);
  const about = { runId: run.runId, protocol: protocol.version, mode, locale, tools };
  run.emit(resumed ? { type: "run-resume", from: resumed.restored.from, ...about } : { type: "run-start", ...about });
  for (const warning of failed === undefined ? warnings : []) run.warn(...warning);
  const outcome = await outcomeOf(run, resumed, failed, signal);
  // Of a run that could not even begin there is nothing to log.
  const result = run.end(failed === undefined ? await logged(run, outcome) : outcome);
  const fault = run.first("fault")?.();
  if (fault) throw fault.error;
  return result;
}

/** Logs how the run ends. */
async function logged(run: Run, outcome: Outcome): Promise<Outcome> {
  const { log, conversation, lastText, counts } = run;
  const { status, text } = outcome;
  try {
    if (log.fault === undefined && status !== "waiting")
      await log.add({ type: "end", status, text, counts, messages: conversation.takeNew() });
  } catch {
    // It is the fault below.
  }
  if (log.fault === undefined) return outcome;
  const error = toRunError(await explainFault(run, log.fault.error), "agent/session-failed");
  if (/^agent\/session-(?:busy|ended)$/.test(error.code)) return { status: "error", text: lastText, error };
  const message = `The session can't be written: ${error.message}`;
  return { status: "error", text: lastText, error: { ...error, code: "agent/session-failed", message } };
}

/** Resolves to how the run ends. A run that was stopped ends so, even if its last step was just over. */
async function outcomeOf(
  run: Run,
  resumed: Resumed | undefined,
  failed: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  let outcome: Outcome;
  let stopListening: (() => void) | undefined;
  try {
    stopListening = onAbort(signal, () => run.requestStop({ cause: "signal" }));
    outcome =
      failed === undefined
        ? await runSteps(run, resumed?.restored)
        : { status: "error", text: "", error: { code: "agent/tools-failed", message: failed } };
  } catch (error) {
    outcome = { status: "error", text: run.lastText, error: toRunError(error, "agent/fault") };
  }
  stopListening?.();
  const { stop, lastText } = run;
  const fault = run.first("fault")?.();
  if (fault) return { status: "error", text: lastText, error: toRunError(fault.error, "agent/step-failed") };
  if (!stop || stop.cause === "session") return outcome;
  return stop.cause === "limit"
    ? { status: "limit", limit: stop.limit, text: lastText }
    : { status: "aborted", text: lastText };
}

/**
 * Makes the parts of a run that its options ask for. This list is their order, in everything that a step does:
 *
 * 1. Tracing is around all others.
 * 2. A session answers for calls and decisions of an earlier process before anybody is asked.
 * 3. A durable engine comes in place of the model, the executor and the host.
 * 4. Artifacts may offer a tool, so they come before the tools of the step are read; the host's messages come after those, because a
 *    model reads of new tools first.
 * 5. Output ends a run before repeats or conditions of the host's do.
 * 6. The host's hooks are last: they see what a step is made with, and their word is final.
 *
 * Compaction has moments of its own, when the setting of the step is known.
 */
function makeParts(run: Run, resumed: Resumed | undefined): readonly Part[] {
  const { settings, tools } = run;
  const { output, limits, prepareStep, beforeCall, afterCall, stopWhen, steps } = settings;
  const isHooked = prepareStep ?? beforeCall ?? afterCall ?? stopWhen[0];
  const artifacts = new Artifacts(run);
  const keepAll: Artifacts["keepAll"] = (messages) => artifacts.keepAll(messages);
  const parts: (Part | false | undefined)[] = [
    settings.tracing && tracing(run, settings.tracing, resumed?.restored.head.traceparent),
    resumed && sessionPart(run, resumed),
    steps && stepsPart(run, steps),
    { beforeStep: () => artifacts.cutNew() },
    {
      beforeStep() {
        const isRead = run.stepIndex === 0;
        if (!isRead || tools.isStale) refreshTools(run, { isRead });
        run.step = run.ownStep();
        return undefined;
      },
    },
    { beforeStep: () => deliver(run, false) },
    output && outputPart(run, output),
    limits.repeats < Number.POSITIVE_INFINITY && repeats(run),
    { beforeActions: async ({ block, actions }) => block && guardEcho(run, block, actions) },
    {
      beforeRequest: () => (run.window === undefined ? undefined : makeRoomIfNeeded(run, keepAll)),
      onOverflow: (error, mayShorten) => afterOverflow(run, error, mayShorten, keepAll),
    },
    isHooked !== undefined && hostHooks(run),
  ];
  return parts.filter((part) => part !== undefined && part !== false);
}
