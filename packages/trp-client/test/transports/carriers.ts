import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import {
  bearerToken,
  bearerTokens,
  createFetchHandler,
  type HttpOptions,
  principal,
  type Router,
} from "@toolglot/trp-core";
import { type StdioServer, serveHttp, serveStdio } from "@toolglot/trp-core/node";
import { webSockets } from "@toolglot/trp-core/ws";
import { WebSocket } from "ws";
import { fetchTransport, inProcessTransport, type Transport, webSocketTransport } from "../../src/index.ts";
import { httpTransport, stdioTransport, wsTransport } from "../../src/node/index.ts";
import { type Wire, wireTo } from "./wires.ts";

/** A router within reach of a transport. */
export interface Carried {
  /** `token`: default a good one. */
  transport(token?: string): Transport;
  /** What can be cut; undefined where there is nothing between the two. */
  wire?: Wire;
  /** Ends the server as its users do. The router goes on. */
  close(graceMs?: number): Promise<void>;
}

export interface Carrier {
  readonly name: string;
  start(router: Router, limits?: HttpOptions["limits"]): Promise<Carried>;
  /** Whether tokens say who calls. */
  readonly hasTokens: boolean;
  /** Whether all frames share a connection. */
  readonly isDuplex: boolean;
}

const who = bearerTokens({ good: { principal: "agent", roles: ["user"] } });
const authenticate = (header: string | undefined) => who(bearerToken(header));

async function serve(router: Router, limits: HttpOptions["limits"] = {}) {
  const server = await serveHttp(router, { authenticate, limits, webSockets: webSockets() });
  const wire = await wireTo(server.port);
  const close = async (graceMs = 0): Promise<void> => {
    await server.close(graceMs);
    await wire.close();
  };
  return { url: `http://127.0.0.1:${wire.port}`, wire, close };
}

/** A carrier over a port. */
function overPort(
  name: string,
  isDuplex: boolean,
  make: (options: { url: string; token: string }) => Transport,
): Carrier {
  return {
    name,
    hasTokens: true,
    isDuplex,
    async start(router, limits) {
      const { url, wire, close } = await serve(router, limits);
      return { transport: (token = "good") => make({ url, token }), wire, close };
    },
  };
}

/** Its standard streams are a connection to the process of the tests, where the router is. */
const pipe = `
const socket = require("node:net").connect(+process.argv[1], "127.0.0.1");
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("error", () => process.exit(1)).on("close", () => process.stdin.destroy());
`;

const overStdio: Carrier = {
  name: "stdio",
  hasTokens: false,
  isDuplex: true,
  async start(router, limits = {}) {
    const served = new Set<StdioServer>();
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket.on("error", () => {}));
      const one = serveStdio(router, { principal: principal({ id: "agent" }), input: socket, output: socket, limits });
      served.add(one);
      void one.done.then(() => {
        served.delete(one);
        socket.end();
      });
      socket.once("close", () => sockets.delete(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const wire = await wireTo((server.address() as AddressInfo).port);
    return {
      transport: () => stdioTransport({ command: process.execPath, args: ["-e", pipe, `${wire.port}`], graceMs: 500 }),
      wire,
      async close(graceMs = 0) {
        await Promise.all([...served].map((one) => one.close(graceMs)));
        await wire.close();
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
};

/** All ways by which a client reaches a router. */
export const carriers: readonly Carrier[] = [
  {
    name: "in process",
    hasTokens: false,
    isDuplex: false,
    start: async (router) => ({
      transport: () => inProcessTransport(router, principal({ id: "agent" })),
      close: async () => {},
    }),
  },
  {
    name: "a fetch handler",
    hasTokens: true,
    isDuplex: false,
    async start(router, limits = {}) {
      const handler = createFetchHandler(router, { authenticate, limits });
      const own: typeof fetch = (input, init) =>
        handler(new Request(input, { ...init, duplex: "half" } as RequestInit));
      return {
        transport: (token = "good") => fetchTransport({ url: "http://router", token, fetch: own }),
        close: async () => {},
      };
    },
  },
  overPort("HTTP by fetch", false, fetchTransport),
  overPort("HTTP by node:http", false, httpTransport),
  overPort("a WebSocket as in a browser", true, (options) => webSocketTransport({ ...options, WebSocket })),
  overPort("a WebSocket of ws", true, wsTransport),
  overStdio,
];
