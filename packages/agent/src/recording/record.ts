import type { Executor, Message, Model, ModelPart } from "@toolglot/core";
import { toMessages } from "../create-agent.ts";
import type { AgentEvent } from "../events.ts";
import { toRunError } from "../loop/run-error.ts";
import { startRun } from "../loop/start-run.ts";
import { plainJson } from "../plain-json.ts";
import { toSettings } from "../settings.ts";
import type { AgentOptions, AgentRun, AgentRuntime, ApproveCallback, RunOptions } from "../types.ts";
import { requestDigest } from "./digest.ts";
import { RecordingWriter } from "./format.ts";
import type { Crossing, RecordedOptions, Recording, RecordingEntry, RecordingHead } from "./types.ts";

/** Options of a recorded run. */
export interface RecordOptions extends RunOptions {
  /** Hears each line as it is made, without a line end: write it to a file, and a crash loses nothing. */
  onLine?: (line: string) => void;
}

/** A run that is being recorded. */
export interface RecordedRun extends AgentRun {
  /** What was recorded so far; complete once `result` has settled. */
  readonly recording: Recording;
}

/**
 * Runs an agent once and records all that crosses the loop's borders: the model's parts with digests of the requests,
 * what executors report and give, approvals, clock and timers, and every event. {@link replay} plays it again. Throws
 * what `createAgent` and `run` throw. A recording holds everything that was said: keep it as private as that.
 */
export function recordRun(
  options: AgentOptions,
  input: string | readonly Message[],
  { onLine, ...runOptions }: RecordOptions = {},
): RecordedRun {
  const settings = toSettings(options);
  const messages = plainJson(toMessages(input));
  const runId = runOptions.runId ?? settings.runtime.newRunId();
  const log = new Log(headOf(options, messages, runId), onLine);
  const { signal } = runOptions;
  const onAbort = (): void => log.crossing({ type: "abort" });
  // Before the run listens itself: what the abort brings about must be recorded after it.
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  const run = startRun(
    {
      ...settings,
      model: recordModel(settings.model, log),
      executor: recordExecutor(settings.executor, log),
      approve: settings.approve && recordApprove(settings.approve, log),
      runtime: recordRuntime(settings.runtime, log),
    },
    messages,
    { ...runOptions, runId },
    (event) => log.event(event),
  );
  void run.result.then(() => signal?.removeEventListener("abort", onAbort));
  return { ...run, recording: log.recording };
}

function headOf(options: AgentOptions, input: Message[], runId: string): RecordingHead {
  const { locale, mode, system, limits, maxRepairTurns, reasoning, startsInReasoning, maxTokens } = options;
  const given = { locale, mode, system, limits, maxRepairTurns, reasoning, startsInReasoning, maxTokens };
  return plainJson({
    type: "head",
    version: 1,
    runId,
    protocol: options.protocol.version,
    options: given as RecordedOptions,
    tools: [...options.tools],
    input,
    approves: options.approve !== undefined,
  });
}

class Log {
  readonly recording: Recording;
  readonly #writer = new RecordingWriter();
  readonly #onLine: ((line: string) => void) | undefined;
  #clock: number[] = [];
  #closed = false;

  constructor(head: RecordingHead, onLine: ((line: string) => void) | undefined) {
    this.recording = { head, entries: [] };
    this.#onLine = onLine;
    onLine?.(this.#writer.line(head));
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
    // What comes after the end was left behind by the run, and must not be played.
    if (this.#closed) return;
    const timed: RecordingEntry = this.#clock.length > 0 ? { ...entry, clock: this.#clock } : entry;
    this.#clock = [];
    this.recording.entries.push(timed);
    this.#onLine?.(this.#writer.line(timed));
  }
}

function recordModel(model: Model, log: Log): Model {
  return (request, signal) => ({
    [Symbol.asyncIterator](): AsyncIterator<ModelPart> {
      log.crossing({ type: "model-request", digest: requestDigest(request) });
      const failed = (error: unknown): never => {
        log.crossing({ type: "model-error", error: toRunError(error, "model-failed") });
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
          log.crossing(next.done ? { type: "model-end" } : { type: "model-part", part: next.value });
          return next;
        },
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  });
}

function recordExecutor(executor: Executor, log: Log): Executor {
  return {
    handles: (action) => executor.handles(action),
    async execute(action, context) {
      log.crossing({ type: "execute", action });
      try {
        const results = await executor.execute(action, {
          ...context,
          emit(event) {
            log.crossing({ type: "executor-event", event });
            context.emit(event);
          },
          approve(request) {
            log.crossing({ type: "executor-approval", request });
            return context.approve(request);
          },
        });
        log.crossing({ type: "executor-results", results });
        return results;
      } catch (error) {
        log.crossing({ type: "executor-error", error: toRunError(error, "executor-failed") });
        throw error;
      }
    },
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
      log.crossing({ type: "decision", callId, error: toRunError(error, "approve-failed") });
      throw error;
    }
  };
}

function recordRuntime(runtime: AgentRuntime, log: Log): AgentRuntime {
  return {
    now: () => log.clock(runtime.now()),
    newRunId: runtime.newRunId,
    startTimer: (name, ms, callback) =>
      runtime.startTimer(name, ms, () => {
        log.crossing({ type: "timer", name });
        callback();
      }),
  };
}
