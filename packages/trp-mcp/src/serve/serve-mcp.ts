import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  type McpHttpHandler,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { JsonObject } from "@toolglot/core";
import { settleWithin, sleep } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit";
import type { Principal } from "@toolglot/trp-core";
import { Face, type FaceName } from "../faces/face.ts";
import { principalKey } from "../principal-key.ts";
import type { ImportedServer, ServerView } from "../types.ts";
import { AskedCalls } from "./asked-calls.ts";
import { CallRelay } from "./call-relay.ts";
import type { GateConnection, McpGate } from "./gate.ts";
import { authOf, callerIn, exchangeServer, type GateParts, gateServer, type HeaderTool } from "./gate-server.ts";
import type { Era } from "./incoming.ts";
import { type Listen, Listening, listenIn } from "./listening.ts";
import { Offers } from "./offers.ts";
import { checkServeOptions, type GateCaller, type ServeMcpOptions } from "./options.ts";
import { closing, unknownRevision } from "./refusals.ts";
import { bodyOf, headersAsBody } from "./request-body.ts";
import { requestStates } from "./request-state.ts";
import { ServerLogs } from "./server-logs.ts";
import { Sessions } from "./sessions.ts";
import { Subscriptions } from "./subscriptions.ts";
import { TaskNoticesOnPipe } from "./task-notices.ts";
import { missingTasksIn } from "./task-requests.ts";
import { Tasks } from "./tasks.ts";
import { ToolRequests } from "./tool-requests.ts";
import { errorResponse, trackedResponse } from "./tracked-response.ts";

/** Milliseconds that the first list waits for servers that are not there yet. */
const firstListMs = 5_000;
/** Milliseconds that answers have to get out when the gate closes. What still runs is the router's. */
const answeredMs = 1_000;

/**
 * Serves the tools of a router's servers to MCP clients: over Streamable HTTP and over a pipe, in all revisions. Throws `TypeError` for
 * wrong options.
 *
 * @example
 * ```ts
 * const gate = serveMcp({ calls, servers: () => servers, visible: () => true, info, requestSecret });
 * const response = await gate.fetch(request, { principal });
 * ```
 */
export function serveMcp(options: ServeMcpOptions): McpGate {
  checkServeOptions(options);
  return new Gate(options);
}

class Gate implements McpGate {
  readonly #options: ServeMcpOptions;
  readonly #parts: GateParts;
  readonly #sessions: Sessions;
  readonly #handler: McpHttpHandler;
  readonly #listening: Listening;
  /** Servers that can send a notification on their own: those of sessions and pipes. */
  readonly #connected = new Set<Server>();
  readonly #connections = new Set<GateConnection>();
  /** Exchanges of the newest revision that have not ended. */
  readonly #exchanges = new Set<{ caller: GateCaller; ending: AbortController; isStream: boolean }>();
  /** The servers that are listened to, each with what ends it. */
  readonly #watched = new Map<ImportedServer, () => void>();
  /** By the connections of callers. */
  readonly #watchedViews = new WeakMap<McpClient, { view: ServerView; end: () => void }>();
  #ready: Promise<void> | undefined;
  #closed = false;

  constructor(options: ServeMcpOptions) {
    this.#options = options;
    const { calls, servers, visible, own, face: name = "auto", requestSecret, store, taskAfterMs = 10_000 } = options;
    const onError = (error: Error): void => options.onError?.(error);
    const face = new Face({ face: name, servers, visible, ...(own && { own }) });
    const states = requestStates(requestSecret, callerIn);
    const logs = new ServerLogs();
    const tasks = store && new Tasks({ store, face, calls, onError, ready: (principal) => this.#whenReady(principal) });
    const relay = store && new CallRelay(store, onError);
    const taskRule = tasks && { tasks, afterMs: taskAfterMs };
    const asked = new AskedCalls({ calls, states, logs, taskRule, relay });
    this.#parts = {
      options,
      face,
      tools: new ToolRequests(face, calls, asked),
      asked,
      tasks,
      offers: new Offers(options),
      logs,
      subscriptions: new Subscriptions(onError),
      states,
      ready: (principal) => this.#whenReady(principal),
      onError,
    };
    this.#listening = new Listening(this.#parts);
    const makeServer = (caller: GateCaller): Server => this.#lasting("legacy", caller);
    this.#sessions = new Sessions({ limits: options.limits, store, makeServer, onError });
    this.#handler = createMcpHandler(({ authInfo }) => exchangeServer(this.#parts, authInfo), {
      legacy: "reject",
      onerror: onError,
    });
    this.#watch();
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get face(): Exclude<FaceName, "auto"> {
    return this.#parts.face.name;
  }

