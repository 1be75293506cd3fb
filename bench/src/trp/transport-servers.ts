import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio as serveMcpStdio } from "@modelcontextprotocol/server/stdio";
import { openSqlite } from "@toolglot/sqlite";
import { createRouter, principal, type Router } from "@toolglot/trp-core";
import { serveHttp, serveStdio } from "@toolglot/trp-core/node";
import { webSockets } from "@toolglot/trp-core/ws";
import { lookup, lookupZod, readCapability } from "./work.ts";

// A server in a separate process: `node transport-servers.mjs ports|stdio|mcp-session|mcp-stdio [FILE]`. Those with a port print their
// URL, and end with their parent.

const who = principal({ id: "bench" });

async function routerOn(file: string | undefined): Promise<Router> {
  const store = file === undefined ? { allowVolatile: true } : { store: await openSqlite({ file }) };
  return createRouter({ capabilities: [readCapability], ...store });
}

function mcpServer(): McpServer {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "read_address",
    { description: "Puts an address into a line.", inputSchema: lookupZod },
    async (input) => ({ content: [{ type: "text" as const, text: await lookup(input) }] }),
  );
  return server;
}

const withPort: Record<string, (file: string | undefined) => Promise<string>> = {
  /** HTTP, event streams and WebSockets, at one port. */
  ports: async (file) => {
    const options = { port: 0, authenticate: () => who, webSockets: webSockets() };
    return (await serveHttp(await routerOn(file), options)).url;
  },
  /** A transport for each session, as the SDK's guide has it. */
  "mcp-session": async () => {
    const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
    const server = createServer((request, response) => {
      void answer(request).then((transport) => transport.handleRequest(request, response));
    });
    async function answer(request: IncomingMessage): Promise<NodeStreamableHTTPServerTransport> {
      const known = sessions.get(String(request.headers["mcp-session-id"]));
      if (known) return known;
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: true,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
      await mcpServer().connect(transport);
      return transport;
    }
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  },
};

const [kind, file] = process.argv.slice(2) as [string, string | undefined];
if (kind === "stdio") {
  await serveStdio(await routerOn(file), { principal: who }).done;
  process.exit(0);
} else if (kind === "mcp-stdio") {
  serveMcpStdio(mcpServer);
} else {
  const serve = withPort[kind];
  if (!serve) throw new Error(`no server ${kind}`);
  console.log(await serve(file));
  process.stdin.on("end", () => process.exit(0)).resume();
}
