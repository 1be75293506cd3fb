import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { checkKeys } from "@toolglot/internal";
import { closeServer } from "@toolglot/internal/node";
import type { RouterEvent, RouterListener } from "../events/types.ts";
import { nackReply } from "../http/messages.ts";
import { metricsCure } from "../http/metrics-page.ts";
import { HttpRoutes } from "../http/route.ts";
import type { BodyWanted, HttpOptions, HttpReply, MetricsPage } from "../http/types.ts";
import type { Router } from "../router/types.ts";
import type { TransportLimits } from "../transport/limits.ts";
import { UnreadGuard } from "../transport/unread-guard.ts";
import { answerParserErrors } from "./parser-errors.ts";
import { decode, linger, readBody, Sender } from "./request-body.ts";

/** Options of {@link serveHttp}. Times in milliseconds. */
export interface ServeHttpOptions extends HttpOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free one. */
  port?: number;
  /** How long a client may take for the head of a request. Default 10,000. */
  headersTimeoutMs?: number;
  /** How long a client may take for a whole request. Default 30,000. */
  requestTimeoutMs?: number;
  /** How long a connection is kept without a request. Default 60,000. */
  keepAliveMs?: number;
  /** Bytes of all headers of a request. Default 16 KiB; more is answered with 431. */
  maxHeaderBytes?: number;
  /**
   * Gets a line when the store fails, each kind at most every ten seconds. Default: to stderr. What it throws is lost.
   */
  log?(line: string): void;
  /** Connections at one time; more are closed at once. Default 1,024. */
  maxConnections?: number;
  /**
   * Connections at one time from one address; more are closed at once. Default 512: raise it behind a proxy that needs
   * more.
   */
  maxConnectionsPerAddress?: number;
  /** Frames over WebSockets, on the same port: `webSockets()` of `@toolglot/trp-core/ws`. Default: none. */
  webSockets?: WebSockets;
}

/** WebSockets for {@link serveHttp}, made by `webSockets()` of `@toolglot/trp-core/ws`. */
export interface WebSockets {
  /** For `serveHttp` alone. Rejects when what they need is not there. */
  attach(host: WebSocketHost): Promise<{ close(graceMs: number): Promise<void> }>;
}

/** What WebSockets share with the server that they are on. */
export interface WebSocketHost {
  /** A server of `node:http` or `node:https`. */
  readonly server: object;
  readonly router: Router;
  /** Opaque. */
  readonly routes: object;
}

/** A router on a port. */
export interface HttpServer {
  /** Without a path, as `http://127.0.0.1:8700`. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections, refuses new requests (503, `/readyz` too), lets those that run come to their end, for at
   * most `graceMs` (default 10,000), closes what is left. The router is not closed: do that afterwards.
   */
  close(graceMs?: number): Promise<void>;
}

const loopback = ["localhost", "127.0.0.1", "::1"];

/**
 * Serves a router over HTTP on `node:http`: `POST /trp/frame`, the approvals and operations API, `/healthz`, `/readyz`,
 * and `/metrics` when there are any; see `createFetchHandler` for the statuses. Throws `TypeError` for options that
 * can't be, rejects with the system's error when the port can't be had.
 *
 * @example
 * ```ts
 * const server = await serveHttp(router, { port: 8080, authenticate: (header) => who(bearerToken(header)) });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serveHttp(router: Router, options: ServeHttpOptions): Promise<HttpServer> {
  checkKeys(
    "serveHttp",
    options,
    [
      "authenticate:function limits:object allowedHosts:string[] allowedOrigins:string[] heartbeatMs:number metrics:{text,mayRead} host:text port:number headersTimeoutMs:number",
      "requestTimeoutMs:number keepAliveMs:number maxHeaderBytes:number log:function maxConnections:size maxConnectionsPerAddress:size webSockets:{attach}",
    ],
    ["authenticate"],
    metricsCure,
  );
  const { host = "127.0.0.1", port = 0, requestTimeoutMs = 30_000, keepAliveMs = 60_000 } = options;
  const { headersTimeoutMs = Math.min(10_000, requestTimeoutMs), maxHeaderBytes = 16_384 } = options;
  const { maxConnections = 1_024, maxConnectionsPerAddress = 512 } = options;
  checkCount("maxConnections", maxConnections);
  checkCount("maxConnectionsPerAddress", maxConnectionsPerAddress);
  const hosts = options.allowedHosts ?? (loopback.includes(host) ? loopback : undefined);
  const routes = new HttpRoutes(
    "serveHttp",
    router,
    hosts === undefined ? options : { ...options, allowedHosts: hosts },
    decode,
  );
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: Math.max(100, Math.min(2000, headersTimeoutMs / 2)),
  });
  server.maxHeadersCount = 100;
  server.maxConnections = maxConnections;
  limitAddresses(server, maxConnectionsPerAddress);
  const uncount = countConnections(server, options.metrics);
  const take = (request: IncomingMessage, response: ServerResponse, waits: boolean): void => {
    if (!isAmbiguous(request)) {
      receive(routes, request, response, waits);
      return;
    }
    const message = "The request says twice who calls, or whom.";
    const fix = "Send one Host and one Authorization header.";
    send(routes, request, response, nackReply(400, "TRP_2000", message, { fix, now: router.store.now() }));
  };
  server.on("request", (request, response) => take(request, response, false));
  server.on("checkContinue", (request, response) => take(request, response, true));
  answerParserErrors(server, () => router.store.now());
  const sockets = await options.webSockets?.attach({ server, router, routes });
  await listen(server, port, host);
  const silence = router.subscribe(storeLog(options.log ?? ((line) => void process.stderr.write(`${line}\n`))));
  const bound = (server.address() as AddressInfo).port;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close(graceMs = 10_000) {
      routes.answers.close();
      closed ??= Promise.all([closeServer(server, graceMs), sockets?.close(graceMs)]).then(() => {
        silence();
        uncount();
      });
      return closed;
    },
  };
}

function checkCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return;
  throw new TypeError(`serveHttp: ${name} must be a whole number from 1, not ${String(value)}`);
}

/** Counts the open connections, including WebSockets. Call the returned function to end the counting. */
function countConnections(server: Server, metrics: MetricsPage | undefined): () => void {
  let open = 0;
  server.on("connection", (socket) => {
    open++;
    socket.once("close", () => open--);
  });
  return metrics?.connections?.("http", () => open) ?? (() => {});
}

