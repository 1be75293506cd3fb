import type { Executor, ExecutorContext, Message, Model, ModelPart, ToolDefinition, WaitOutcome } from "@toolglot/core";
import { isContextOverflow } from "@toolglot/core";
import { checkKeys, defined, onAbort } from "@toolglot/internal";
import type { Compaction } from "../context/compaction.ts";
import { startRun } from "../create-agent.ts";
import type { AgentEvent } from "../events.ts";
import { saidBy } from "../loop/injected.ts";
import { toRunError } from "../loop/run-error.ts";
import { canonicalJson, plainJson } from "../plain-json.ts";
import { toSettings } from "../settings.ts";
import { toMessages } from "../to-messages.ts";
import type {
  AgentOptions,
  AgentRun,
  AgentRuntime,
  ApproveCallback,
  Price,
  RunError,
  RunOptions,
  StopCondition,
} from "../types.ts";
import { RequestDigests } from "./digest.ts";
import { lineOf } from "./format.ts";
import type { Crossing, RecordedOptions, Recording, RecordingEntry, RecordingHead } from "./types.ts";

/** Options of a recorded run. */
export interface RecordOptions extends RunOptions {
  /** Called with each line as it is made, without a line end: write it to a file, and a crash loses nothing. */
  onLine?: (line: string) => void;
}

/** A run that is being recorded. */
export interface RecordedRun extends AgentRun {
  /** What was recorded so far; complete once `result` has settled. */
  readonly recording: Recording;
}

/**
 * Runs an agent once and records everything that crosses the loop's borders: the model's parts with digests of the requests,
 * what executors report and give, approvals, clock and timers, and every event. {@link replay} plays it again. Throws
 * what `createAgent` and `run` throw. A recording holds everything that was said: keep it as private as that.
 */
export function recordRun(
  options: AgentOptions,
  input: string | readonly Message[],
  recordOptions: RecordOptions = {},
): RecordedRun {
  checkKeys("recordRun", recordOptions, "signal runId onLine");
  const { onLine, ...runOptions } = recordOptions;
  const settings = toSettings(options);
  const messages = plainJson(toMessages(input));
  const runId = runOptions.runId ?? settings.runtime.newRunId();
  const log = new Log(headOf(options, settings.fixedTools, messages, runId), onLine);
  const { signal } = runOptions;
  // Before the run listens to the signal: what the abort causes must be recorded after it.
  const stopListening = onAbort(signal, () => log.crossing({ type: "abort" }));
  const run = startRun(
    {
      ...settings,
      model: Object.assign(recordModel(settings.model, log), defined({ info: settings.model.info })),
      executor: recordExecutor(settings.executor, log),
      readTools: settings.fixedTools ? settings.readTools : recordTools(settings.readTools, log),
      ...(settings.approve && { approve: recordApprove(settings.approve, log) }),
      ...(settings.price && { price: recordPrice(settings.price, log) }),
      context: {
        ...settings.context,
        compact: options.context?.compact ? recordCompaction(options.context.compact, log) : settings.context.compact,
      },
      stopWhen: settings.stopWhen.map((condition) => recordCondition(condition, log)),
      runtime: recordRuntime(settings.runtime, log),
    },
    messages,
    { ...runOptions, runId },
    (event) => log.event(event),
  );
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
  tools: ToolDefinition[] | undefined,
  input: Message[],
  runId: string,
): RecordingHead {
  const { locale, mode, system, limits, maxRepairTurns, reasoning, startsInReasoning, maxTokens } = options;
  const { compact, ...context } = options.context ?? {};
  const given = { locale, mode, system, limits, context, maxRepairTurns, reasoning, startsInReasoning, maxTokens };
  return plainJson({
    type: "head",
    version: 4,
    runId,
    protocol: options.protocol.version,
    options: given as RecordedOptions,
    ...(tools && { tools }),
    input,
    approves: options.approve !== undefined,
    priced: options.price !== undefined,
    conditions: [options.stopWhen ?? []].flat().length,
    compacts: compact !== undefined,
    ...defined({ model: options.model.info }),
  });
}

class Log {
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
function recordTools(read: () => unknown, log: Log): () => unknown {
  let before: string | undefined;
  return () => {
    try {
      const tools = read();
      const now = canonicalJson(tools);
      if (now !== before) log.crossing({ type: "tools", tools });
      before = now;
      return tools;
    } catch (error) {
      before = undefined;
      log.crossing({ type: "tools", error: toRunError(error, "agent/tools-failed") });
      throw error;
    }
  };
}

function recordModel(model: Model, log: Log): Model {
  const digests = new RequestDigests();
  return (request, signal) => ({
    [Symbol.asyncIterator](): AsyncIterator<ModelPart> {
      log.crossing({ type: "model-request", digest: digests.of(request) });
      // What comes after that is not part of the run.
      const note = (crossing: Crossing): void => {
        if (!signal.aborted) log.crossing(crossing);
      };
      const failed = (error: unknown): never => {
        const isOverflow = isContextOverflow(error) && { isOverflow: true as const };
        note({ type: "model-error", error: toRunError(error, "agent/model-failed"), ...isOverflow });
        throw error;
      };
      let inner: AsyncIterator<ModelPart>;
      try {
        inner = model(request, signal)[Symbol.asyncIterator]();
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
}

type Wait = NonNullable<ExecutorContext["wait"]>;

function recordExecutor(executor: Executor, log: Log): Executor {
  return {
    handles: (action) => executor.handles(action),
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

function recordPrice(price: Price, log: Log): Price {
  return (usage, step) => {
    try {
      const cost = price(usage, step);
      log.crossing({ type: "price", cost });
      return cost;
    } catch (error) {
      log.crossing({ type: "price", error: toRunError(error, "agent/price-failed") });
      throw error;
    }
  };
}

/** A hook of the host's, with the crossing for what it gave or threw. */
function recordHook<Input, Value>(
  hook: (input: Input) => Value | Promise<Value>,
  log: Log,
  crossing: (given: { value: Value } | { error: RunError }) => Crossing,
): (input: Input) => Promise<Value> {
  return async (input) => {
    try {
      const value = await hook(input);
      log.crossing(crossing({ value }));
      return value;
    } catch (error) {
      log.crossing(crossing({ error: toRunError(error, "agent/hook-failed") }));
      throw error;
    }
  };
}

/** A compaction of the host's; the loop's own gives the same again. */
function recordCompaction(compact: Compaction, log: Log): Compaction {
  return recordHook(compact, log, (given) =>
    "error" in given ? { type: "compacted", ...given } : { type: "compacted", messages: given.value },
  );
}

function recordCondition(condition: StopCondition, log: Log): StopCondition {
  return recordHook(condition, log, (given) =>
    "error" in given ? { type: "condition", ...given } : { type: "condition", isTrue: given.value },
  );
}

function recordRuntime(runtime: AgentRuntime, log: Log): AgentRuntime {
  return {
    now: () => log.clock(runtime.now()),
    newRunId: runtime.newRunId,
    ...defined({ onRun: runtime.onRun }),
    startTimer: (name, ms, callback) =>
      runtime.startTimer(name, ms, () => {
        log.crossing({ type: "timer", name });
        callback();
      }),
  };
}
