import type { JsonObject } from "@toolglot/core";
import { isObject, sleep } from "@toolglot/internal";
import { type Asked, callError } from "./call-error.ts";
import { isUsable, withoutWire } from "./exact.ts";
import { isCount } from "./task-result.ts";
import type { McpCallOptions, McpCallResult, McpTask } from "./types.ts";

/** Milliseconds between two looks: where the server says nothing, at least, and at most. */
const pollMs = 1_000;
const minPollMs = 100;
const maxPollMs = 60_000;
/** Milliseconds for which a task is followed whose server gives it no end, and for which one is that was cancelled. */
const dayMs = 86_400_000;
const cancelledMs = 5_000;

/** What a task is followed with. */
export interface TaskConnection {
  /** The server's name. */
  name: string;
  /** Whether nothing can be asked any more. */
  closed(): boolean;
  /** Rejects as `McpClient.request`. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Resolves with the answer to what the server asks, as MCP has it. Rejects where nobody can be asked. */
  answer(asked: { method: unknown; params: unknown; key: string }): Promise<unknown>;
}

/**
 * Follows a task to its end, also over the loss of connections: until its server has forgotten it, or the client is closed. Resolves with the call's result; rejects as
 * `McpClient.callTool`. When the signal is aborted the server is asked to cancel it, and what it does within five seconds is the end.
 */
export async function followTask(
  { name, closed, request, answer }: TaskConnection,
  call: Asked,
  { taskId, ttlMs, pollIntervalMs }: McpTask,
  { signal }: Pick<McpCallOptions, "signal">,
): Promise<McpCallResult> {
  let end = performance.now() + (ttlMs ?? dayMs);
  let pause = clamped(pollIntervalMs ?? pollMs);
  let isCancelled = false;
  const answered = new Set<string>();
  const cancel = async (): Promise<void> => {
    isCancelled = true;
    end = Math.min(end, performance.now() + cancelledMs);
    await request("tasks/cancel", { taskId }).catch(() => {});
  };
  for (;;) {
    if (signal?.aborted && !isCancelled) await cancel();
    let task: JsonObject | undefined;
    let fault: unknown;
    try {
      task = await request("tasks/get", { taskId });
    } catch (error) {
      // A server that is away may come back; what it says itself is the end.
      if (closed() || (error as { data?: { type?: unknown } }).data?.type !== "ServerUnavailable") {
        throw callError(name, call, "unclear", error);
      }
      fault = error;
      pause = clamped(pause * 2);
    }
    if (task !== undefined) {
      const ended = endOf(task);
      if (ended !== undefined) {
        if ("result" in ended) return ended.result;
        throw callError(name, call, ended.fate, ended.cause);
      }
      pause = clamped(isCount(task.pollIntervalMs) ? task.pollIntervalMs : (pollIntervalMs ?? pollMs));
      if (task.status === "input_required" && !isCancelled) {
        const inputResponses: JsonObject = {};
        try {
          for (const [key, asked] of Object.entries(isObject(task.inputRequests) ? task.inputRequests : {})) {
            if (answered.has(key) || !isObject(asked)) continue;
            const { method, params } = asked;
            inputResponses[key] = (await answer({ method, params, key })) as JsonObject;
            answered.add(key);
          }
        } catch {
          // The server asks what nobody here can answer.
          await cancel();
        }
        if (Object.keys(inputResponses).length > 0) {
          await request("tasks/update", { taskId, inputResponses }).catch(() => {
            for (const key of Object.keys(inputResponses)) answered.delete(key);
          });
          continue;
        }
      }
    }
    if (performance.now() >= end) {
      if (isCancelled && signal?.aborted) throw callError(name, call, "aborted", signal.reason);
      throw callError(name, call, "lost", fault ?? new Error("its task has not ended"));
    }
    await sleep(pause, isCancelled ? undefined : signal);
  }
}

type TaskEnd = { result: McpCallResult } | { fate: "refused" | "unclear"; cause: unknown };

/** Returns how a task ended; undefined when it has not. */
function endOf({ status, result, error }: JsonObject): TaskEnd | undefined {
  switch (status) {
    case "completed":
      if (isObject(result) && isUsable(result)) return { result: withoutWire(result as JsonObject) as McpCallResult };
      return { fate: "unclear", cause: new Error("its task has no result that can be read") };
    case "failed": {
      const { code, message } = isObject(error) ? error : ({} as Record<string, unknown>);
      const cause = new Error(typeof message === "string" ? message : "its task failed");
      return { fate: "refused", cause: Object.assign(cause, { code: Number.isInteger(code) ? code : -32603 }) };
    }
    case "cancelled":
      return { fate: "unclear", cause: new Error("its task was cancelled") };
    default:
      return undefined;
  }
}

const clamped = (ms: number): number => Math.min(maxPollMs, Math.max(minPollMs, ms));