/** One address must not take all the connections there are. */
function limitAddresses(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/**
 * Two of these (RFC 9112, 3.2; RFC 9110, 11.6.2): node takes the first, something in front of it may have gone by the
 * other.
 */
function isAmbiguous({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations++;
  }
  return hosts > 1 || authorizations > 1;
}

function receive(routes: HttpRoutes, request: IncomingMessage, response: ServerResponse, waits: boolean): void {
  const { method = "GET", url = "/", headers } = request;
  const first = routes.begin({
    method,
    target: url,
    header: (name) => {
      const value = headers[name];
      return typeof value === "object" ? value.join(", ") : value;
    },
  });
  const goOn = (next: HttpReply | BodyWanted): void => {
    if ("status" in next) send(routes, request, response, next);
    else if (waits) {
      response.writeContinue();
      withBody(routes, request, response, next);
    } else withBody(routes, request, response, next);
  };
  if ("then" in first) void first.then(goOn);
  else goOn(first);
}

function withBody(routes: HttpRoutes, request: IncomingMessage, response: ServerResponse, wanted: BodyWanted): void {
  readBody(request, wanted.maxBytes, (body) => {
    if (body === undefined) send(routes, request, response, wanted.tooLarge());
    else {
      void wanted.answer(body, new Sender(response)).then((reply) => send(routes, request, response, reply));
    }
  });
}

function send(routes: HttpRoutes, request: IncomingMessage, response: ServerResponse, reply: HttpReply): void {
  if (response.destroyed || response.headersSent) return;
  const { status, headers, body, stream } = reply;
  // A connection that is kept would keep the server from closing.
  if (routes.answers.isClosing) response.shouldKeepAlive = false;
  if (stream !== undefined) {
    const guard = guardReader(request.socket, response, routes.answers.limits);
    response.writeHead(status, headers);
    response.flushHeaders();
    const write = (text: string): void => {
      if (!response.writable || !guard.hasRoom()) return;
      response.write(text);
      guard.sent();
    };
    void stream(write).finally(() => response.end());
    return;
  }
  const length = Buffer.byteLength(body);
  response.writeHead(status, status === 204 ? headers : { ...headers, "content-length": length });
  if (!request.complete) {
    linger(request, response, body);
    return;
  }
  response.end(body);
  const { limits } = routes.answers;
  if (length > limits.unreadBytes) guardReader(request.socket, response, limits).sent();
}

/** Creates the guard against a client that leaves its answer unread. */
function guardReader(socket: Socket, response: ServerResponse, limits: TransportLimits): UnreadGuard {
  const guard = new UnreadGuard(limits, { unread: () => response.writableLength, cut: () => socket.destroy() });
  response.on("drain", () => guard.taken());
  response.once("close", () => guard.end());
  return guard;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** How long the same fault is not logged again. Milliseconds. */
const quietMs = 10_000;

/** A line for each fault of the store; one that comes again and again is counted. */
function storeLog(log: (line: string) => void): RouterListener {
  const known = new Map<string, { at: number; more: number }>();
  return (event: RouterEvent) => {
    if (event.type !== "store.failed") return;
    const { code, operation, message } = event;
    const now = performance.now();
    const before = known.get(code);
    if (before !== undefined && now - before.at < quietMs) {
      before.more += 1;
      return;
    }
    const more = before === undefined || before.more === 0 ? "" : ` (and ${before.more} more since)`;
    known.set(code, { at: now, more: 0 });
    log(`toolglot router: the store failed at ${operation}: ${code} ${message}${more}`);
  };
}