  async fetch(request: Request, caller: GateCaller, parsed?: unknown): Promise<Response> {
    if (this.#closed) return closing();
    try {
      this.#watch();
      const body = parsed === undefined ? await bodyOf(request) : parsed;
      if (!(await isLegacyRequest(request, body))) return await this.#exchange(request, caller, body);
      const refused = unknownRevision(request, body);
      const response = refused ?? (await this.#sessions.fetch(request, caller, body, authOf(caller)));
      // A session that this process leaves is not over.
      return this.#closed && response.status === 404 ? closing() : response;
    } catch (error) {
      this.#parts.onError(error as Error);
      return errorResponse(500, { code: -32603, message: "Internal server error" });
    }
  }

  connect(transport: Transport, caller: GateCaller): GateConnection {
    this.#watch();
    const { onError } = this.#parts;
    let current: Server | undefined;
    const make = ({ era }: { era: Era }): Server => {
      current = this.#lasting(era, caller, caller);
      return current;
    };
    const notices = new TaskNoticesOnPipe(transport);
    const handle = serveStdio(make, { transport, onerror: onError });
    const { onclose, onmessage } = transport;
    const ends = new Map<unknown, () => void>();
    const open = async (message: JSONRPCMessage, listen: Listen): Promise<JSONRPCMessage> => {
      const updated = (params: JsonObject): void => {
        current?.notification({ method: "notifications/resources/updated", params }).catch(() => {});
      };
      const { allowed, tasks, end } = await this.#listening.open(listen, caller, updated);
      const stopTelling = tasks && notices.set(listen.id, tasks, (uri, params) => updated({ ...params, uri }));
      ends.set(listen.id, () => {
        stopTelling?.();
        end();
      });
      return { ...message, ...allowed } as JSONRPCMessage;
    };
    transport.onmessage = (message, extra) => {
      const listen = listenIn(message);
      const missing = this.#parts.tasks && missingTasksIn(message);
      if (missing !== undefined && "id" in message) {
        const { code, message: text, data } = missing;
        const id = message.id as string | number;
        transport.send({ jsonrpc: "2.0", id, error: { code, message: text, data } }).catch(onError);
      } else if (listen !== undefined) open(message, listen).then((allowed) => onmessage?.(allowed, extra), onError);
      else {
        if ("method" in message && message.method === "notifications/cancelled")
          ends.get(message.params?.requestId)?.();
        onmessage?.(message, extra);
      }
    };
    const closed = new Promise<void>((resolve) => {
      transport.onclose = () => {
        onclose?.();
        for (const end of ends.values()) end();
        this.#connections.delete(connection);
        resolve();
      };
    });
    const connection: GateConnection = { closed, close: () => handle.close() };
    this.#connections.add(connection);
    return connection;
  }

  notifyChanged(what: "tools" | "resources" | "prompts" = "tools"): void {
    this.#watch();
    this.#handler.notify[`${what}Changed`]();
    const method = `notifications/${what}/list_changed` as const;
    // A client that is gone needs to know nothing.
    for (const server of this.#connected) server.notification({ method }).catch(() => {});
  }

  async end(matches: (caller: GateCaller) => boolean): Promise<void> {
    for (const { caller, ending } of this.#exchanges) if (matches(caller)) ending.abort();
    this.#parts.tasks?.end(matches);
    await this.#sessions.end(matches);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#parts.asked.close();
    await this.#answered();
    for (const unwatch of this.#watched.values()) unwatch();
    await Promise.all([
      this.#parts.tasks?.close(),
      this.#handler.close(),
      this.#sessions.close(),
      ...[...this.#connections].map((connection) => connection.close()),
    ]);
    for (const { ending } of this.#exchanges) ending.abort();
  }

  /** Waits until what has been found out has reached the clients. */
  async #answered(): Promise<void> {
    const end = performance.now() + answeredMs;
    const isAnswering = (): boolean =>
      this.#sessions.isAnswering || [...this.#exchanges].some(({ isStream }) => !isStream);
    while (isAnswering() && performance.now() < end) await sleep(10);
  }

  /** Answers a request of the newest revision. */
  async #exchange(given: Request, caller: GateCaller, body: unknown): Promise<Response> {
    const missing = this.#parts.tasks && missingTasksIn(body);
    if (missing !== undefined) return errorResponse(400, missing, { id: Object(body).id });
    const authInfo = authOf(caller, await this.#headerTool(body, caller));
    if (body === undefined) return this.#handler.fetch(given, { authInfo });
    const listen = listenIn(body);
    const exchange = { caller, ending: new AbortController(), isStream: listen !== undefined };
    const headers = caller.lenientHeaders === true ? headersAsBody(given.headers, body) : given.headers;
    const signal = AbortSignal.any([given.signal, exchange.ending.signal]);
    const request = new Request(given.url, { method: given.method, headers, signal });
    const opened = listen && (await this.#listening.open(listen, caller, () => {}));
    this.#exchanges.add(exchange);
    const end = (): void => {
      this.#exchanges.delete(exchange);
      opened?.end();
    };
    try {
      const parsedBody = opened === undefined ? body : { ...(body as JsonObject), ...opened.allowed };
      const response = await this.#handler.fetch(request, { authInfo, parsedBody });
      const { tasks } = opened ?? {};
      tasks?.begin((uri, params) => this.#handler.bus.publish({ kind: "resource_updated", uri, params }));
      return trackedResponse(response, end, tasks && ((piece) => tasks.event(piece)));
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The tool that a request calls, when its headers have to be compared with its arguments. */
  async #headerTool(body: unknown, { principal, lenientHeaders }: GateCaller): Promise<HeaderTool | undefined> {
    const { method, params } = Object(body) as { method?: unknown; params?: unknown };
    const { name } = Object(params) as { name?: unknown };
    if (method !== "tools/call" || typeof name !== "string" || lenientHeaders === true) return undefined;
    await this.#whenReady(principal);
    return this.#parts.face.headerTool({ principal, client: { name: "", version: "" } }, name);
  }

  /** Makes a server that lives on after a request. */
  #lasting(era: Era, caller: GateCaller, fixed?: GateCaller): Server {
    const server = gateServer(this.#parts, era, fixed);
    this.#connected.add(server);
    if (era === "legacy") this.#parts.logs.connect(server, caller);
    const { onclose } = server;
    server.onclose = () => {
      this.#connected.delete(server);
      this.#parts.logs.disconnect(server);
      onclose?.();
    };
    return server;
  }

  async #whenReady(principal: Principal): Promise<void> {
    this.#ready ??= settleWithin(Promise.all(this.#options.servers().map((server) => server.ready())), {
      ms: firstListMs,
    }).then(
      () => this.#watch(),
      () => {},
    );
    await this.#ready;
    const own = this.#options.servers().filter(({ views }) => views !== undefined);
    await Promise.all(own.map(({ views }) => views?.ready(principal)));
    for (const { views } of own) if (views) this.#watchView(views.of(principal), principalKey({ principal }));
  }

  /** Passes on what a server tells one caller. */
  #watchView(view: ServerView, principal: string): void {
    const { client } = view;
    const before = this.#watchedViews.get(client);
    if (before?.view === view) return;
    before?.end();
    this.#watchedViews.set(client, { view, end: this.#listen(view, principal) });
  }

  /** Listens to what one connection tells. `principal`: whose it is, where each has one. */
  #listen(view: ServerView, principal?: string): () => void {
    const { subscriptions, logs } = this.#parts;
    const ends = [
      view.client.onToolsChanged(() => subscriptions.renew(view)),
      view.client.onNotification((method, params) => {
        if (method === "notifications/message") logs.pass(view.name, params, principal);
        if (method === "notifications/resources/list_changed") this.notifyChanged("resources");
        if (method === "notifications/prompts/list_changed") this.notifyChanged("prompts");
        if (method !== "notifications/resources/updated") return;
        subscriptions.updated(view, params);
        this.#handler.bus.publish({ kind: "resource_updated", uri: String(params.uri), params });
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Listens to servers that are new. */
  #watch(): void {
    for (const server of this.#options.servers()) {
      if (this.#watched.has(server)) continue;
      const unwatch = server.onChange(() => this.notifyChanged("tools"));
      // What a connection that is nobody's hears concerns nobody.
      const end = server.views === undefined ? this.#listen(server) : () => {};
      this.#watched.set(server, () => {
        unwatch();
        end();
      });
    }
  }
}
