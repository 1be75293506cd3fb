import type { Server } from "node:http";
import { checkKeys, defined } from "@toolglot/internal";
import { metricsCure } from "../../http/metrics-page.ts";
import { HttpRoutes } from "../../http/route.ts";
import type { HttpOptions, MetricsPage } from "../../http/types.ts";
import type { Router } from "../../router/types.ts";
import { decode } from "../request-body.ts";
import { type WebSocketOptions, webSockets } from "./web-sockets.ts";

/** Options of {@link serveWebSockets}. */
export interface ServeWebSocketsOptions extends WebSocketOptions, Omit<HttpOptions, "heartbeatMs" | "metrics"> {
  /** A server of `node:http` or `node:https`. Upgrades to other paths are left to its other listeners, if there are any. */
  server: { readonly listening: boolean; close(): unknown };
  /** Counts connections and refused frames: `routerMetrics()` of `@toolglot/trp-core/metrics`. Its text is not served here. */
  metrics?: MetricsPage;
}

/** WebSockets on a server of somebody else's. */
export interface WebSocketServer {
  /**
   * Refuses new connections and new frames, answers those that it has, for at most `graceMs` (default 10,000), and closes. Neither
   * the server nor the router is closed.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * WebSockets on a server of your own; `serveHttp` has them as an option, see {@link webSockets}. Rejects with `trp/ws-missing` when
 * the package `ws` is not installed, and throws `TypeError` for options that can't be.
 *
 * @example
 * ```ts
 * const face = await serveWebSockets(router, { server: httpServer, authenticate });
 * await face.close();
 * ```
 */
export async function serveWebSockets(router: Router, options: ServeWebSocketsOptions): Promise<WebSocketServer> {
  checkKeys(
    "serveWebSockets",
    options,
    "server:{close} authenticate:function limits:object allowedHosts:string[] allowedOrigins:string[] metrics:{text,mayRead} path:text connections:number connectionsPerPrincipal:number pingMs:number",
    ["server", "authenticate"],
    metricsCure,
  );
  const { server: given, path, connections, connectionsPerPrincipal, pingMs, ...shared } = options;
  const server = given as Server;
  if (typeof server?.on !== "function") throw new TypeError("serveWebSockets: server must be a server of node:http");
  const routes = new HttpRoutes("serveWebSockets", router, shared, decode);
  const face = webSockets(defined({ path, connections, connectionsPerPrincipal, pingMs }));
  const sockets = await face.attach({ server, router, routes });
  return {
    close(graceMs = 10_000) {
      routes.answers.close();
      return sockets.close(graceMs);
    },
  };
}
