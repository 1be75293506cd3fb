import { checkKeys, isThenable } from "@toolglot/internal";
import { isPrincipal } from "../identity/principal.ts";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import { approvalRoutes, type Found } from "./approvals-api.ts";
import { frameAnswer } from "./frame-answer.ts";
import { hostName, isJsonType, isSameOrigin, wantsEventStream } from "./headers.ts";
import { isNestedDeeper } from "./nesting.ts";
import { errorReply, jsonReply, nackReply } from "./reply.ts";
import type { BodyWanted, HttpHead, HttpOptions, HttpReply } from "./types.ts";

/** Reads bytes as UTF-8; undefined when they aren't. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined;

/** What both HTTP faces share: from a request's head and body to an answer. */
export interface HttpRoutes {
  /** While true, new requests are refused (503). */
  closing: boolean;
  /** Answers at once, or asks for the body. Never throws. */
  begin(head: HttpHead): HttpReply | BodyWanted | Promise<HttpReply | BodyWanted>;
}

const framePath = "/trp/frame";
/** Bytes of a body whose nesting is not looked at before it is parsed. */
const freelyParsed = 65_536;
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads UTF-8 with what every runtime has. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The shared core of the HTTP faces. Throws `TypeError` for options that can't be. */
export function createRoutes(router: Router, options: HttpOptions, decode: DecodeUtf8 = decodeUtf8): HttpRoutes {
  const { authenticate, heartbeatMs = 15_000 } = options;
  if (typeof router?.handle !== "function") throw new TypeError("router must be a Router, as createRouter makes it");
  if (typeof authenticate !== "function") {
    throw new TypeError(
      "authenticate must be a function that says who calls: (authorization) => principal or undefined",
    );
  }
  checkKeys("limits", options.limits, "bodyBytes");
  const maxBytes = options.limits?.bodyBytes ?? router.limits.frameBytes;
  if (!(Number.isInteger(maxBytes) && maxBytes > 0)) {
    throw new TypeError(`limits.bodyBytes must be a whole number from 1, not ${maxBytes}`);
  }
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
    return nackReply(status, code, message, { ...(fix === undefined ? {} : { fix }), now: now(), headers });
  };

  const routes: HttpRoutes = {
    closing: false,
    begin(head) {
      const origin = head.header("origin");
      const cors = origin !== undefined && origins.has(origin) ? corsHeaders(origin) : undefined;
      const reply = begin(head, origin, cors !== undefined);
      if (cors === undefined) return reply;
      return isThenable(reply) ? reply.then((late) => withHeaders(late, cors)) : withHeaders(reply, cors);
    },
  };

  /** Mostly it is the same one again. */
  let lastServed: string | undefined;
  function isServed(host: string | undefined, served: ReadonlySet<string>): boolean {
    if (host !== undefined && host === lastServed) return true;
    if (!served.has(hostName(host) ?? "")) return false;
    lastServed = host;
    return true;
  }

  function begin(
    head: HttpHead,
    origin: string | undefined,
    trusted: boolean,
  ): HttpReply | BodyWanted | Promise<HttpReply | BodyWanted> {
    const { path, query } = splitTarget(head.target);
    const { method } = head;
    if (hosts !== undefined && !isServed(head.header("host"), hosts)) {
      return refuse(
        path,
        403,
        forbidden,
        "This host name is not served here.",
        "Use the address the router is bound to.",
      );
    }
    const found = find(path);
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
    if (found.method === "POST" && origin !== undefined && !trusted && !isSameOrigin(origin, head.header("host"))) {
      return refuse(path, 403, forbidden, "Pages of this origin may not call.", "Name the origin in allowedOrigins.");
    }
    if (routes.closing) {
      return refuse(
        path,
        503,
        ["TRP_5003", "closing"],
        "The server is shutting down.",
        "Send the same frame again in a moment.",
      );
    }
    const proceed = (principal: Principal | undefined | null): HttpReply | BodyWanted | Promise<HttpReply> => {
      if (principal === undefined || principal === null) {
        return refuse(path, 401, unauthenticated, "The request does not say who calls.", "Send a valid bearer token.");
      }
      // Roles that are a text would include parts of it.
      if (!isPrincipal(principal)) return refuse(path, 500, internal, "Who calls could not be found out.");
      if (found.method === "GET") return found.run(principal, query, undefined);
      return wantBody(head, path, found, principal);
    };
    let who: ReturnType<typeof authenticate>;
    try {
      who = authenticate(head.header("authorization"), head);
    } catch {
      return refuse(path, 500, internal, "Who calls could not be found out.");
    }
    if (!isThenable(who)) return proceed(who);
    return who.then(proceed, () => refuse(path, 500, internal, "Who calls could not be found out."));
  }

  function find(path: string): Found | undefined {
    if (path === framePath) return frameRoute;
    if (path === "/healthz") return { method: "GET", open: async () => jsonReply(200, { status: "ok" }), run: notRun };
    if (path === "/readyz") return { method: "GET", open: ready, run: notRun };
    return approvalRoutes(router, path);
  }

  async function ready(): Promise<HttpReply> {
    let reason: string | undefined = "shutting down";
    try {
      if (!routes.closing) reason = await router.ready();
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
    const asStream = path === framePath && wantsEventStream(head.header("accept"));
    return {
      maxBytes,
      tooLarge,
      async answer(bytes, sender) {
        const { depth } = router.limits;
        // What is small is parsed at once, however deep, and refused by the router itself.
        if (bytes.length > freelyParsed && isNestedDeeper(bytes, depth)) {
          return refuse(path, 400, notFrame, `The body is nested deeper than ${depth} levels.`, "Send it flatter.");
        }
        const text = decode(bytes);
        if (text === undefined) return refuse(path, 400, notFrame, "The body is not UTF-8.", "Send JSON in UTF-8.");
        let body: unknown;
        if (!(text === "" && path !== framePath)) {
          // Of a key that is there twice, the last one counts: what JSON.parse says is what everything after it sees.
          try {
            body = JSON.parse(text);
          } catch {
            return refuse(path, 400, notFrame, "The body is not JSON.", "Send one frame as a JSON object.");
          }
        }
        if (path !== framePath) return found.run(principal, new URLSearchParams(), body);
        return frameAnswer(router, body, principal, sender, asStream ? heartbeatMs : undefined);
      },
    };
  }

  return routes;
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
    "access-control-allow-headers": "authorization, content-type, accept",
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
