import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createRouter, principal } from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { openSqliteStore } from "@toolglot/trp-sqlite";
import { found, lookup, lookupZod, readCapability, writeCapability } from "./work.ts";

// A server in a separate process: `node servers.mjs echo|trp|mcp [FILE]`. Prints its URL; ends with its parent.

const makers: Record<string, (file: string | undefined) => Promise<string>> = {
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
  trp: async (file) => {
    const router = createRouter({
      capabilities: [readCapability, writeCapability],
      ...(file ? { store: await openSqliteStore({ file }) } : { allowVolatile: true }),
    });
    const who = principal({ id: "bench" });
    const { url } = await serveHttp(router, { port: 0, authenticate: () => who });
    return url;
  },
  mcp: async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "bench", version: "1.0.0" });
      server.registerTool(
        "read_address",
        { description: "Puts an address into a line.", inputSchema: lookupZod },
        async (input) => ({ content: [{ type: "text" as const, text: await lookup(input) }] }),
      );
      return server;
    });
    const answer = toNodeHandler(handler);
    // Its declarations are stricter about undefined than Node's.
    type Asked = Parameters<typeof answer>[0];
    return listen(createServer((request, response) => void answer(request as Asked, response)));
  },
};

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

const [kind, file] = process.argv.slice(2) as [string, string | undefined];
const make = makers[kind];
if (!make) throw new Error(`no server ${kind}`);
console.log(await make(file));
process.stdin.on("end", () => process.exit(0)).resume();
