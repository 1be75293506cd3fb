import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { checkKeys, isThenable } from "@toolglot/internal";
import type { WebSocket, WebSocketServer } from "ws";
import { nackReply } from "../../http/messages.ts";
import type { HttpRoutes } from "../../http/route.ts";
import type { HttpHead, HttpReply } from "../../http/types.ts";
import type { Principal } from "../../identity/types.ts";
import type { Router } from "../../router/types.ts";
import { type Ending, FrameChannel } from "../../transport/frame-channel.ts";
import { answerAndClose } from "../parser-errors.ts";
import { decode } from "../request-body.ts";
import type { WebSocketHost, WebSockets } from "../serve-http.ts";
import { loadWs } from "./load-ws.ts";
import { protocol, speaksOther, upgradeHead } from "./upgrade.ts";

/** Options of {@link webSockets}. */
export interface WebSocketOptions {
  /** Default `/trp/ws`. */
  path?: string;
  /** WebSockets at one time; more are refused (503). Default 512. */
  connections?: number;
  /** WebSockets of one principal at one time; more are refused (503). Default 64. */
  connectionsPerPrincipal?: number;
  /** A client is pinged so often, and given up when it does not answer until the next time. Milliseconds; default 15,000. */
  pingMs?: number;
}

/**
 * WebSockets for `serveHttp({ webSockets: webSockets() })`: text messages of one frame each, at `/trp/ws`. The answers to a frame
 * come when they are there, in any order: an ACK, partial results, at last the answer. The caller is identified once, with the upgrade:
 * the `Authorization` header, or for web pages, which can't send one, a subprotocol `trp.bearer.` and the token in base64url,
 * beside `trp.v0.1`; identity, hosts and origins are checked as those of other requests, and refused alike before the upgrade.
 * Needs the package `ws`. Throws `TypeError` for options that can't be.
 *
 * @example
 * ```ts
 * const server = await serveHttp(router, { authenticate, webSockets: webSockets({ path: "/trp/ws" }) });
 * ```
 */
export function webSockets(options: WebSocketOptions = {}): WebSockets {
  checkKeys("webSockets", options, "path:text connections:number connectionsPerPrincipal:number pingMs:number");
  const { path = "/trp/ws", connections = 512, connectionsPerPrincipal = 64, pingMs = 15_000 } = options;
  if (typeof path !== "string" || !path.startsWith("/")) throw new TypeError("webSockets: path must begin with /");
  for (const [name, value] of Object.entries({ connections, connectionsPerPrincipal, pingMs })) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new TypeError(`webSockets: ${name} must be a whole number from 1, not ${String(value)}`);
  }
  return {
    attach: async ({ server, router, routes }: WebSocketHost) => {
      const host = { server: server as Server, router, routes: routes as HttpRoutes };
      return new SocketFace(await loadWs(), host, { path, connections, connectionsPerPrincipal, pingMs });
    },
  };
}

interface Connection {
  readonly socket: WebSocket;
  readonly channel: FrameChannel;
  readonly who: string;
  /** Whether anything came since the last ping. */
  isAlive: boolean;
}

/** The WebSockets of one server. */
class SocketFace {
  readonly #host: { server: Server; router: Router; routes: HttpRoutes };
  readonly #options: Required<WebSocketOptions>;
  readonly #upgrades: WebSocketServer;
  readonly #open = new Set<Connection>();
  readonly #pings: NodeJS.Timeout;
  readonly #uncount: (() => void) | undefined;
  readonly #onUpgrade = (request: IncomingMessage, stream: Duplex, first: Buffer): void =>
    this.#upgrade(request, stream, first);

