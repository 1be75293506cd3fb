import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Face } from "../faces/face.ts";
import { ExactServer } from "./exact-server.ts";
import { checkServeOptions, type GateCaller, type ServeMcpOptions } from "./options.ts";
import { bodyOf, headersAsBody } from "./request-body.ts";
import { requestStates } from "./request-state.ts";
import { Sessions } from "./sessions.ts";
import { callerOf, type Era, type Incoming, ToolRequests } from "./tool-requests.ts";
import { errorResponse, trackedResponse } from "./tracked-response.ts";

/** A connection that is served. */
export interface GateConnection {
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves tools to MCP clients. Made by {@link serveMcp}. */
export interface McpGate {
  /** Sessions of the revisions before 2026-07-28 that are open over HTTP. */
  readonly sessions: number;
  /** How tools are shown; decided once. */
  readonly face: "tools" | "search";
  /**
   * Answers a request of Streamable HTTP, in every revision. Host, Origin and token have been looked at; `body` is what was parsed of the
   * body, when it has been read. Never rejects.
   */
  fetch(request: Request, caller: GateCaller, body?: unknown): Promise<Response>;
  /** Serves one client over a transport that is not started yet, as a pipe is, in every revision. */
  connect(transport: Transport, caller: GateCaller): GateConnection;
  /** Tells all clients that their list may have changed. */
  notifyChanged(what?: "tools" | "resources" | "prompts"): void;
  /** Ends the sessions and streams of such callers: those whose token was revoked. */
  end(matches: (caller: GateCaller) => boolean): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** Milliseconds that a client of 2026-07-28 may keep a list. */
const ttlMs = 60_000;
const cacheHint = { ttlMs, cacheScope: "private" as const };
/** The revision that is begun without a session. */
const newest = "2026-07-28";

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
  readonly #face: Face;
  readonly #requests: ToolRequests;
  readonly #states: ReturnType<typeof requestStates>;
  readonly #sessions: Sessions;
  readonly #handler: McpHttpHandler;
  /** Servers that can send a notification on their own: those of sessions and pipes. */
  readonly #connected = new Set<ExactServer>();
  readonly #connections = new Set<GateConnection>();
  /** Exchanges of the newest revision that have not ended. */
  readonly #exchanges = new Set<{ caller: GateCaller; ending: AbortController }>();
  readonly #onError: (error: Error) => void;
  #closed = false;

  constructor(options: ServeMcpOptions) {
    this.#options = options;
    this.#onError = (error) => options.onError?.(error);
    this.#face = new Face({ face: options.face ?? "auto", servers: options.servers, visible: options.visible });
    this.#states = requestStates(options.requestSecret, callerIn);
    this.#requests = new ToolRequests(this.#face, options.calls, this.#states);
    this.#sessions = new Sessions(options.limits, () => this.#makeServer("legacy"), this.#onError);
    this.#handler = createMcpHandler(() => this.#makeServer("modern"), { legacy: "reject", onerror: this.#onError });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get face(): "tools" | "search" {
    return this.#face.name;
  }

