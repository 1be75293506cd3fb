import { randomBytes } from "node:crypto";
import {
  type AuthInfo,
  type McpHandlerRequestOptions,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { inBackground } from "@toolglot/internal";
import type { GateCaller, SessionLimits } from "./options.ts";
import { principalKey } from "./principal-key.ts";
import { errorResponse, trackedResponse } from "./tracked-response.ts";

const defaults: Required<SessionLimits> = { sessions: 1_000, sessionsPerPrincipal: 50, sessionIdleMs: 1_800_000 };
/** Bytes: 128 bits. */
const idBytes = 16;

interface Session {
  id: string;
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  principal: string;
  /** Those who used it, by what they came in by. */
  callers: Map<string | undefined, GateCaller>;
  /** Responses that have not ended. */
  open: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

const unknownSession = { code: -32001, message: "Session not found" };

/** Sessions over HTTP of the revisions before 2026-07-28, each of which only its principal can use. */
export class Sessions {
  readonly #limits: Required<SessionLimits>;
  readonly #makeServer: (caller: GateCaller) => Server;
  readonly #onError: (error: Error) => void;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, Session>();

  constructor(
    limits: SessionLimits | undefined,
    makeServer: (caller: GateCaller) => Server,
    onError: (error: Error) => void,
  ) {
    this.#limits = { ...defaults, ...limits };
    this.#makeServer = makeServer;
    this.#onError = onError;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, caller: GateCaller, body: unknown, authInfo: AuthInfo): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : this.#sessions.get(id);
    const session = known?.principal === principalKey(caller) ? known : undefined;
    const options = { authInfo, ...(body !== undefined && { parsedBody: body }) };
    if (session !== undefined) return this.#use(session, request, caller, options);
    if (request.method === "POST" && isInitialize(body)) return this.#open(request, caller, options);
    const requestId = (Object(body) as { id?: unknown }).id;
    if (id !== null) return errorResponse(404, unknownSession, { id: requestId });
    if (request.method === "GET") {
      const message = "Method not allowed: a stream of events belongs to a session.";
      return errorResponse(405, { code: -32000, message }, { headers: { allow: "POST" } });
    }
    const message = "Bad Request: Mcp-Session-Id header is required, or initialize first.";
    return errorResponse(400, { code: -32000, message }, { id: requestId });
  }

  /** Ends the sessions of which a caller is such a one. */
  async end(matches: (caller: GateCaller) => boolean): Promise<void> {
    const ended = [...this.#sessions.values()].filter(({ callers }) => [...callers.values()].some(matches));
    await Promise.all(ended.map((session) => this.#end(session)));
  }

  async #open(request: Request, caller: GateCaller, options: McpHandlerRequestOptions): Promise<Response> {
    const principal = principalKey(caller);
    const full = this.#makeRoom(principal);
    if (full !== undefined) return full;
    const server = this.#makeServer(caller);
    let session: Session | undefined;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(idBytes).toString("hex"),
      onsessioninitialized: (id) => {
        session = { id, server, transport, principal, callers: new Map(), open: 0, idle: undefined };
        this.#sessions.set(id, session);
      },
    });
    await server.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      if (session !== undefined) this.#forget(session);
      onclose?.();
    };
    const response = await transport.handleRequest(request, options);
    // Refused before there was a session.
    if (session === undefined) {
      await server.close();
      return response;
    }
    return this.#held(session, caller, response);
  }

  async #use(
    session: Session,
    request: Request,
    caller: GateCaller,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    clearTimeout(session.idle);
    const response = await session.transport.handleRequest(request, options);
    return this.#held(session, caller, response);
  }

  /** Counts a response as use of its session until it has ended. */
  #held(session: Session, caller: GateCaller, response: Response): Response {
    session.callers.set(caller.credential, caller);
    session.open += 1;
    clearTimeout(session.idle);
    return trackedResponse(response, () => {
      session.open -= 1;
      if (session.open > 0 || !this.#sessions.delete(session.id)) return;
      this.#sessions.set(session.id, session);
      session.idle = inBackground(() => void this.#end(session), this.#limits.sessionIdleMs);
    });
  }

  /** Ends the session that was idle longest where there are too many. Returns the refusal where all are in use. */
  #makeRoom(principal: string): Response | undefined {
    const all = [...this.#sessions.values()];
    const own = all.filter((one) => one.principal === principal);
    for (const [among, most, status] of [
      [own, this.#limits.sessionsPerPrincipal, 429],
      [all, this.#limits.sessions, 503],
    ] as const) {
      if (among.length < most) continue;
      const idle = among.find(({ open }) => open === 0);
      if (idle === undefined) {
        const message = `Too many sessions are in use: ${most}. End one, or try again later.`;
        return errorResponse(status, { code: -32000, message }, { headers: { "retry-after": "60" } });
      }
      void this.#end(idle);
      return undefined;
    }
    return undefined;
  }

  async #end(session: Session): Promise<void> {
    this.#forget(session);
    await session.server.close().catch(this.#onError);
  }

  #forget(session: Session): void {
    clearTimeout(session.idle);
    this.#sessions.delete(session.id);
  }
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some((one) => (Object(one) as { method?: unknown }).method === "initialize");
}
