import { contentText, type ToolCall, type ToolResult } from "@toolglot/core";
import { checkKeys, defined, randomHex } from "@toolglot/internal";
import type { ToolResponse } from "../call/response.ts";
import { errorInfo } from "../errors.ts";
import { EventBus } from "./event-bus.ts";

/** Fields of every event of a task. */
export interface TaskFacts {
  taskId: string;
  callId: string;
  /** The tool. */
  name: string;
  /** Number of the plan's step that started it. */
  step?: number;
  requestId?: string;
  /** The run that started it. */
  runId?: string;
}

/** The events of tasks. A task ends with exactly one of the last two. */
export type TaskEvent =
  | (TaskFacts & { type: "task-started"; input: unknown })
  /** `data`: of the chunk, else its text. */
  | (TaskFacts & { type: "task-progress"; data: unknown })
  | (TaskFacts & { type: "task-completed"; result: ToolResult; ms: number })
  /** Also when it was cancelled: then the result is `interrupted`. */
  | (TaskFacts & { type: "task-failed"; result: ToolResult; ms: number });

/** A task, running or ended. */
export interface TaskState extends TaskFacts {
  /** `cancelled`: it was asked to stop, and has ended without success. */
  status: "running" | "cancelled" | ToolResult["status"];
  /** Milliseconds since 1970. */
  startedAt: number;
  /** What it gave last before its end. */
  progress?: unknown;
  /** When it has ended. */
  result?: ToolResult;
}

/** Options for starting a task. */
export interface TaskStart {
  call: ToolCall;
  step?: number | undefined;
  requestId?: string | undefined;
  runId?: string | undefined;
  /** Runs the tool; the last response is final. */
  run(signal: AbortSignal): AsyncGenerator<ToolResponse, void, undefined>;
  toResult(response: ToolResponse): ToolResult;
}

interface Entry {
  state: TaskState;
  controller: AbortController;
  ended: Promise<ToolResult>;
}

/** Options of {@link Tasks}. */
export interface TasksOptions {
  /** So many ended tasks are remembered. Default 1000. */
  keepEnded?: number;
}

/**
 * The asynchronous tools that are running in the background: those whose `annotations.async` is true. A task outlives the
 * run that started it; its completion, progress and failure come as events.
 */
export class Tasks {
  readonly events: EventBus<TaskEvent> = new EventBus<TaskEvent>();
  readonly #entries = new Map<string, Entry>();
  readonly #ended: string[] = [];
  readonly #keepEnded: number;

  constructor(options: TasksOptions = {}) {
    checkKeys("new Tasks", options, "keepEnded:number");
    const { keepEnded = 1000 } = options;
    if (!Number.isInteger(keepEnded) || keepEnded < 0) {
      throw new TypeError(`keepEnded must be a whole number from 0, not ${keepEnded}`);
    }
    this.#keepEnded = keepEnded;
  }

  /** Starts a task and returns its id at once. Whatever `run` does, the task ends once. */
  start({ call, step, requestId, runId, run, toResult }: TaskStart): string {
    const taskId = `task-${randomHex(12)}`;
    const facts: TaskFacts = { taskId, callId: call.id, name: call.name, ...defined({ step, requestId, runId }) };
    const controller = new AbortController();
    const state: TaskState = { ...facts, status: "running", startedAt: Date.now() };
    const ended = this.#drain(facts, run(controller.signal), toResult);
    this.#entries.set(taskId, { state, controller, ended });
    this.events.publish({ ...facts, type: "task-started", input: call.input });
    return taskId;
  }

  async #drain(
    facts: TaskFacts,
    responses: AsyncGenerator<ToolResponse, void, undefined>,
    toResult: (response: ToolResponse) => ToolResult,
  ): Promise<ToolResult> {
    const started = performance.now();
    // The event of its start is published, and the caller knows its id, before the tool does anything.
    await Promise.resolve();
    let result: ToolResult;
    try {
      let final: ToolResponse | undefined;
      for await (const response of responses) {
        if (response.isLast) final = response;
        else {
          const data = response.data ?? contentText(response.content);
          (this.#entries.get(facts.taskId) as Entry).state.progress = data;
          this.events.publish({ ...facts, type: "task-progress", data });
        }
      }
      if (final === undefined) throw new TypeError("the task gave no final response");
      result = toResult(final);
    } catch (error) {
      const info = errorInfo(error);
      const content = [{ type: "text" as const, text: `Error: ${info.message}` }];
      result = { callId: facts.callId, name: facts.name, status: "error", content, error: info };
    }
    this.#settle(facts.taskId, result);
    const type = result.status === "ok" || result.status === "pending" ? "task-completed" : "task-failed";
    this.events.publish({ ...facts, type, result, ms: performance.now() - started });
    return result;
  }

  #settle(taskId: string, result: ToolResult): void {
    const entry = this.#entries.get(taskId) as Entry;
    const isCancelled = entry.controller.signal.aborted && result.status !== "ok";
    entry.state = { ...entry.state, status: isCancelled ? "cancelled" : result.status, result };
    this.#ended.push(taskId);
    while (this.#ended.length > this.#keepEnded) this.#entries.delete(this.#ended.shift() as string);
  }

  /** Returns a task by its id; undefined for one that was never started, or ended long ago. */
  get(taskId: string): TaskState | undefined {
    return this.#entries.get(taskId)?.state;
  }

  /** Returns all tasks that are remembered, the oldest first. */
  list(): TaskState[] {
    return [...this.#entries.values()].map(({ state }) => state);
  }

  /**
   * Asks a task to stop: its signal is aborted, it ends with `task-failed`, and then its status is `cancelled`. False when no such task
   * runs.
   */
  cancel(taskId: string): boolean {
    const entry = this.#entries.get(taskId);
    if (entry?.state.status !== "running") return false;
    entry.controller.abort();
    return true;
  }

  /** Resolves with the result of a task, when it has ended; undefined for an unknown one. */
  async result(taskId: string): Promise<ToolResult | undefined> {
    return this.#entries.get(taskId)?.ended;
  }

  /** Waits until no task runs. */
  async idle(): Promise<void> {
    for (;;) {
      const running = [...this.#entries.values()].filter(({ state }) => state.status === "running");
      if (running.length === 0) return;
      await Promise.all(running.map(({ ended }) => ended));
    }
  }

  /** Cancels all tasks and waits for their ends. */
  async close(): Promise<void> {
    for (const taskId of this.#entries.keys()) this.cancel(taskId);
    await this.idle();
  }
}
