import { randomBytes } from "node:crypto";
import {
  type AuthInfo,
  type McpHandlerRequestOptions,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { inBackground } from "@toolglot/internal";
import { principalKey } from "../principal-key.ts";
import type { GateCaller, SessionLimits } from "./options.ts";
import { SessionMail } from "./session-mail.ts";
import { SessionRecords, type SessionStore } from "./session-records.ts";
import { errorResponse, trackedResponse } from "./tracked-response.ts";

const defaults: Required<SessionLimits> = { sessions: 1_000, sessionsPerPrincipal: 50, sessionIdleMs: 1_800_000 };
/** Bytes: 128 bits. */
const idBytes = 16;
/** Milliseconds for which a session that another process may have ended is taken as open. */
const trustMs = 2_000;

interface Session {
  id: string;
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  principal: string;
  /** Those who used it, by what they came in by. */
  callers: Map<string | undefined, GateCaller>;
  /** Responses that have not ended, and those of them that answer a request. */
  open: number;
  answering: number;
  /** Ends the session when it is idle, or marks for others that it is in use. */
  timer: ReturnType<typeof setTimeout> | undefined;
  mail: SessionMail | undefined;
  /** When its record was last read, by `performance.now()`. */
  readAt: number;
}

const idForm = /^[0-9a-f]{32}$/;
const unknownSession = { code: -32001, message: "Session not found" };

/** What sessions need of the gate. */
export interface SessionParts {
  limits: SessionLimits | undefined;
  /** Keeps sessions for all processes that share it. Without, a session is known to this process alone. */
  store: SessionStore | undefined;
  makeServer(caller: GateCaller): Server;
  onError(error: Error): void;
}

/** Sessions over HTTP of the revisions before 2026-07-28, each of which only its principal can use. */
export class Sessions {
  readonly #parts: SessionParts;
  readonly #limits: Required<SessionLimits>;
  readonly #records: SessionRecords | undefined;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, Session>();
  readonly #resuming = new Map<string, Promise<Session | Response | undefined>>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#limits = { ...defaults, ...parts.limits };
    this.#records = parts.store && new SessionRecords(parts.store, this.#limits.sessionIdleMs);
  }

  get size(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, caller: GateCaller, body: unknown, authInfo: AuthInfo): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const found = id === null ? undefined : await this.#find(id, caller, authInfo);
    if (found instanceof Response) return found;
    const options = { authInfo, ...(body !== undefined && { parsedBody: body }) };
    if (found !== undefined) return this.#use(found, request, caller, options);
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

  /** Whether a request of a client has no whole answer yet. */
  get isAnswering(): boolean {
    return [...this.#sessions.values()].some(({ answering }) => answering > 0);
  }

  /** Ends what this process has of all sessions; others go on with them. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.#leave(session)));
  }

  /** Finds a session of the caller: also one that another process began. */
  async #find(id: string, caller: GateCaller, authInfo: AuthInfo): Promise<Session | Response | undefined> {
    const known = this.#sessions.get(id);
    const records = this.#records;
    if (known !== undefined) {
      if (known.principal !== principalKey(caller)) return undefined;
      if (records === undefined || performance.now() - known.readAt < trustMs) return known;
      known.readAt = performance.now();
      // While the store can't serve, what is known here goes on.
      const isOpen = await records.use(id).catch(() => "perhaps" as const);
      if (isOpen !== undefined) return known;
      await this.#leave(known);
      return undefined;
    }
    if (records === undefined || !idForm.test(id)) return undefined;
    const resuming =
      this.#resuming.get(id) ?? this.#resume(records, id, caller, authInfo).finally(() => this.#resuming.delete(id));
    this.#resuming.set(id, resuming);
    const found = await resuming;
    return found === undefined || found instanceof Response || found.principal === principalKey(caller)
      ? found
      : undefined;
  }

  /** Takes up a session that another process began: its server hears again what the client said of itself. */
  async #resume(
    records: SessionRecords,
    id: string,
    caller: GateCaller,
    authInfo: AuthInfo,
  ): Promise<Session | Response | undefined> {
    const record = await records.use(id);
    const principal = principalKey(caller);
    if (record?.owner !== principal) return undefined;
    const full = this.#makeRoom(principal);
    if (full !== undefined) return full;
    let session: Session | undefined;
    const begin = (server: Server, transport: Session["transport"]): void => {
      session = this.#begin(id, server, transport, principal);
    };
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = new Request("http://session.invalid/", { method: "POST", headers });
    const parsedBody = { jsonrpc: "2.0", id: `resume-${id}`, method: "initialize", params: record.initialize };
    const response = await this.#connect(id, caller, request, { authInfo, parsedBody }, begin);
    await response.text();
    return session;
  }

  async #open(request: Request, caller: GateCaller, options: McpHandlerRequestOptions): Promise<Response> {
    const principal = principalKey(caller);
    const full = this.#makeRoom(principal);
    if (full !== undefined) return full;
    const id = randomBytes(idBytes).toString("hex");
    let session: Session | undefined;
    const { params = {} } = Object([options.parsedBody].flat()[0]) as { params?: JsonObject };
    const response = await this.#connect(id, caller, request, options, async (server, transport) => {
      session = this.#begin(id, server, transport, principal);
      // Where this fails, the session is of this process alone.
      await this.#records?.create(id, { owner: principal, initialize: params }).catch(this.#parts.onError);
    });
    return session === undefined ? response : this.#held(session, caller, response, true);
  }

  /** Has a new server answer `initialize`; `begin` is called when it takes it. */
  async #connect(
    id: string,
    caller: GateCaller,
    request: Request,
    options: McpHandlerRequestOptions,
    begin: (server: Server, transport: Session["transport"]) => void | Promise<void>,
  ): Promise<Response> {
    const server = this.#parts.makeServer(caller);
    let hasBegun = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: async () => {
        hasBegun = true;
        await begin(server, transport);
      },
      // The client has ended it.
      onsessionclosed: () => this.#drop(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, options);
    // Refused before there was a session.
    if (!hasBegun) await server.close();
    return response;
  }

  #begin(id: string, server: Server, transport: Session["transport"], principal: string): Session {
    const { store, onError } = this.#parts;
    const mail = store && new SessionMail(store, id, onError);
    const callers: Session["callers"] = new Map();
    const readAt = performance.now();
    const session: Session = {
      ...{ id, server, transport, principal, callers, open: 0, answering: 0, timer: undefined, mail, readAt },
    };
    mail?.connect(transport);
    this.#sessions.set(id, session);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#forget(session);
      onclose?.();
    };
    return session;
  }

  async #use(
    session: Session,
    request: Request,
    caller: GateCaller,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    clearTimeout(session.timer);
    const response = await session.transport.handleRequest(request, options);
    return this.#held(session, caller, response, request.method === "POST");
  }

  /** Counts a response as use of its session until it has ended. */
  #held(session: Session, caller: GateCaller, response: Response, isAnswer: boolean): Response {
    session.callers.set(caller.credential, caller);
    session.open += 1;
    if (isAnswer) session.answering += 1;
    this.#tellUse(session);
    return trackedResponse(response, () => {
      session.open -= 1;
      if (isAnswer) session.answering -= 1;
      if (session.open > 0 || !this.#sessions.delete(session.id)) return;
      this.#sessions.set(session.id, session);
      clearTimeout(session.timer);
      session.timer = inBackground(() => void this.#leave(session), this.#limits.sessionIdleMs);
    });
  }

  /** A stream that stays open is use, of which only this process knows. */
  #tellUse(session: Session): void {
    clearTimeout(session.timer);
    const records = this.#records;
    if (records === undefined || !this.#sessions.has(session.id)) return;
    session.timer = inBackground(() => {
      records.use(session.id).catch(this.#parts.onError);
      this.#tellUse(session);
    }, this.#limits.sessionIdleMs / 4);
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
      // It may be in use at another process.
      void this.#leave(idle);
      return undefined;
    }
    return undefined;
  }

  /** Ends a session for every process. */
  async #end(session: Session): Promise<void> {
    await Promise.all([this.#leave(session), this.#drop(session.id, session.mail)]);
  }

  /** Ends what this process has of a session. */
  async #leave(session: Session): Promise<void> {
    this.#forget(session);
    await session.server.close().catch(this.#parts.onError);
  }

  async #drop(id: string, mail = this.#sessions.get(id)?.mail): Promise<void> {
    const { onError } = this.#parts;
    await Promise.all([this.#records?.delete(id).catch(onError), mail?.clear().catch(onError)]);
  }

  #forget(session: Session): void {
    clearTimeout(session.timer);
    session.mail?.close();
    this.#sessions.delete(session.id);
  }
}

function isInitialize(body: unknown): boolean {
  return [body].flat().some((one) => (Object(one) as { method?: unknown }).method === "initialize");
}
