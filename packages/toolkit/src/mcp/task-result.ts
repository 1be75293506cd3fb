import { isObject } from "@toolglot/internal";
import type { McpCallResult, McpTask } from "./types.ts";

/** The name of MCP's extension for tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Key in `_meta` of what stands for the result of a call that became a task. */
const taskKey = "toolglot/task";

/** Returns what stands for a task in place of a call's result: the official client takes no task. Undefined for another result. */
export function inPlaceOfTask(result: Record<string, unknown>): object | undefined {
  if (result.resultType !== "task" || typeof result.taskId !== "string") return undefined;
  const { _meta, resultType: _, ...task } = result;
  return { resultType: "complete", content: [], _meta: { [taskKey]: task } };
}

/** Returns the task that a result stands for. */
export function taskIn({ _meta }: McpCallResult): McpTask | undefined {
  const task = isObject(_meta) ? _meta[taskKey] : undefined;
  if (!isObject(task) || typeof task.taskId !== "string") return undefined;
  const { taskId, ttlMs, pollIntervalMs } = task;
  return {
    taskId,
    ttlMs: isCount(ttlMs) ? ttlMs : null,
    ...(isCount(pollIntervalMs) && { pollIntervalMs }),
  };
}

export const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
