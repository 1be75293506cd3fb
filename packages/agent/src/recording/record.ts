import type { Executor, ExecutorContext, Message, Model, ModelPart, WaitOutcome } from "@toolglot/core";
import { checkKeys, defined, onAbort } from "@toolglot/internal";
import { startRun } from "../create-agent.ts";
import type { AgentEvent } from "../events.ts";
import { saidBy } from "../loop/injected.ts";
import { iteratorOf } from "../loop/model-parts.ts";
import { saysOverflow } from "../loop/model-stream.ts";
import { adviceOf } from "../loop/retry.ts";
import { toRunError } from "../loop/run-error.ts";
import { canonicalJson, plainJson } from "../plain-json.ts";
import { type Settings, toSettings } from "../settings.ts";
import { toMessages } from "../to-messages.ts";
import type { AgentOptions, AgentRun, AgentRuntime, ApproveCallback, AskCallback, RunOptions } from "../types.ts";
import { RequestDigests } from "./digest.ts";
import { lineOf } from "./format.ts";
import { calledHooks, hostHooks, recordedHooks, recordSessions } from "./hooks.ts";
import {
  recordCompaction,
  recordCondition,
  recordEstimate,
  recordOutput,
  recordPrice,
  recordStore,
} from "./record-hooks.ts";
import type { Crossing, RecordedOptions, Recording, RecordingEntry, RecordingHead } from "./types.ts";

/** Options of a recorded run. */
export interface RecordOptions extends RunOptions {
  /** Called with each line as it is made, without a line end: write it to a file, and a crash loses nothing. */
  onLine?: (line: string) => void;
}

/** A run that is being recorded. */
export interface RecordedRun<Value = unknown> extends AgentRun<Value> {
  /** What was recorded so far; complete once `result` has settled. */
  readonly recording: Recording;
}

/**
 * Runs an agent once and records everything that crosses the loop's borders: the model's parts with digests of the requests,
 * what executors report and give, approvals, clock and timers, and every event. {@link replay} plays it again. Throws
 * what `createAgent` and `run` throw. A recording holds everything that was said: keep it as private as that.
 */
export function recordRun<Value = unknown>(
  options: AgentOptions<Value>,
  input: string | readonly Message[],
  recordOptions: RecordOptions = {},
): RecordedRun<Value> {
  checkKeys("recordRun", recordOptions, "signal:signal runId:text onLine:function");
  const { onLine, ...runOptions } = recordOptions;
  const settings = toSettings(options);
  const messages = plainJson(toMessages(input));
  const runId = runOptions.runId ?? settings.runtime.newRunId();
  const owner = settings.runtime.newOwner();
  const log = new Log(headOf(options, settings, messages, { runId, owner }), onLine);
  const { signal } = runOptions;
  // Before the run listens to the signal: what the abort causes must be recorded after it.
  const stopListening = onAbort(signal, () => log.crossing({ type: "abort" }));
  const run = startRun(
    {
      ...settings,
      model: recordModel(settings.model, log, settings),
      executor: recordExecutor(settings.executor, log),
      readTools: settings.fixedTools ? settings.readTools : recordTools(settings.readTools, log),
      ...(settings.approve && { approve: recordApprove(settings.approve, log) }),
      ...recordedHooks(settings, log, (model) => recordModel(model, log, settings)),
      ...(settings.sessions && { sessions: recordSessions(settings.sessions, log) }),
      ...(settings.ask && { ask: recordAsk(settings.ask, log) }),
      ...(settings.price && { price: recordPrice(settings.price, log) }),
      context: {
        ...settings.context,
        compact: options.context?.compact ? recordCompaction(options.context.compact, log) : settings.context.compact,
        ...defined({
          estimate: settings.context.estimate && recordEstimate(settings.context.estimate, log),
          artifacts: settings.context.artifacts && recordStore(settings.context.artifacts, log),
        }),
      },
      output: settings.output && recordOutput(settings.output, log),
      stopWhen: settings.stopWhen.map((condition) => recordCondition(condition, log)),
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
      if (isTaken) log.crossing({ type: "steer", messages: saidBy(said), interrupt: how?.interrupt === true });
      return isTaken;
    },
    followUp(said) {
      const isTaken = run.followUp(said);
      if (isTaken) log.crossing({ type: "follow-up", messages: saidBy(said) });
      return isTaken;
    },
    recording: log.recording,
  };
}

function headOf(
  options: AgentOptions,
  { fixedTools, output }: Settings,
  input: Message[],
  ids: Pick<RecordingHead, "runId" | "owner">,
): RecordingHead {
  const {
    locale,
    mode,
    system,
    limits,
    maxRepairTurns,
    reasoning,
    reasoningTags,
    startsInReasoning,
    maxTokens,
    retry,
  } = options;
  const { compact, estimate, artifacts, isContextOverflow: _, ...context } = options.context ?? {};
  const parsing = { reasoning, reasoningTags, startsInReasoning };
  const given = { locale, mode, system, limits, context, maxRepairTurns, ...parsing, maxTokens, retry };
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
    artifacts: artifacts === false ? "none" : artifacts === undefined ? "memory" : "host",
    ...(output && {
      output: { jsonSchema: output.jsonSchema, name: output.name, ...defined({ description: output.description }) },
    }),
    sessions: options.sessions !== undefined,
    honoursHooks: options.executor.honoursHooks === true,
    hooks: hostHooks.filter((hook) => options[hook] !== undefined),
    ...defined({ model: options.model.info }),
  });
}

