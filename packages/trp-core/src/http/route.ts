import { isThenable } from "@toolglot/internal";
import { isPrincipal } from "../identity/principal.ts";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import { FrameAnswers } from "../transport/frame-answers.ts";
import { readTransportLimits } from "../transport/limits.ts";
import { type DecodeUtf8, decodeUtf8, readMessage } from "../transport/read-message.ts";
import { approvalRoutes, type Found } from "./approvals-api.ts";
import {
  errorReply,
  frameAnswer,
  hostName,
  isJsonType,
  isSameOrigin,
  jsonReply,
  nackReply,
  traceHeaders,
  wantsEventStream,
} from "./messages.ts";
import { metricsReply } from "./metrics-page.ts";
import type { BodyWanted, HttpHead, HttpOptions, HttpReply, MetricsPage } from "./types.ts";

const framePath = "/trp/frame";

type Replied = HttpReply | Promise<HttpReply>;

/** The shared core of the HTTP faces: from a request's head and body to an answer. */
export class HttpRoutes {
  /** Of all connections. Once it is closed, new requests are refused (503). */
  readonly answers: FrameAnswers;
  readonly metrics: MetricsPage | undefined;
  readonly #router: Router;
  readonly #authenticate: HttpOptions["authenticate"];
  readonly #heartbeatMs: number;
  readonly #decode: DecodeUtf8;
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;
  /** The latest `Host` header that was served: mostly it is the same one again. */
  #lastServed: string | undefined;
  #upgradePath: string | undefined;

  /** Throws `TypeError` for invalid options. */
  constructor(what: string, router: Router, options: HttpOptions, decode: DecodeUtf8 = decodeUtf8) {
    const { authenticate, heartbeatMs = 15_000, metrics, limits, allowedHosts, allowedOrigins = [] } = options;
    if (typeof router?.handle !== "function") throw new TypeError("router must be a Router, as createRouter makes it");
    if (typeof authenticate !== "function") {
      throw new TypeError(
        "authenticate must be a function that says who calls: (authorization) => principal or undefined",
      );
    }
    this.#router = router;
    this.#authenticate = authenticate;
    this.#heartbeatMs = heartbeatMs;
    this.#decode = decode;
    this.metrics = metrics;
    const read = readTransportLimits(what, limits, router);
    this.answers = new FrameAnswers(router, read, limits?.framesInFlight ?? 1_024, metrics);
    this.#hosts = allowedHosts && new Set(allowedHosts.map((name) => name.toLowerCase()));
    this.#origins = new Set(allowedOrigins);
  }

  /** Returns who wants to open a connection that is no longer HTTP, or why they may not. Never throws. */
  enter(head: HttpHead): HttpReply | Principal | Promise<HttpReply | Principal> {
    // Refused in frames, whatever the path: that is what will be spoken.
    const refused =
      this.#checkHost(framePath, head) ?? this.#checkOrigin(framePath, head) ?? this.#checkOpen(framePath);
    return refused ?? this.#identify(framePath, head);
  }

  /** Marks the path of the WebSockets. A plain request to it is answered with 426 Upgrade Required. */
  upgradeAt(path: string): void {
    this.#upgradePath = path;
  }

  /** Answers at once, or asks for the body. Never throws. */
  begin(head: HttpHead): HttpReply | BodyWanted | Promise<HttpReply | BodyWanted> {
    const origin = head.header("origin");
    const cors = origin !== undefined && this.#origins.has(origin) ? corsHeaders(origin) : undefined;
    const reply = this.#begin(head);
    if (cors === undefined) return reply;
    return isThenable(reply) ? reply.then((late) => withHeaders(late, cors)) : withHeaders(reply, cors);
  }

