import { Agent, request } from "node:http";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { McpServer } from "@modelcontextprotocol/server";
import type { Called } from "./load.ts";
import { address, found, lookup, lookupZod } from "./work.ts";

/** A peer that runs, and its end. */
export interface Peer extends Called {
  close(): Promise<void>;
}

function caller(name: string, client: Client): Peer {
  return {
    name,
    call: async () => {
      const { content } = await client.callTool({ name: "read_address", arguments: { ...address } });
      const [first] = content as { text?: string }[];
      if (first?.text !== found) throw new Error(`${name} gave ${JSON.stringify(content)}`);
    },
    close: () => client.close(),
  };
}

/** The official client and server, joined in memory. */
export async function mcpInMemory(): Promise<Peer> {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool(
    "read_address",
    { description: "Puts an address into a line.", inputSchema: lookupZod },
    async (input) => ({ content: [{ type: "text" as const, text: await lookup(input) }] }),
  );
  const client = new Client({ name: "bench", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  return caller("MCP in memory", client);
}

/** The official client over Streamable HTTP. */
export async function mcpOverHttp(url: string): Promise<Peer> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return caller("MCP Streamable HTTP", client);
}

/** The official client, which starts the server as a child. */
export async function mcpOverStdio(command: string, args: string[]): Promise<Peer> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args }));
  return caller("MCP over standard streams", client);
}

/** The least that a client of HTTP with JSON can be in Node, with a body as long as a frame's. */
export function echo(url: string): Peer {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const filler = "x".repeat(380);
  let id = 0;
  return {
    name: "bare JSON echo",
    call: () =>
      new Promise<void>((resolve, reject) => {
        const own = ++id;
        const body = JSON.stringify({ id: own, filler, args: address });
        const sending = request(
          url,
          {
            agent,
            method: "POST",
            headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk) => chunks.push(chunk));
            response.on("end", () => {
              const answer = JSON.parse(Buffer.concat(chunks).toString());
              if (answer.id === own && answer.result.line === found) resolve();
              else reject(new Error(`echo gave ${JSON.stringify(answer)}`));
            });
          },
        );
        sending.on("error", reject);
        sending.end(body);
      }),
    close: async () => agent.destroy(),
  };
}