/** Writes a recording. */
export class Log {
  readonly recording: Recording;
  readonly #onLine: ((line: string) => void) | undefined;
  #clock: number[] = [];
  #closed = false;

  constructor(head: RecordingHead, onLine: ((line: string) => void) | undefined) {
    this.recording = { head, entries: [] };
    this.#onLine = onLine;
    onLine?.(lineOf(head));
  }

  event(event: AgentEvent): void {
    this.#add({ type: "event", event });
    if (event.type === "run-end") this.#closed = true;
  }

  crossing(crossing: Crossing): void {
    this.#add(plainJson(crossing));
  }

  clock(time: number): number {
    this.#clock.push(time);
    return time;
  }

  #add(entry: RecordingEntry): void {
    // What comes after the end is no longer part of the run, and must not be played.
    if (this.#closed) return;
    const timed: RecordingEntry = { ...entry, ...(this.#clock.length > 0 && { clock: this.#clock }) };
    this.#clock = [];
    this.recording.entries.push(timed);
    this.#onLine?.(lineOf(timed));
  }
}

/** Records the tools only when they changed: the source is read often. */
function recordTools(read: Settings["readTools"], log: Log): Settings["readTools"] {
  let before: string | undefined;
  return () => {
    try {
      const given = read();
      const now = canonicalJson(given);
      if (now !== before) log.crossing({ type: "tools", ...given });
      before = now;
      return given;
    } catch (error) {
      before = undefined;
      log.crossing({ type: "tools", error: toRunError(error, "agent/tools-failed") });
      throw error;
    }
  };
}

function recordModel(model: Model, log: Log, settings: Settings): Model {
  const digests = new RequestDigests();
  const recorded: Model = (request, signal) => ({
    [Symbol.asyncIterator](): AsyncIterator<ModelPart> {
      log.crossing({ type: "model-request", digest: digests.of(request) });
      // What comes after that is not part of the run.
      const note = (crossing: Crossing): void => {
        if (!signal.aborted) log.crossing(crossing);
      };
      const failed = (error: unknown): never => {
        const isOverflow = saysOverflow(settings, error) && {
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

type Wait = NonNullable<ExecutorContext["wait"]>;

function recordExecutor(executor: Executor, log: Log): Executor {
  return {
    ...(executor.honoursHooks && { honoursHooks: true }),
    handles: (action) => executor.handles(action),
    resumes: (action) => executor.resumes?.(action) ?? false,
    async execute(action, context) {
      log.crossing({ type: "execute", action });
      let open = true;
      try {
        const results = await executor.execute(action, {
          ...context,
          emit(event) {
            // The loop ignores what an executor reports after its end.
            if (open) log.crossing({ type: "executor-event", event });
            context.emit(event);
          },
          approve(request) {
            if (open) log.crossing({ type: "executor-approval", request });
            return context.approve(request);
          },
          ...(context.hooks && { hooks: calledHooks(context.hooks, log, () => open) }),
          ...(context.ask && { ask: recordQuestions(context.ask, log, () => open) }),
          ...(context.wait && { wait: recordWait(context.wait, log, () => open) }),
        });
        open = false;
        log.crossing({ type: "executor-results", results });
        return results;
      } catch (error) {
        open = false;
        log.crossing({ type: "executor-error", error: toRunError(error, "agent/executor-failed") });
        throw error;
      }
    },
  };
}

type Ask = NonNullable<ExecutorContext["ask"]>;

function recordQuestions(ask: Ask, log: Log, isOpen: () => boolean): Ask {
  return (question, call) => {
    if (isOpen()) log.crossing({ type: "executor-question", question, ...call });
    return ask(question, call);
  };
}

function recordAsk(ask: AskCallback, log: Log): AskCallback {
  return async (question, context) => {
    const { callId } = context;
    try {
      const answer = await ask(question, context);
      log.crossing({ type: "answer", callId, answer });
      return answer;
    } catch (error) {
      log.crossing({ type: "answer", callId, error: toRunError(error, "agent/ask-failed") });
      throw error;
    }
  };
}

function recordWait(wait: Wait, log: Log, isOpen: () => boolean): Wait {
  return (request, work) => {
    if (isOpen()) log.crossing({ type: "executor-wait", request });
    return wait(request, async () => {
      let outcome: WaitOutcome = "cancelled";
      try {
        const result = await work();
        ({ outcome } = result);
        return result;
      } finally {
        if (isOpen()) log.crossing({ type: "executor-waited", request, outcome });
      }
    });
  };
}

function recordApprove(approve: ApproveCallback, log: Log): ApproveCallback {
  return async (request, context) => {
    const { callId } = request;
    try {
      const decision = await approve(request, context);
      log.crossing({ type: "decision", callId, decision });
      return decision;
    } catch (error) {
      log.crossing({ type: "decision", callId, error: toRunError(error, "agent/approve-failed") });
      throw error;
    }
  };
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
