import { randomUUID } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type JSONRPCMessage,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { isObject, parseJson, sleep } from "@toolglot/internal";
import { type Askable, askable } from "./asking.ts";
import type { GateCaller } from "./options.ts";
import type { Tasks } from "./tasks.ts";

/** Milliseconds between two looks at a task that another process may work on, and tasks that one request listens to. */
const lookMs = 1_000;
const maxTasks = 100;

/**
 * The tasks that a request to listen names. The official server knows nothing of them, and of listening only the addresses of resources: each
 * task stands there under an address that nobody else can guess, and what is sent about it is put back into the words of tasks.
 */
export class TaskNotices {
  readonly #tasks: Tasks;
  readonly #caller: GateCaller;
  readonly #can: Askable;
  readonly #prefix = `toolglot-task:${randomUUID()}:`;
  readonly #ending = new AbortController();
  readonly #ids: string[];
  #known: string[] = [];

  constructor(tasks: Tasks, { params }: { params: JsonObject }, caller: GateCaller) {
    const { notifications, _meta } = params;
    const ids = isObject(notifications) && Array.isArray(notifications.taskIds) ? notifications.taskIds : [];
    const capabilities = isObject(_meta) ? _meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
    this.#tasks = tasks;
    this.#caller = caller;
    const can = askable(capabilities as ClientCapabilities | undefined);
    this.#can = caller.mayElicit === false ? { ...can, forms: false, urls: false } : can;
    this.#ids = [...new Set(ids.filter((id): id is string => typeof id === "string"))].slice(0, maxTasks);
  }

  /** Returns the request's parameters with the addresses of the tasks that are the caller's. */
  async open(params: JsonObject): Promise<JsonObject> {
    const found = await Promise.all(
      this.#ids.map(async (id) => ((await this.#tasks.look(id, this.#caller, this.#can)) === undefined ? [] : [id])),
    );
    this.#known = found.flat();
    const { taskIds: _, resourceSubscriptions = [], ...others } = params.notifications as JsonObject;
    const uris = [...(resourceSubscriptions as string[]), ...this.#known.map((id) => this.#prefix + id)];
    return { ...params, notifications: { ...others, resourceSubscriptions: uris } };
  }

  /** Reports each task as it is now, and whenever it changes, until its end. */
  begin(report: Report): void {
    for (const id of this.#known) void this.#watch(id, report).catch(() => {});
  }

  end(): void {
    this.#ending.abort();
  }

  async #watch(id: string, report: Report): Promise<void> {
    const { signal } = this.#ending;
    let last: string | undefined;
    while (!signal.aborted) {
      const found = await this.#tasks.look(id, this.#caller, this.#can);
      if (found === undefined) return;
      const text = JSON.stringify(found.view);
      if (text !== last) report(this.#prefix + id, JSON.parse(text) as JsonObject);
      last = text;
      if (found.isFinal) return;
      await sleep(lookMs, signal);
    }
  }

  /** Puts what the official server sends about these addresses into the words of tasks. */
  message(message: JsonObject): JsonObject {
    const { method, params } = message;
    if (!isObject(params)) return message;
    const { notifications, uri, ...rest } = params as JsonObject;
    if (method === "notifications/resources/updated" && String(uri).startsWith(this.#prefix)) {
      return { ...message, method: "notifications/tasks", params: rest };
    }
    if (method !== "notifications/subscriptions/acknowledged" || !isObject(notifications)) return message;
    const { resourceSubscriptions: all, ...others } = notifications as JsonObject;
    const uris = (Array.isArray(all) ? all : []).filter((one) => !String(one).startsWith(this.#prefix));
    const taken = { ...others, ...(uris.length > 0 && { resourceSubscriptions: uris }), taskIds: this.#known };
    return { ...message, params: { ...rest, notifications: taken } };
  }

  /** The same for an event of a stream, as it is sent. */
  event(chunk: Uint8Array): Uint8Array {
    const text = new TextDecoder().decode(chunk);
    const [, head = "", data = ""] = /^((?:event: [^\n]*\n)?data: )(\{.*\})\n\n$/s.exec(text) ?? [];
    const message = parseJson(data);
    if (!isObject(message)) return chunk;
    return new TextEncoder().encode(`${head}${JSON.stringify(this.message(message as JsonObject))}\n\n`);
  }
}

type Report = (uri: string, params: JsonObject) => void;

/** The requests of one pipe to listen to tasks. */
export class TaskNoticesOnPipe {
  /** By the ids of the requests. */
  readonly #all = new Map<unknown, { notices: TaskNotices; report: Report }>();

  constructor(transport: Transport) {
    const send = transport.send.bind(transport);
    transport.send = (sent, options) => {
      const { method, params } = sent as { method?: string; params?: { _meta?: Record<string, unknown> } };
      const listening = this.#all.get(params?._meta?.[SUBSCRIPTION_ID_META_KEY]);
      if (listening === undefined) return send(sent, options);
      const message = listening.notices.message(sent as unknown as JsonObject);
      if (method === "notifications/subscriptions/acknowledged") listening.notices.begin(listening.report);
      return send(message as unknown as JSONRPCMessage, options);
    };
  }

  /** Returns what ends it. */
  set(id: unknown, notices: TaskNotices, report: Report): () => void {
    this.#all.set(id, { notices, report });
    return () => void this.#all.delete(id);
  }
}

/** Whether a request to listen names tasks. */
export function namesTasks({ params }: { params: JsonObject }): boolean {
  return isObject(params.notifications) && Array.isArray(params.notifications.taskIds);
}
