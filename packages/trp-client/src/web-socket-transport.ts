import { checkKeys } from "@toolglot/internal";
import { clientError } from "./errors.ts";
import { type Link, type LinkEvents, linkTransport, type Refused } from "./frame-link.ts";
import { type Token, tokenGiver, webSocketUrl } from "./router-url.ts";
import type { Transport } from "./transport-types.ts";

/** Options of {@link webSocketTransport}. */
export interface WebSocketTransportOptions {
  /** The router's address, as `wss:` or `https:`; without a path, the WebSocket is at `/trp/ws`. */
  url: string | URL;
  /** Bearer token, or a function that returns one for each connection. It goes out as a subprotocol, because pages can't send a header. */
  token?: Token;
  /** Default: the global one, which Node has from version 22 on; before, that of the package `ws`, or `wsTransport`. */
  WebSocket?: new (
    url: string,
    protocols: string[],
  ) => { send(text: string): void; close(code?: number, reason?: string): void };
  /** How long a connection may take to be made. Default 5,000 ms. */
  connectTimeoutMs?: number;
  /** Characters of an answer. Default 16 Mi. */
  maxAnswerBytes?: number;
}

/** A WebSocket as browsers have it, as far as it is used. */
export interface WebSocketLike {
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** The subprotocol that is spoken. */
export const subprotocol = "trp.v0.1";

/**
 * Frames over one WebSocket, for browsers, Node from version 22 on, Bun and Deno: partial results come as they are made, and any
 * number of frames share the connection. It is opened with the first frame, and again when it was lost. The browser does not report why
 * a connection is refused, so a wrong token is `trp-client/unreachable` here.
 *
 * @example
 * ```ts
 * const transport = webSocketTransport({ url: "wss://router.example", token });
 * ```
 */
export function webSocketTransport(options: WebSocketTransportOptions): Transport {
  checkKeys(
    "webSocketTransport",
    options,
    "url:url token:string|function WebSocket:function connectTimeoutMs:number maxAnswerBytes:number",
    ["url"],
    { WebSocket: "It is a class; in Node, wsTransport of @toolglot/trp-client/node brings one." },
  );
  const { connectTimeoutMs = 5_000, maxAnswerBytes = 16 * 1024 * 1024 } = options;
  const url = webSocketUrl(options.url).href;
  const giveToken = tokenGiver(options.token);
  const Socket = options.WebSocket ?? (globalThis as Pick<typeof options, "WebSocket">).WebSocket;
  if (typeof Socket !== "function") {
    throw new TypeError("There is no global WebSocket here: give one as WebSocket, or use wsTransport of ./node");
  }
  return linkTransport(async (events) => {
    const token = await giveToken();
    const protocols = token === undefined ? [subprotocol] : [subprotocol, `trp.bearer.${base64url(token)}`];
    const socket = new Socket(url, protocols);
    return await whenOpen(socket as WebSocketLike, events, { connectTimeoutMs, maxAnswerBytes });
  }, noFrame);
}

/** The error of a message that is no frame. */
export const noFrame = "What came on the WebSocket is no TRP frame";

/** A token is ASCII. */
function base64url(token: string): string {
  return btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The connection of a WebSocket, as soon as it is open. `refusal`: resolves when the router refused it in a frame. */
export function whenOpen(
  socket: WebSocketLike,
  events: LinkEvents,
  { connectTimeoutMs, maxAnswerBytes }: { connectTimeoutMs: number; maxAnswerBytes: number },
  refusal?: Promise<Refused>,
): Promise<Link | Refused> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      socket.onopen = null;
      reject(clientError("trp-client/unreachable", `The router can't be reached: ${why}.`));
    };
    const timer = setTimeout(() => {
      fail("no connection in time");
      socket.close();
    }, connectTimeoutMs);
    refusal?.then(
      (refused) => {
        clearTimeout(timer);
        resolve(refused);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      socket.onmessage = null;
    };
    const closed = new Promise<void>((over) => {
      socket.onclose = ({ code, reason }: { code?: number; reason?: string }) => {
        stop();
        const why = reason ? `: ${reason}` : "";
        fail("the connection was refused, or can't be made");
        events.over(`the connection ended (${code ?? 1006}${why})`, code);
        over();
      };
    });
    // Nothing is known of it but that the connection ends.
    socket.onerror = () => {};
    socket.onmessage = ({ data }: { data: unknown }) => {
      events.message(typeof data === "string" && data.length <= maxAnswerBytes ? data : undefined);
    };
    socket.onopen = () => {
      clearTimeout(timer);
      resolve({
        send: (text) => socket.send(text),
        drop: () => {
          stop();
          socket.close();
        },
        close: () => {
          if (!isOver) socket.close(1000);
          return Promise.race([closed, new Promise<void>((late) => setTimeout(late, 1_000))]);
        },
      });
    };
  });
}
