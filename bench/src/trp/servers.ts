import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio as serveMcpStdio } from "@modelcontextprotocol/server/stdio";
import { openSqlite } from "@toolglot/sqlite";
import { createRouter, principal, type Router } from "@toolglot/trp-core";
import { serveHttp, serveStdio } from "@toolglot/trp-core/node";
import { webSockets } from "@toolglot/trp-core/ws";
import { addressServer, found, readCapability, writeCapability } from "./work.ts";

// A server in a separate process: `node servers.mjs echo|trp|mcp|mcp-session|stdio|mcp-stdio [FILE]`. Those with a port print its URL,
// and after each line of input the gaps in their event loop since the line before (`Gaps`); they end with their parent.

/** How far apart the ticks of a timer of 1 ms came. Milliseconds. */
export interface Gaps {
  p50: number;
  p99: number;
  max: number;
}

const who = principal({ id: "bench" });

const routerOn = async (file: string | undefined): Promise<Router> =>
  createRouter({
    capabilities: [readCapability, writeCapability],
    ...(file ? { store: await openSqlite({ file }) } : { allowVolatile: true }),
  });

const withPort: Record<string, (file: string | undefined) => Promise<string>> = {
  /** The least that HTTP with JSON can be in Node: read the body, parse it, answer. */
  echo: async () =>
    listen(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", () => {
          const { id } = JSON.parse(Buffer.concat(chunks).toString());
          const body = JSON.stringify({ id, result: { line: found } });
          response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
          response.end(body);
        });
      }),
    ),
  /** HTTP, event streams and WebSockets, at one port. */
  trp: async (file) =>
    (await serveHttp(await routerOn(file), { port: 0, authenticate: () => who, webSockets: webSockets() })).url,
  mcp: async () => {
    const answer = toNodeHandler(createMcpHandler(addressServer));
    // Its declarations are stricter about undefined than Node's.
    type Asked = Parameters<typeof answer>[0];
    return listen(createServer((request, response) => void answer(request as Asked, response)));
  },
  /** A transport for each session, as the SDK's guide has it. */
  "mcp-session": async () => {
    const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
    async function transportOf({ headers }: IncomingMessage): Promise<NodeStreamableHTTPServerTransport> {
      const known = sessions.get(String(headers["mcp-session-id"]));
      if (known) return known;
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: true,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await addressServer().connect(transport);
      return transport;
    }
    return listen(
      createServer((request, response) => {
        void transportOf(request).then((transport) => transport.handleRequest(request, response));
      }),
    );
  },
};

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

/** Answers with the gaps since the line before. */
function sayGaps(): void {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  createInterface({ input: process.stdin })
    .on("line", () => {
      const ms = (nanoseconds: number): number => nanoseconds / 1e6;
      const gaps: Gaps = { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max) };
      console.log(JSON.stringify(gaps));
      delays.reset();
    })
    .on("close", () => process.exit(0));
}

const [kind, file] = process.argv.slice(2) as [string, string | undefined];
if (kind === "stdio") {
  await serveStdio(await routerOn(file), { principal: who }).done;
  process.exit(0);
} else if (kind === "mcp-stdio") {
  serveMcpStdio(addressServer);
} else {
  const serve = withPort[kind];
  if (!serve) throw new Error(`no server ${kind}`);
  console.log(await serve(file));
  sayGaps();
}
