import type { JsonObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { GateParts } from "./gate-server.ts";
import type { GateCaller } from "./options.ts";
import { namesTasks, TaskNotices } from "./task-notices.ts";

/** A request of 2026-07-28 to hear of changes of resources and tasks. */
export interface Listen {
  id: unknown;
  params: JsonObject;
  uris: string[];
}

/** Returns what a message wants to hear of; undefined where it wants neither resources nor tasks. */
export function listenIn(message: unknown): Listen | undefined {
  const { id, method, params } = (isObject(message) ? message : {}) as Record<string, unknown>;
  const wanted =
    isObject(params) && isObject(params.notifications) ? params.notifications.resourceSubscriptions : undefined;
  if (method !== "subscriptions/listen" || !isObject(params)) return undefined;
  const listen = { id, params: params as JsonObject };
  if (!Array.isArray(wanted)) return namesTasks(listen) ? { ...listen, uris: [] } : undefined;
  return { ...listen, uris: wanted.filter((uri) => typeof uri === "string") };
}

/** Subscribes at servers to what clients of 2026-07-28 listen to: their streams know nothing of servers. */
export class Listening {
  readonly #parts: Pick<GateParts, "offers" | "subscriptions" | "tasks" | "onError">;

  constructor(parts: Pick<GateParts, "offers" | "subscriptions" | "tasks" | "onError">) {
    this.#parts = parts;
  }

  /** Resolves with the request's members for what the caller may read and servers report, and with what ends the subscriptions. */
  async open(
    { params, uris }: Listen,
    caller: GateCaller,
    listener: (params: JsonObject) => void,
  ): Promise<{ allowed: { params: JsonObject }; tasks: TaskNotices | undefined; end: () => void }> {
    const { offers, subscriptions, tasks: kept, onError } = this.#parts;
    const known = { principal: caller.principal, client: { name: "", version: "" } };
    const opened = await Promise.all(
      uris.map(async (uri) => {
        try {
          const { server } = await offers.resourceServer(uri, known);
          return [{ uri, end: await subscriptions.add(server, uri, listener) }];
        } catch (error) {
          onError(error as Error);
          return [];
        }
      }),
    );
    const all = opened.flat();
    const notifications = { ...(params.notifications as JsonObject), resourceSubscriptions: all.map(({ uri }) => uri) };
    const asked = { ...params, notifications };
    const tasks = kept && namesTasks({ params }) ? new TaskNotices(kept, { params }, caller) : undefined;
    return {
      allowed: { params: (await tasks?.open(asked)) ?? asked },
      tasks,
      end: () => {
        tasks?.end();
        for (const { end } of all) end();
      },
    };
  }
}
