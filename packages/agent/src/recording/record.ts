import type { Message, Model, ModelPart } from "@toolglot/core";
import { checkKeys, defined, onAbort } from "@toolglot/internal";
import { startRun } from "../create-agent.ts";
import { hostMessages, toMessages } from "../loop/injected.ts";
import { iteratorOf } from "../loop/model-parts.ts";
import { meansOverflow } from "../loop/model-stream.ts";
import { adviceOf } from "../loop/retry.ts";
import { toRunError } from "../loop/run-error.ts";
import type { AgentOptions, AgentRuntime } from "../options.ts";
import { plainJson } from "../plain-json.ts";
import { type Settings, toSettings } from "../settings.ts";
import type { AgentRun, RunOptions } from "../types.ts";
import { RequestDigests } from "./digest.ts";
import { Log } from "./log.ts";
import { recordExecutor } from "./record-executor.ts";
import { hostHooks, recordHost } from "./record-host.ts";
import type { Crossing, RecordedOptions, Recording, RecordingHead } from "./types.ts";

/** Options of a recorded run. */
export interface RecordOptions extends RunOptions {
  /** Called with each line as it is made, without a line end: write it to a file, and a crash loses nothing. */
  onLine?: (line: string) => void;
}

/** A run that is being recorded. */
export interface RecordedRun<Value = unknown> extends AgentRun<Value> {
  /** The recording so far; complete once `result` has settled. */
  readonly recording: Recording;
}

/**
 * Runs an agent once and records everything that crosses the loop's borders: the model's parts with digests of the requests,
 * what executors report and return, approvals, clock and timers, and every event. {@link replay} plays it again. Throws
 * as `createAgent` and `run` do. A recording holds all messages: keep it as private as them.
 *
 * @example
 * ```ts
 * const recorded = recordRun(options, "What is 19 + 23?");
 * await recorded.result;
 * const text = stringifyRecording(recorded.recording);
 * ```
 */
export function recordRun<Value = unknown>(
  options: AgentOptions<Value>,
  input: string | readonly Message[],
  recordOptions: RecordOptions = {},
): RecordedRun<Value> {
  checkKeys("recordRun", recordOptions, "signal:signal runId:text onLine:function");
  const { onLine, ...runOptions } = recordOptions;
  const settings = toSettings(options);
  if (options.steps) throw new TypeError("recordRun: steps are played again by their engine, and can't be recorded.");
  const messages = plainJson(toMessages(input));
  const runId = runOptions.runId ?? settings.runtime.newRunId();
  const owner = settings.runtime.newOwner();
  const record = (model: Model): Model => recordModel(model, log, settings);
  const log = new Log(headOf(options, settings, messages, { runId, owner }), onLine);
  const { signal } = runOptions;
  // Before the run listens to the signal: what the abort causes must be recorded after it.
  const stopListening = onAbort(signal, () => log.crossing({ type: "abort" }));
  const run = startRun(
    {
      ...settings,
      ...recordHost(settings, options.context?.compact !== undefined, log, record),
      model: record(settings.model),
      executor: recordExecutor(settings.executor, log),
      runtime: { ...recordRuntime(settings.runtime, log), newOwner: () => owner },
    },
    messages,
    { ...runOptions, runId },
    (event) => log.event(event),
  ) as AgentRun<Value>;
  void run.result.then(stopListening);
  return {
    ...run,
    steer(said, how) {
      const isTaken = run.steer(said, how);
      if (isTaken) log.crossing({ type: "steer", messages: hostMessages(said), interrupt: how?.interrupt === true });
      return isTaken;
    },
    followUp(said) {
      const isTaken = run.followUp(said);
      if (isTaken) log.crossing({ type: "follow-up", messages: hostMessages(said) });
      return isTaken;
    },
    recording: log.recording,
  };
}

/** Options that are data, in the order of the head. */
const dataOptions = [
  ...(["locale", "mode", "system", "limits", "context", "maxRepairTurns"] as const),
  ...(["reasoning", "reasoningTags", "startsInReasoning", "maxTokens", "retry"] as const),
];

function headOf(
  options: AgentOptions,
  { fixedTools, output }: Settings,
  input: Message[],
  ids: Pick<RecordingHead, "runId" | "owner">,
): RecordingHead {
  const { compact, estimate, artifacts, isContextOverflow: _, ...context } = options.context ?? {};
  const given = Object.fromEntries(dataOptions.map((name) => [name, name === "context" ? context : options[name]]));
  return plainJson({
    type: "head",
    version: 6,
    ...ids,
    protocol: options.protocol.version,
    options: given as RecordedOptions,
    ...(fixedTools && { tools: fixedTools }),
    input,
    approves: options.approve !== undefined,
    ...(options.ask && { asks: true }),
    priced: options.price !== undefined,
    conditions: [options.stopWhen ?? []].flat().length,
    compacts: compact !== undefined,
    estimates: estimate !== undefined,
    artifacts: artifacts === false ? "none" : artifacts || options.storage ? "host" : "memory",
    ...(output && {
      output: { jsonSchema: output.jsonSchema, name: output.name, ...defined({ description: output.description }) },
    }),
    sessions: options.storage !== undefined,
    honoursHooks: options.executor.honoursHooks === true,
    hooks: hostHooks.filter((hook) => options[hook] !== undefined),
    ...defined({ model: options.model.info }),
  });
}

function recordModel(model: Model, log: Log, settings: Settings): Model {
  const digests = new RequestDigests();
  const recorded: Model = (request, signal) => ({
    [Symbol.asyncIterator](): AsyncIterator<ModelPart> {
      log.crossing({ type: "model-request", digest: digests.of(request) });
      // After that nothing is part of the run.
      const note = (crossing: Crossing): void => {
        if (!signal.aborted) log.crossing(crossing);
      };
      const failed = (error: unknown): never => {
        const isOverflow = meansOverflow(settings, error) && {
          isOverflow: true as const,
        };
        const retry = adviceOf(error, settings.runtime.now());
        note({ type: "model-error", error: toRunError(error, "agent/model-failed"), ...isOverflow, retry });
        throw error;
      };
      let inner: AsyncIterator<ModelPart>;
      try {
        inner = iteratorOf(model(request, signal));
      } catch (error) {
        return failed(error);
      }
      return {
        async next() {
          const next = await Promise.resolve(inner.next()).catch(failed);
          note(next.done ? { type: "model-end" } : { type: "model-part", part: next.value });
          return next;
        },
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  });
  return Object.assign(recorded, defined({ info: model.info }));
}

function recordRuntime(runtime: AgentRuntime, log: Log): AgentRuntime {
  return {
    now: () => log.clock(runtime.now()),
    newRunId: runtime.newRunId,
    newOwner: runtime.newOwner,
    ...defined({ onRun: runtime.onRun }),
    startTimer: (name, ms, callback) =>
      runtime.startTimer(name, ms, () => {
        log.crossing({ type: "timer", name });
        callback();
      }),
  };
}