  #begin(head: HttpHead): HttpReply | BodyWanted | Promise<HttpReply | BodyWanted> {
    const { path, query } = splitTarget(head.target);
    const misdirected = this.#checkHost(path, head);
    if (misdirected !== undefined) return misdirected;
    const found = this.#find(path);
    if (found === undefined && path === this.#upgradePath) return this.#upgradeRequired(path);
    if (found === undefined) return errorReply(404, "not-found", "There is nothing at this path.");
    const early = this.#byMethod(head.method, path, found);
    if (early !== undefined) return early;
    if (found.open !== undefined) return found.open();
    const refused = (found.method === "POST" ? this.#checkOrigin(path, head) : undefined) ?? this.#checkOpen(path);
    if (refused !== undefined) return refused;
    const proceed = (who: HttpReply | Principal): BodyWanted | Replied => {
      if ("status" in who) return who;
      return found.method === "GET" ? found.run(who, query, undefined) : this.#wantBody(head, path, found, who);
    };
    const who = this.#identify(path, head);
    return isThenable(who) ? who.then(proceed) : proceed(who);
  }

  /** Answers OPTIONS, and refuses a method that the path does not take. */
  #byMethod(method: string, path: string, found: Found): HttpReply | undefined {
    const allow = found.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
    if (method === "OPTIONS") return { status: 204, headers: { allow }, body: "" };
    const isTaken = found.method === "GET" ? method === "GET" || method === "HEAD" : method === found.method;
    if (isTaken) return undefined;
    const message = `${path} takes ${allow}.`;
    if (path !== framePath) return errorReply(405, "method-not-allowed", message, { allow });
    const fix = "Send the frame with POST.";
    return nackReply(405, "TRP_2000", message, { fix, now: this.#router.store.now(), headers: { allow } });
  }

  #refuse(path: string, status: number, [code, jsonCode]: CodePair, message: string, fix?: string): HttpReply {
    const headers: Record<string, string> = status === 401 ? { "www-authenticate": "Bearer" } : {};
    if (path !== framePath) return errorReply(status, jsonCode, message, headers);
    this.metrics?.refused?.(code);
    const now = this.#router.store.now();
    return nackReply(status, code, message, { ...(fix === undefined ? {} : { fix }), now, headers });
  }

  #isServed(host: string | undefined, served: ReadonlySet<string>): boolean {
    if (host !== undefined && host === this.#lastServed) return true;
    if (!served.has(hostName(host) ?? "")) return false;
    this.#lastServed = host;
    return true;
  }

  #checkHost(path: string, head: HttpHead): HttpReply | undefined {
    if (this.#hosts === undefined || this.#isServed(head.header("host"), this.#hosts)) return undefined;
    const fix = "Use the address the router is bound to.";
    return this.#refuse(path, 403, forbidden, "This host name is not served here.", fix);
  }

  #checkOrigin(path: string, head: HttpHead): HttpReply | undefined {
    const origin = head.header("origin");
    if (origin === undefined || this.#origins.has(origin) || isSameOrigin(origin, head.header("host")))
      return undefined;
    const fix = "Name the origin in allowedOrigins.";
    return this.#refuse(path, 403, forbidden, "Pages of this origin may not call.", fix);
  }

  #checkOpen(path: string): HttpReply | undefined {
    if (!this.answers.isClosing) return undefined;
    const fix = "Send the same frame again in a moment.";
    return this.#refuse(path, 503, ["TRP_5003", "closing"], "The server is shutting down.", fix);
  }

