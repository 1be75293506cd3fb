import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isObject } from "@toolglot/internal";
import { anything } from "./asking.ts";
import { callerOf, clientOf, type Incoming, tasksExtension } from "./incoming.ts";
import type { TaskClient, Tasks } from "./tasks.ts";

/** Has a server answer `tasks/get`, `tasks/update` and `tasks/cancel`, which the official one knows nothing of. */
export function serveTasks(server: Server, tasks: Tasks, incoming: (context: ServerContext) => Incoming): void {
  const answer = (
    method: string,
    act: (id: string, client: TaskClient, params: Record<string, unknown>) => Promise<object>,
  ): void => {
    server.setRequestHandler(method, { params: anything }, async (given, context) => {
      const request = incoming(context);
      const { takesTasks, askable: can } = clientOf(request);
      if (!takesTasks) throw missingTasks();
      const params = isObject(given) ? given : {};
      if (typeof params.taskId !== "string") throw invalid(`${method} needs "taskId", a text`);
      return (await act(params.taskId, { caller: callerOf(request), can }, params)) as never;
    });
  };
  answer("tasks/get", (id, client) => tasks.get(id, client));
  answer("tasks/update", async (id, client, { inputResponses }) => {
    if (!isObject(inputResponses)) throw invalid(`tasks/update needs "inputResponses", an object`);
    await tasks.update(id, inputResponses, client);
    return {};
  });
  answer("tasks/cancel", async (id, client) => {
    await tasks.cancel(id, client);
    return {};
  });
}

function missingTasks(): ProtocolError {
  return new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
