import type { IncomingMessage } from "node:http";
import { checkKeys } from "@toolglot/internal";
import { AnswerText } from "../answer.ts";
import { clientError } from "../errors.ts";
import { linkTransport, type Refused } from "../frame-link.ts";
import { authorizer, frameOf, type Token, webSocketUrl } from "../router-url.ts";
import type { Transport } from "../transport-types.ts";
import { noFrame, subprotocol, type WebSocketLike, whenOpen } from "../web-socket-transport.ts";

/** Options of {@link wsTransport}. */
export interface WsTransportOptions {
  /** The router's address, as `wss:` or `https:`; without a path, the WebSocket is at `/trp/ws`. */
  url: string | URL;
  /** Bearer token, or a function that returns one for each connection. It goes out as `Authorization` header. */
  token?: Token;
  /** How long a connection may take to be made. Default 5,000 ms. */
  connectTimeoutMs?: number;
  /** Bytes of an answer. Default 16 MiB. */
  maxAnswerBytes?: number;
  /** More for the package `ws`, as it takes it: `ca`, `cert`, `agent` … */
  socket?: Readonly<Record<string, unknown>>;
}

/**
 * Frames over one WebSocket of the package `ws`, for every version of Node: as `webSocketTransport`, but the token is a header, and a
 * router that refuses the connection sends the reason. A frame is refused with `trp-client/ws-missing` when `ws` is not installed.
 *
 * @example
 * ```ts
 * const client = createClient({ transport: wsTransport({ url: "ws://127.0.0.1:8080", token }), agentId: "agent-7" });
 * ```
 */
export function wsTransport(options: WsTransportOptions): Transport {
  checkKeys(
    "wsTransport",
    options,
    "url:url token:string|function connectTimeoutMs:number maxAnswerBytes:number socket:object",
    ["url"],
  );
  const { connectTimeoutMs = 5_000, maxAnswerBytes = 16 * 1024 * 1024 } = options;
  const url = webSocketUrl(options.url);
  const authorize = authorizer(options.token);
  return linkTransport(async (events) => {
    const { WebSocket } = await loadWs();
    const authorization = await authorize();
    const socket = new WebSocket(url, [subprotocol], {
      perMessageDeflate: false,
      maxPayload: maxAnswerBytes,
      ...options.socket,
      headers: { ...(options.socket?.headers as object), ...(authorization === undefined ? {} : { authorization }) },
    });
    const refusal = new Promise<Refused>((resolve, reject) => {
      socket.once("unexpected-response", (_request, response: IncomingMessage) => {
        readRefusal(response, maxAnswerBytes).then(resolve, reject);
      });
    });
    return await whenOpen(socket as unknown as WebSocketLike, events, { connectTimeoutMs, maxAnswerBytes }, refusal);
  }, noFrame);
}

async function readRefusal(response: IncomingMessage, maxBytes: number): Promise<Refused> {
  const text = new AnswerText(maxBytes);
  for await (const chunk of response) text.push(chunk as Buffer);
  return { refused: frameOf(response.statusCode ?? 0, text.end()) };
}

/** Loads an optional peer. */
async function loadWs(): Promise<typeof import("ws")> {
  try {
    return await import("ws");
  } catch (cause) {
    if ((cause as { code?: unknown } | null)?.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    const message = "WebSockets need the package ws, which is not installed: npm install ws";
    throw clientError("trp-client/ws-missing", message, { cause, data: { package: "ws", permanent: true } });
  }
}
