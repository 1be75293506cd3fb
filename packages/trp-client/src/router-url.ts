import { clientError } from "./errors.ts";
import type { TraceContext } from "./transport-types.ts";

/**
 * Where frames go: a router's address without a path gets `/trp/frame`. Throws `TypeError` for what is no HTTP address.
 */
export function frameUrl(url: string | URL): URL {
  return routerUrl(url, { protocols: ["http:", "https:"], path: "/trp/frame" });
}

/**
 * Where WebSockets are opened: a router's address without a path gets `/trp/ws`, and `http:` becomes `ws:`. Throws
 * `TypeError` for what is no such address.
 */
export function webSocketUrl(url: string | URL): URL {
  const parsed = routerUrl(url, { protocols: ["ws:", "wss:", "http:", "https:"], path: "/trp/ws" });
  parsed.protocol = parsed.protocol.replace("http", "ws");
  return parsed;
}

function routerUrl(url: string | URL, { protocols, path }: { protocols: readonly string[]; path: string }): URL {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new TypeError("url must be a router's address, as http://127.0.0.1:8700");
  }
  if (!protocols.includes(parsed.protocol)) {
    throw new TypeError(`url must begin with ${protocols.join(" or ")}, not ${parsed.protocol}`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError("url must have no user name or password: give the token as token");
  }
  if (parsed.pathname === "/") parsed.pathname = path;
  parsed.hash = "";
  return parsed;
}

/** A bearer token, or a function that returns one for each request. */
export type Token = string | (() => string | Promise<string>);

/** Throws `TypeError` for a token that no header can carry. */
function checkToken(token: string): string {
  if (typeof token !== "string" || !/^[!-~]+$/.test(token)) {
    throw new TypeError("token must be visible ASCII characters without spaces");
  }
  return token;
}

/** The source of a request's or a connection's token, if there is one. */
export function tokenGiver(token: Token | undefined): () => string | undefined | Promise<string | undefined> {
  if (typeof token === "function") return async () => checkToken(await token());
  const checked = token === undefined ? undefined : checkToken(token);
  return () => checked;
}

/** Returns the source of a request's `Authorization` header, if there is one. */
export function authorizer(token: Token | undefined): () => string | undefined | Promise<string | undefined> {
  const give = tokenGiver(token);
  if (typeof token === "function") return async () => `Bearer ${await give()}`;
  const header = token === undefined ? undefined : `Bearer ${give()}`;
  return () => header;
}

/**
 * The frame in an answer. Routers answer NACKs with 200, some with 400 or 401: the frame counts, not the status. Throws
 * a `trp-client/bad-answer` otherwise; `data.permanent` when sending again would change nothing.
 */
export function frameOf(status: number, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "frame_type" in value) return value;
  } catch {
    // Not JSON: the error follows below.
  }
  const permanent =
    (status >= 200 && status < 500 && status !== 408 && status !== 425 && status !== 429) || status === 501;
  throw clientError("trp-client/bad-answer", `The answer (HTTP ${status}) is no TRP frame.`, {
    data: { status, permanent: permanent && status !== 200 },
  });
}

/** Returns the headers of W3C Trace Context for a frame. */
export function traceHeaders(trace: TraceContext | undefined): Record<string, string> {
  if (trace === undefined) return {};
  const { traceparent, tracestate } = trace;
  return { traceparent, ...(tracestate && { tracestate }) };
}