  async fetch(request: Request, caller: GateCaller, parsed?: unknown): Promise<Response> {
    if (this.#closed) return errorResponse(503, { code: -32000, message: "The gateway is closing." });
    try {
      const body = parsed ?? (await bodyOf(request));
      const authInfo = authOf(caller);
      if (!(await isLegacyRequest(request, body))) return await this.#exchange(request, caller, body, authInfo);
      return unknownRevision(request, body) ?? (await this.#sessions.fetch(request, caller, body, authInfo));
    } catch (error) {
      this.#onError(error as Error);
      return errorResponse(500, { code: -32603, message: "Internal server error" });
    }
  }

  connect(transport: Transport, caller: GateCaller): GateConnection {
    const handle = serveStdio(({ era }) => this.#makeServer(era, caller), { transport, onerror: this.#onError });
    const { onclose } = transport;
    const closed = new Promise<void>((resolve) => {
      transport.onclose = () => {
        onclose?.();
        this.#connections.delete(connection);
        resolve();
      };
    });
    const connection: GateConnection = { closed, close: () => handle.close() };
    this.#connections.add(connection);
    return connection;
  }

  notifyChanged(what: "tools" | "resources" | "prompts" = "tools"): void {
    this.#handler.notify[`${what}Changed`]();
    const method = `notifications/${what}/list_changed` as const;
    for (const server of this.#connected) server.notification({ method }).catch(() => {});
  }

  async end(matches: (caller: GateCaller) => boolean): Promise<void> {
    for (const { caller, ending } of this.#exchanges) if (matches(caller)) ending.abort();
    await this.#sessions.end(matches);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#requests.close();
    await Promise.all([
      this.#handler.close(),
      this.#sessions.end(() => true),
      ...[...this.#connections].map((connection) => connection.close()),
    ]);
    for (const { ending } of this.#exchanges) ending.abort();
  }

  /** Answers a request of the newest revision. */
  async #exchange(given: Request, caller: GateCaller, body: unknown, authInfo: AuthInfo): Promise<Response> {
    if (body === undefined) return this.#handler.fetch(given, { authInfo });
    const exchange = { caller, ending: new AbortController() };
    const { url, method } = given;
    const headers = caller.lenientHeaders === true ? headersAsBody(given.headers, body) : given.headers;
    const signal = AbortSignal.any([given.signal, exchange.ending.signal]);
    const request = new Request(url, { method, headers, signal });
    this.#exchanges.add(exchange);
    const end = (): void => void this.#exchanges.delete(exchange);
    try {
      return trackedResponse(await this.#handler.fetch(request, { authInfo, parsedBody: body }), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** `fixed`: the caller of every request, where there is but one. */
  #makeServer(era: Era, fixed?: GateCaller): ExactServer {
    const { ready, info } = this.#options;
    const { instructions, ...identity } = info;
    const server = new ExactServer(identity, {
      capabilities: { tools: { listChanged: true } },
      ...(instructions !== undefined && { instructions }),
      cacheHints: { "tools/list": cacheHint, "server/discover": cacheHint },
      requestState: { verify: (state, context) => this.#states.verify(state, withCaller(context, fixed)) },
    });
    const incoming = (context: ServerContext): Incoming => {
      const known = withCaller(context, fixed);
      return { server, era, context: known, caller: callerIn(known) };
    };
    server.setRequestHandler("tools/list", async (_request, context) => {
      await ready?.();
      return { tools: this.#face.list(callerOf(incoming(context))) as never };
    });
    server.setRequestHandler("tools/call", ({ params }, context) => this.#requests.answer(params, incoming(context)));
    server.onerror = this.#onError;
    // What lives for one request gets its notifications by a stream of their own.
    const lasts = era === "legacy" || fixed !== undefined;
    if (lasts) {
      this.#connected.add(server);
      server.onclose = () => void this.#connected.delete(server);
    }
    return server;
  }
}

function authOf(caller: GateCaller): AuthInfo {
  return { token: "", clientId: caller.principal.id, scopes: [], extra: { caller } };
}

function callerIn({ http }: ServerContext): GateCaller {
  return http?.authInfo?.extra?.caller as GateCaller;
}

function withCaller(context: ServerContext, fixed: GateCaller | undefined): ServerContext {
  return fixed === undefined ? context : { ...context, http: { authInfo: authOf(fixed) } };
}

/** Refuses a revision that a header names and nobody here speaks. What `initialize` offers is bargained about. */
function unknownRevision(request: Request, body: unknown): Response | undefined {
  const requested = request.headers.get("mcp-protocol-version");
  if (requested === null || SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) return undefined;
  const { id, method } = Object(body) as { id?: unknown; method?: unknown };
  if (method === "initialize") return undefined;
  const data = { supported: [newest, ...SUPPORTED_PROTOCOL_VERSIONS], requested };
  return errorResponse(400, { code: -32022, message: `Unsupported protocol version: ${requested}`, data }, { id });
}
