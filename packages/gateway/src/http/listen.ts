import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { sleep } from "@toolglot/internal";
import { closeServer } from "@toolglot/internal/node";
import type { HttpApp } from "./app.ts";

/** Where and how a server listens. Times in milliseconds. */
export interface ListenOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** More connections are closed at once. Default 1,024. */
  maxConnections?: number;
  /** How long a client may take for the head of a request. Default 10,000. */
  headersTimeoutMs?: number;
}

/** A gateway on a port. */
export interface HttpHost {
  /** Without a path, as `http://127.0.0.1:8765`. */
  readonly url: string;
  readonly port: number;
  /** Open connections. */
  connections(): number;
  /**
   * Serves on, and keeps no connection that is used: see {@link HttpApp.drain}. Resolves `ms` after the last answer that had begun before, so
   * that nobody sends over a connection while it is closed; after `ms` and `graceMs` in any case.
   */
  drain(ms: number, graceMs: number): Promise<void>;
  /**
   * Takes no more connections, refuses new requests, lets those that run come to their end for at most `graceMs` (default
   * 10,000), and cuts what is left.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Listens. A client that is slow with its head is cut off, and one that has closed its side, or has gone without a word, holds
 * no socket. Rejects with the system's error when the port can't be had.
 */
export async function listen(app: HttpApp, options: ListenOptions): Promise<HttpHost> {
  const { host, port, maxConnections = 1_024, headersTimeoutMs = 10_000 } = options;
  const answer = getRequestListener((request, bindings) => app.fetch(request, bindings as never), {
    hostname: host,
    // They belong to the program that this runs in.
    overrideGlobalObjects: false,
  });
  let closed: Promise<void> | undefined;
  let isDraining = false;
  /** Answers to callers who don't know that the connection ends with it. */
  const kept = new Set<ServerResponse>();
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: Math.max(30_000, headersTimeoutMs),
      connectionsCheckingInterval: Math.max(100, Math.min(2_000, headersTimeoutMs / 2)),
      keepAliveTimeout: 60_000,
      maxHeaderSize: 16_384,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    (request, response) => {
      // A stream of notifications ends with the gateway.
      const isCall = request.method === "POST" && request.headers["mcp-method"] !== "subscriptions/listen";
      if (isCall && !isDraining) {
        kept.add(response);
        response.once("close", () => kept.delete(response));
      }
      // A connection that is kept would keep the server from closing.
      response.once("finish", () => closed && request.socket.end());
      void answer(request, response);
    },
  );
  server.maxHeadersCount = 100;
  server.maxConnections = maxConnections;
  const open = watchSockets(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(void server.off("error", reject)));
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    connections: () => open.size,
    async drain(ms, graceMs) {
      app.drain();
      isDraining = true;
      const begun = performance.now();
      for (let last = begun; ; await sleep(Math.min(ms, 50))) {
        const now = performance.now();
        if (kept.size > 0) last = now;
        if (now - last >= ms || now - begun >= ms + graceMs) return;
      }
    },
    close(graceMs = 10_000) {
      app.close();
      closed ??= closeServer(server, graceMs);
      return closed;
    },
  };
}

/** A socket whose other side has ended can get no answer: it is destroyed, and with it what waits for it. */
function watchSockets(server: Server): ReadonlySet<object> {
  const open = new Set<object>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("end", () => socket.destroySoon());
    socket.once("close", () => open.delete(socket));
  });
  return open;
}
