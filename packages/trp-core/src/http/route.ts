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

/** What both HTTP faces share: from a request's head and body to an answer. */
export interface HttpRoutes {
  /** Of all connections. Once it is closed, new requests are refused (503). */
  readonly answers: FrameAnswers;
  readonly metrics: MetricsPage | undefined;
  /** Answers at once, or asks for the body. Never throws. */
  begin(head: HttpHead): HttpReply | BodyWanted | Promise<HttpReply | BodyWanted>;
  /** Who wants to open a connection that is no longer HTTP, or why they may not. Never throws. */
  enter(head: HttpHead): HttpReply | Principal | Promise<HttpReply | Principal>;
  /** Marks the path of the WebSockets. A plain request to it is answered with 426 Upgrade Required. */
  upgradeAt(path: string): void;
}

const framePath = "/trp/frame";

/** The shared core of the HTTP faces. Throws `TypeError` for options that can't be. */
export function createRoutes(
  what: string,
  router: Router,
  options: HttpOptions,
  decode: DecodeUtf8 = decodeUtf8,
): HttpRoutes {
  const { authenticate, heartbeatMs = 15_000, metrics } = options;
  if (typeof router?.handle !== "function") throw new TypeError("router must be a Router, as createRouter makes it");
  if (typeof authenticate !== "function") {
    throw new TypeError(
      "authenticate must be a function that says who calls: (authorization) => principal or undefined",
    );
  }
  const limits = readTransportLimits(what, options.limits, router);
  const answers = new FrameAnswers(router, limits, options.limits?.framesInFlight ?? 1_024, metrics);
  const { frameBytes: maxBytes } = answers.limits;
  const hosts = options.allowedHosts && new Set(options.allowedHosts.map((name) => name.toLowerCase()));
  const origins = new Set(options.allowedOrigins ?? []);
  const now = (): number => router.store.now();

  const refuse = (
    path: string,
    status: number,
    [code, jsonCode]: CodePair,
    message: string,
    fix?: string,
  ): HttpReply => {
    const headers: Record<string, string> = status === 401 ? { "www-authenticate": "Bearer" } : {};
    if (path !== framePath) return errorReply(status, jsonCode, message, headers);
    metrics?.refused?.(code);
    return nackReply(status, code, message, { ...(fix === undefined ? {} : { fix }), now: now(), headers });
  };

  /** Mostly it is the same one again. */
  let lastServed: string | undefined;
  let upgradePath: string | undefined;

  return {
    answers,
    metrics,
    enter(head) {
      // Refused in frames, whatever the path: that is what will be spoken.
      const refused = checkHost(framePath, head) ?? checkOrigin(framePath, head) ?? checkOpen(framePath);
      return refused ?? identify(framePath, head);
    },
    upgradeAt(path) {
      upgradePath = path;
    },
    begin(head) {
      const origin = head.header("origin");
      const cors = origin !== undefined && origins.has(origin) ? corsHeaders(origin) : undefined;
      const reply = begin(head);
      if (cors === undefined) return reply;
      return isThenable(reply) ? reply.then((late) => withHeaders(late, cors)) : withHeaders(reply, cors);
    },
  };

  function isServed(host: string | undefined, served: ReadonlySet<string>): boolean {
    if (host !== undefined && host === lastServed) return true;
    if (!served.has(hostName(host) ?? "")) return false;
    lastServed = host;
    return true;
  }

  function checkHost(path: string, head: HttpHead): HttpReply | undefined {
    if (hosts === undefined || isServed(head.header("host"), hosts)) return undefined;
    const fix = "Use the address the router is bound to.";
    return refuse(path, 403, forbidden, "This host name is not served here.", fix);
  }

  function checkOrigin(path: string, head: HttpHead): HttpReply | undefined {
    const origin = head.header("origin");
    if (origin === undefined || origins.has(origin) || isSameOrigin(origin, head.header("host"))) return undefined;
    return refuse(path, 403, forbidden, "Pages of this origin may not call.", "Name the origin in allowedOrigins.");
  }

  function checkOpen(path: string): HttpReply | undefined {
    if (!answers.isClosing) return undefined;
    const fix = "Send the same frame again in a moment.";
    return refuse(path, 503, ["TRP_5003", "closing"], "The server is shutting down.", fix);
  }

  function identify(path: string, head: HttpHead): HttpReply | Principal | Promise<HttpReply | Principal> {
    const unknown = (): HttpReply => refuse(path, 500, internal, "Who calls could not be found out.");
    const proceed = (principal: Principal | undefined | null): HttpReply | Principal => {
      if (principal === undefined || principal === null) {
        return refuse(path, 401, unauthenticated, "The request does not say who calls.", "Send a valid bearer token.");
      }
      // Roles that are a text would include parts of it.
      return isPrincipal(principal) ? principal : unknown();
    };
    try {
      const who = authenticate(head.header("authorization"), head);
      return isThenable(who) ? who.then(proceed, unknown) : proceed(who);
    } catch {
      return unknown();
    }
  }

  function begin(head: HttpHead): HttpReply | BodyWanted | Promise<HttpReply | BodyWanted> {
    const { path, query } = splitTarget(head.target);
    const { method } = head;
    const misdirected = checkHost(path, head);
    if (misdirected !== undefined) return misdirected;
    const found = find(path);
    if (found === undefined && path === upgradePath) return upgradeRequired(path);
    if (found === undefined) return errorReply(404, "not-found", "There is nothing at this path.");
    const allow = found.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
    if (method === "OPTIONS") return { status: 204, headers: { allow }, body: "" };
    const isRead = method === "GET" || method === "HEAD";
    if (found.method === "GET" ? !isRead : method !== found.method) {
      const message = `${path} takes ${allow}.`;
      if (path !== framePath) return errorReply(405, "method-not-allowed", message, { allow });
      return nackReply(405, "TRP_2000", message, { fix: "Send the frame with POST.", now: now(), headers: { allow } });
    }
    if (found.open !== undefined) return found.open();
    const refused = (found.method === "POST" ? checkOrigin(path, head) : undefined) ?? checkOpen(path);
    if (refused !== undefined) return refused;
    const proceed = (who: HttpReply | Principal): HttpReply | BodyWanted | Promise<HttpReply> => {
      if ("status" in who) return who;
      return found.method === "GET" ? found.run(who, query, undefined) : wantBody(head, path, found, who);
    };
    const who = identify(path, head);
    return isThenable(who) ? who.then(proceed) : proceed(who);
  }

  /** RFC 9110, 15.5.22. */
  function upgradeRequired(path: string): HttpReply {
    const fix = `Open it as a WebSocket; frames over plain HTTP go to POST ${framePath}.`;
    const headers = { upgrade: "websocket", connection: "upgrade" };
    return nackReply(426, "TRP_2000", `${path} is a WebSocket.`, { fix, now: now(), headers });
  }

  function find(path: string): Found | undefined {
    if (path === framePath) return frameRoute;
    if (path === "/healthz") return { method: "GET", open: async () => jsonReply(200, { status: "ok" }), run: notRun };
    if (path === "/readyz") return { method: "GET", open: ready, run: notRun };
    if (path === "/metrics" && metrics !== undefined) {
      return { method: "GET", run: (who) => metricsReply(metrics, who) };
    }
    return approvalRoutes(router, path);
  }

  async function ready(): Promise<HttpReply> {
    let reason: string | undefined = "shutting down";
    try {
      if (!answers.isClosing) reason = await router.ready();
    } catch {
      reason = "the router could not say whether it is ready";
    }
    return reason === undefined ? jsonReply(200, { status: "ready" }) : jsonReply(503, { status: "unready", reason });
  }

  function wantBody(head: HttpHead, path: string, found: Found, principal: Principal): HttpReply | BodyWanted {
    const length = head.header("content-length");
    const type = head.header("content-type");
    const encoding = head.header("content-encoding");
    const mayBeEmpty = path !== framePath && type === undefined && (length === undefined || length === "0");
    if (!mayBeEmpty && !isJsonType(type)) {
      return refuse(path, 415, notJson, "The body must be JSON.", "Send it with Content-Type: application/json.");
    }
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
      return refuse(path, 415, notJson, "The body must not be compressed.", "Send it without Content-Encoding.");
    }
    const tooLarge = (): HttpReply =>
      refuse(path, 413, ["TRP_2008", "too-large"], `The body may have at most ${maxBytes} bytes.`);
    if (length !== undefined && Number(length) > maxBytes) return tooLarge();
    const trace = traceHeaders(head);
    const asStream = path === framePath && wantsEventStream(head.header("accept"));
    return {
      maxBytes,
      tooLarge,
      async answer(bytes, sender) {
        let body: unknown;
        if (bytes.length > 0 || path === framePath) {
          const read = readMessage(bytes, { what: "body", depth: router.limits.depth, decode });
          if ("fault" in read) return refuse(path, 400, notFrame, read.fault.message, read.fault.fix);
          body = read.value;
        }
        if (path !== framePath) return found.run(principal, new URLSearchParams(), body);
        return frameAnswer(answers, body, principal, sender, trace, asStream ? heartbeatMs : undefined);
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
