import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { openSqlite } from "@toolglot/sqlite";
import { createRouter, principal } from "@toolglot/trp-core";
import { serveHttp } from "@toolglot/trp-core/node";
import { found, lookup, lookupZod, readCapability, writeCapability } from "./work.ts";

// A server in a separate process: `node servers.mjs echo|trp|mcp [FILE]`. Prints its URL, and after each line of input the
// gaps in its event loop since the line before (`Gaps`); ends with its parent.

/** How far apart the ticks of a timer of 1 ms came. Milliseconds. */
export interface Gaps {
  p50: number;
  p99: number;
  max: number;
}

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
      ...(file ? { store: await openSqlite({ file }) } : { allowVolatile: true }),
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
