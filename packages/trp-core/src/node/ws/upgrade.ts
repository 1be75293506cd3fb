import { base64urlBytes } from "../../digest/base64url.ts";
import type { HttpHead } from "../../http/types.ts";
import { decodeUtf8 } from "../../transport/read-message.ts";

/** The subprotocol that is spoken. */
export const protocol = "trp.v0.1";
/** The beginning of a subprotocol that is no protocol but the caller's bearer token, in base64url. */
const tokenStart = "trp.bearer.";

/**
 * The head of an upgrade as `authenticate` reads it: pages can't send an `Authorization` header with a WebSocket, so their token
 * comes as a subprotocol. Undefined when the request has two tokens.
 */
export function upgradeHead(head: HttpHead): HttpHead | undefined {
  const tokens = offered(head).filter((name) => name.startsWith(tokenStart));
  if (tokens.length === 0) return head;
  if (tokens.length > 1 || head.header("authorization") !== undefined) return undefined;
  const bytes = base64urlBytes((tokens[0] as string).slice(tokenStart.length));
  const token = bytes && decodeUtf8(bytes);
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return { ...head, header: (name) => (name === "authorization" ? authorization : head.header(name)) };
}

/** Checks whether a client offers subprotocols, and not this one. */
export function speaksOther(head: HttpHead): boolean {
  const names = offered(head).filter((name) => !name.startsWith(tokenStart));
  return names.length > 0 && !names.includes(protocol);
}

function offered(head: HttpHead): string[] {
  const names = (head.header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}
