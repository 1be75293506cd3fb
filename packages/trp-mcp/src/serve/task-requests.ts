import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isObject } from "@toolglot/internal";
import { tasksExtension } from "../import/upstream-tasks.ts";
import { anything } from "./asking.ts";
import { callerOf, clientOf, declaresTasks, type Incoming } from "./incoming.ts";
import type { TaskClient } from "./task-steps.ts";
import type { Tasks } from "./tasks.ts";

/** Has a server answer `tasks/get`, `tasks/update` and `tasks/cancel`, which the official one knows nothing of. */
export function serveTasks(server: Server, tasks: Tasks, incoming: (context: ServerContext) => Incoming): void {
  const answer = (method: string, act: (id: string, client: TaskClient, answers: unknown) => Promise<object>): void => {
    server.setRequestHandler(method, { params: anything }, async (given, context) => {
      const request = incoming(context);
      const { takesTasks, askable: can } = clientOf(request);
      if (!takesTasks) throw missingTasks();
      const params = isObject(given) ? given : {};
      if (typeof params.taskId !== "string") throw invalid(`${method} needs "taskId", a text`);
      // The official server takes the answers out of the parameters.
      const answers = context.mcpReq.inputResponses;
      return (await act(params.taskId, { caller: callerOf(request), can, from: request.caller }, answers)) as never;
    });
  };
  answer("tasks/get", (id, client) => tasks.get(id, client));
  answer("tasks/update", async (id, client, answers) => {
    if (!isObject(answers)) throw invalid(`tasks/update needs "inputResponses", an object`);
    await tasks.update(id, answers, client);
    return {};
  });
  answer("tasks/cancel", async (id, client) => {
    await tasks.cancel(id, client);
    return {};
  });
}

/** Returns why a message can't be answered: its client wants to hear of tasks, and does not declare them. */
export function missingTasksIn(message: unknown): ProtocolError | undefined {
  const { method, params } = (isObject(message) ? message : {}) as Record<string, unknown>;
  const { notifications, _meta } = (isObject(params) ? params : {}) as Record<string, unknown>;
  if (method !== "subscriptions/listen" || !isObject(notifications) || notifications.taskIds === undefined) {
    return undefined;
  }
  const can = isObject(_meta) ? _meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return declaresTasks(can as ClientCapabilities | undefined) ? undefined : missingTasks();
}

function missingTasks(): ProtocolError {
  return new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