  constructor(
    { WebSocketServer: Upgrades }: Awaited<ReturnType<typeof loadWs>>,
    host: { server: Server; router: Router; routes: HttpRoutes },
    options: Required<WebSocketOptions>,
  ) {
    const { server, routes } = host;
    this.#host = host;
    this.#options = options;
    this.#upgrades = new Upgrades({
      noServer: true,
      clientTracking: false,
      // Up to here a frame that is too large can be refused by its id; beyond, the connection is closed (1009).
      maxPayload: 2 * routes.answers.limits.frameBytes,
      perMessageDeflate: false,
      // Checked with each frame, and refused as frames are.
      skipUTF8Validation: true,
      autoPong: false,
      handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
      ...{ closeTimeout: 1_000 },
    });
    this.#pings = setInterval(() => this.#ping(), options.pingMs);
    this.#pings.unref();
    server.on("upgrade", this.#onUpgrade);
    this.#uncount = routes.metrics?.connections?.("ws", () => this.#open.size);
    routes.upgradeAt(options.path);
  }

  async close(graceMs: number): Promise<void> {
    clearInterval(this.#pings);
    await Promise.all(
      [...this.#open].map(async ({ socket, channel }) => {
        const closed = new Promise((resolve) => socket.once("close", resolve));
        await channel.close(graceMs);
        await closed;
      }),
    );
    this.#host.server.off("upgrade", this.#onUpgrade);
    this.#uncount?.();
  }

  #upgrade(request: IncomingMessage, stream: Duplex, first: Buffer): void {
    const head = headOf(request);
    const { path } = this.#options;
    if ((head.target.split("?")[0] ?? "") !== path) {
      // Somebody else's, on a server that is not ours alone.
      if (this.#host.server.listenerCount("upgrade") > 1) return;
      const fix = `Connect to ${path}.`;
      answerAndClose(stream, this.#refusal(404, "TRP_2000", "There is nothing at this path.", fix));
      return;
    }
    stream.on("error", ignore);
    const proceed = (who: HttpReply | Principal): void => {
      stream.off("error", ignore);
      const refused = "status" in who ? who : this.#tooMany(who);
      if (refused !== undefined) answerAndClose(stream.on("error", ignore), refused);
      else this.#upgrades.handleUpgrade(request, stream, first, (socket) => this.#begin(socket, who as Principal));
    };
    const who = this.#identify(head);
    if (isThenable(who)) void who.then(proceed);
    else proceed(who);
  }

  #identify(given: HttpHead): HttpReply | Principal | Promise<HttpReply | Principal> {
    const head = upgradeHead(given);
    if (head === undefined) {
      const fix = "Send the token in one way.";
      return this.#refusal(400, "TRP_2000", "The request says twice who calls.", fix);
    }
    if (speaksOther(head)) {
      const fix = `Offer ${protocol}.`;
      return this.#refusal(400, "TRP_2000", `Only the subprotocol ${protocol} is spoken here.`, fix);
    }
    return this.#host.routes.enter(head);
  }

  #tooMany(who: Principal): HttpReply | undefined {
    const { connections, connectionsPerPrincipal } = this.#options;
    const name = nameOf(who);
    let own = 0;
    for (const connection of this.#open) if (connection.who === name) own++;
    const isFull = this.#open.size >= connections;
    if (!isFull && own < connectionsPerPrincipal) return undefined;
    const message = isFull ? "There are too many connections." : "This caller has too many connections.";
    const fix = "Use a connection that is open, or try again in a moment.";
    return this.#refusal(503, "TRP_5003", message, fix);
  }

  #refusal(status: number, code: "TRP_2000" | "TRP_5003", message: string, fix: string): HttpReply {
    return nackReply(status, code, message, { fix, now: this.#host.router.store.now() });
  }

  #begin(socket: WebSocket, principal: Principal): void {
    const { router, routes } = this.#host;
    const channel = new FrameChannel(routes.answers, {
      principal,
      depth: router.limits.depth,
      decode,
      wire: {
        send: (text, written) => socket.send(text, written),
        unread: () => socket.bufferedAmount,
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        end: (why) => {
          // What is paused would never see the answer to its closing.
          socket.resume();
          socket.close(...closings[why]);
        },
      },
    });
    const connection: Connection = { socket, channel, who: nameOf(principal), isAlive: true };
    this.#open.add(connection);
    socket.on("message", (data) => {
      connection.isAlive = true;
      channel.receive(data as Buffer);
    });
    socket.on("pong", () => {
      connection.isAlive = true;
    });
    socket.on("ping", (data) => {
      connection.isAlive = true;
      if (!channel.isPaused) socket.pong(data);
    });
    // The connection closes after it.
    socket.on("error", ignore);
    socket.once("close", () => {
      this.#open.delete(connection);
      channel.leave();
    });
    // It was let in just before.
    if (routes.answers.isClosing) void channel.close(0);
  }

  #ping(): void {
    for (const connection of this.#open) {
      const { socket, channel } = connection;
      // Nothing is read from it: its channel closes a connection whose answers are not read.
      if (channel.isPaused) continue;
      if (!connection.isAlive) socket.terminate();
      else socket.ping();
      connection.isAlive = false;
    }
  }
}

const closings: Readonly<Record<Ending, [code: number, reason: string]>> = {
  closing: [1001, "The router is shutting down."],
  "not-read": [1008, "TRP_5003: the answers are not read."],
};

function nameOf({ tenant, id }: Principal): string {
  return `${tenant} ${id}`;
}

function headOf({ method = "GET", url = "/", headers }: IncomingMessage): HttpHead {
  return {
    method,
    target: url,
    header: (name) => {
      const value = headers[name];
      return typeof value === "object" ? value.join(", ") : value;
    },
  };
}

function ignore(): void {}