  #identify(path: string, head: HttpHead): HttpReply | Principal | Promise<HttpReply | Principal> {
    const unknown = (): HttpReply => this.#refuse(path, 500, internal, "Who calls could not be found out.");
    const proceed = (principal: Principal | undefined | null): HttpReply | Principal => {
      if (principal === undefined || principal === null) {
        const message = "The request does not say who calls.";
        return this.#refuse(path, 401, unauthenticated, message, "Send a valid bearer token.");
      }
      // Roles that are a text would include parts of it.
      return isPrincipal(principal) ? principal : unknown();
    };
    try {
      const authenticate = this.#authenticate;
      const who = authenticate(head.header("authorization"), head);
      return isThenable(who) ? who.then(proceed, unknown) : proceed(who);
    } catch {
      return unknown();
    }
  }

  /** RFC 9110, 15.5.22. */
  #upgradeRequired(path: string): HttpReply {
    const fix = `Open it as a WebSocket; frames over plain HTTP go to POST ${framePath}.`;
    const headers = { upgrade: "websocket", connection: "upgrade" };
    const now = this.#router.store.now();
    return nackReply(426, "TRP_2000", `${path} is a WebSocket.`, { fix, now, headers });
  }

  #find(path: string): Found | undefined {
    const { metrics } = this;
    if (path === framePath) return frameRoute;
    if (path === "/healthz") return { method: "GET", open: async () => jsonReply(200, { status: "ok" }), run: notRun };
    if (path === "/readyz") return { method: "GET", open: () => this.#ready(), run: notRun };
    if (path === "/metrics" && metrics !== undefined) {
      return { method: "GET", run: (who) => metricsReply(metrics, who) };
    }
    return approvalRoutes(this.#router, path);
  }

  async #ready(): Promise<HttpReply> {
    let reason: string | undefined = "shutting down";
    try {
      if (!this.answers.isClosing) reason = await this.#router.ready();
    } catch {
      reason = "the router could not say whether it is ready";
    }
    return reason === undefined ? jsonReply(200, { status: "ready" }) : jsonReply(503, { status: "unready", reason });
  }

  #wantBody(head: HttpHead, path: string, found: Found, principal: Principal): HttpReply | BodyWanted {
    const length = head.header("content-length");
    const type = head.header("content-type");
    const encoding = head.header("content-encoding");
    const { frameBytes: maxBytes } = this.answers.limits;
    const mayBeEmpty = path !== framePath && type === undefined && (length === undefined || length === "0");
    if (!mayBeEmpty && !isJsonType(type)) {
      const fix = "Send it with Content-Type: application/json.";
      return this.#refuse(path, 415, notJson, "The body must be JSON.", fix);
    }
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
      const fix = "Send it without Content-Encoding.";
      return this.#refuse(path, 415, notJson, "The body must not be compressed.", fix);
    }
    const tooLarge = (): HttpReply =>
      this.#refuse(path, 413, ["TRP_2008", "too-large"], `The body may have at most ${maxBytes} bytes.`);
    if (length !== undefined && Number(length) > maxBytes) return tooLarge();
    const trace = traceHeaders(head);
    const asStream = path === framePath && wantsEventStream(head.header("accept"));
    return {
      maxBytes,
      tooLarge,
      answer: async (bytes, sender) => {
        let body: unknown;
        if (bytes.length > 0 || path === framePath) {
          const { depth } = this.#router.limits;
          const read = readMessage(bytes, { what: "body", depth, decode: this.#decode });
          if ("fault" in read) return this.#refuse(path, 400, notFrame, read.fault.message, read.fault.fix);
          body = read.value;
        }
        if (path !== framePath) return found.run(principal, new URLSearchParams(), body);
        return frameAnswer(this.answers, body, principal, sender, trace, asStream ? this.#heartbeatMs : undefined);
      },
    };
  }
}

type CodePair = readonly [trp: Parameters<typeof nackReply>[1], json: string];
const forbidden: CodePair = ["TRP_4001", "forbidden"];
const unauthenticated: CodePair = ["TRP_4007", "unauthenticated"];
const internal: CodePair = ["TRP_5001", "internal"];
const notJson: CodePair = ["TRP_2000", "unsupported-media-type"];
const notFrame: CodePair = ["TRP_2000", "bad-request"];

const frameRoute: Found = { method: "POST", run: notRun };

/** For what is answered elsewhere. */
async function notRun(): Promise<HttpReply> {
  return errorReply(404, "not-found", "There is nothing at this path.");
}

function splitTarget(target: string): { path: string; query: URLSearchParams } {
  let rest = target;
  if (!target.startsWith("/")) {
    try {
      const { pathname, search } = new URL(target);
      rest = pathname + search;
    } catch {
      rest = "/*";
    }
  }
  const mark = rest.indexOf("?");
  if (mark < 0) return { path: rest, query: noQuery };
  return { path: rest.slice(0, mark), query: new URLSearchParams(rest.slice(mark)) };
}

const noQuery = new URLSearchParams();

function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "authorization, content-type, accept, traceparent, tracestate",
    "access-control-max-age": "600",
    vary: "origin",
  };
}

function withHeaders(reply: HttpReply | BodyWanted, headers: Record<string, string>): HttpReply | BodyWanted {
  if ("status" in reply) return { ...reply, headers: { ...reply.headers, ...headers } };
  return {
    ...reply,
    tooLarge: () => withHeaders(reply.tooLarge(), headers) as HttpReply,
    answer: async (body, sender) => withHeaders(await reply.answer(body, sender), headers) as HttpReply,
  };
}
