import {
  type AnyTool,
  type ArtifactStore,
  contentText,
  nearest,
  type ToolContext,
  ToolError,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import { checkKeys, defined, maxTimerMs, settleWithin } from "@toolglot/internal";
import { errorTypes } from "../errors.ts";
import { defineTool } from "../registry/define-tool.ts";
import type { TaskState, Tasks } from "./tasks.ts";

/** Options of {@link taskTools}. */
export interface TaskToolsOptions {
  /** Milliseconds that one call of `wait_task` waits at most. Default 30,000. */
  maxWaitMs?: number;
  /** Where results are kept that were given already: the store of the agent's `context.artifacts`. Default: nowhere. */
  artifacts?: ArtifactStore;
}

/** Rest of a result that the model has had. */
interface Given {
  length: number;
  artifact?: string;
}

/**
 * Returns tools with which a model looks after the tasks that its asynchronous tools started: `view_task` and `wait_task`, which only
 * read, and `cancel_task`. A task's result is given once in full. A run sees its own tasks only; outside a run, all of them. Throws
 * `TypeError`.
 *
 * @example
 * ```ts
 * const tasks = new Tasks();
 * const executor = toolkitExecutor(toolkit, { tasks });
 * for (const tool of taskTools(tasks)) toolkit.registerToolFunction(tool);
 * ```
 */
export function taskTools(tasks: Tasks, options: TaskToolsOptions = {}): AnyTool[] {
  checkKeys("taskTools", options, "maxWaitMs:number artifacts:{put,read}");
  const { maxWaitMs = 30_000, artifacts } = options;
  if (typeof tasks?.list !== "function")
    throw new TypeError("taskTools needs tasks: those of toolkitExecutor(toolkit).");
  if (!(maxWaitMs >= 0 && maxWaitMs <= maxTimerMs)) {
    throw new TypeError(`maxWaitMs must be a number of milliseconds from 0, not ${String(maxWaitMs)}`);
  }
  if (artifacts !== undefined && typeof artifacts?.put !== "function") {
    throw new TypeError("artifacts must be a store, as memoryArtifacts() of @toolglot/agent gives one");
  }
  const given = new WeakMap<ToolResult, Given>();
  const ofRun = ({ runId }: ToolContext): TaskState[] =>
    tasks.list().filter((task) => runId === undefined || task.runId === runId);
  const find = (taskId: string, context: ToolContext): TaskState => {
    const known = ofRun(context);
    const task = known.find((one) => one.taskId === taskId);
    if (task) return task;
    const ids = known.map((one) => one.taskId);
    const near = nearest(taskId, ids, 3);
    const others = near.length > 0 ? near : ids.slice(-3);
    const hint = others.length > 0 ? ` Tasks of this run are: ${others.join(", ")}.` : " It has started no tasks.";
    const message = `There is no task ${JSON.stringify(taskId.slice(0, 100))} in this run.${hint}`;
    throw new ToolError(message, { data: { type: errorTypes.unknownTask } });
  };
  const describe = async (taskId: string, context: ToolContext): Promise<Record<string, unknown>> => {
    const task = find(taskId, context);
    const { result } = task;
    return { ...summary(task), ...(result ? await giveOnce(result, context) : defined({ progress: task.progress })) };
  };
  const giveOnce = async (result: ToolResult, { runId }: ToolContext): Promise<Record<string, unknown>> => {
    const before = given.get(result);
    if (before) {
      const where =
        before.artifact === undefined ? "" : ` It is the artifact ${before.artifact}: read it with read_artifact.`;
      return { note: `The result, of ${before.length} characters, was given before.${where}` };
    }
    const { status, data, content, error } = result;
    const value = data ?? contentText(content);
    const text = typeof value === "string" ? value : toJsonText(value);
    // Before the store is asked: of two calls side by side, one gets the result.
    const left: Given = { length: text.length };
    given.set(result, left);
    const artifact = runId === undefined ? undefined : await kept(text, runId);
    if (artifact !== undefined) left.artifact = artifact;
    return status === "ok" || error === undefined ? { result: value } : { error };
  };
  const kept = async (text: string, runId: string): Promise<string | undefined> => {
    try {
      return await artifacts?.put(text, { runId });
    } catch {
      return undefined; // The model has the result: only a second look is not to be had.
    }
  };
  const task_id = "string - As the call that started it gave it";
  return [
    defineTool({
      name: "view_task",
      description:
        "Shows a background task: its status, its age, what it reported last, and its result once it has ended. Without task_id: all tasks.",
      args: { "task_id?": task_id },
      annotations: { readOnlyHint: true },
      execute: ({ task_id: id }, context) =>
        id === undefined ? { tasks: ofRun(context).map(summary) } : describe(id, context),
    }),
    defineTool({
      name: "wait_task",
      description: `Waits until a background task has ended, and gives its result; at most ${maxWaitMs} ms, then it says that the task is still running.`,
      args: { task_id, "timeout_ms?": "integer - How long to wait at most" },
      annotations: { readOnlyHint: true },
      execute: async ({ task_id: id, timeout_ms = maxWaitMs }, context) => {
        find(id, context);
        const ms = Math.max(0, Math.min(timeout_ms, maxWaitMs));
        await settleWithin(tasks.result(id), { ms, signal: context.signal });
        const task = await describe(id, context);
        return task.status === "running" ? { ...task, note: "It is still running." } : task;
      },
    }),
    defineTool({
      name: "cancel_task",
      description: "Asks a background task to stop. What it has done already stays done.",
      args: { task_id },
      annotations: { idempotentHint: true },
      execute: ({ task_id: id }, context) => {
        const task = find(id, context);
        const isAsked = tasks.cancel(id);
        return { ...summary(task), note: isAsked ? "It was asked to stop." : "It had ended before." };
      },
    }),
  ];
}

function summary({ taskId, name, status, startedAt }: TaskState): Record<string, unknown> {
  return { task_id: taskId, tool: name, status, age_ms: Date.now() - startedAt };
}
