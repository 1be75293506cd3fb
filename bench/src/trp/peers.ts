import { Agent, request } from "node:http";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { joined, mcpClient } from "../mcp.ts";
import type { Peer } from "./load.ts";
import { address, addressServer, found } from "./work.ts";

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
export const mcpInMemory = async (): Promise<Peer> => caller("MCP in memory", await joined(addressServer()));

async function over(name: string, transport: Parameters<Client["connect"]>[0]): Promise<Peer> {
  const client = mcpClient();
  await client.connect(transport);
  return caller(name, client);
}

/** The official client over Streamable HTTP. */
export const mcpOverHttp = (url: string, more = ""): Promise<Peer> =>
  over(`MCP Streamable HTTP${more}`, new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));

/** The official client, which starts the server as a child. */
export const mcpOverStdio = (command: string, args: string[]): Promise<Peer> =>
  over("MCP over standard streams", new StdioClientTransport({ command, args }));

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
        const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
        const sending = request(url, { agent, method: "POST", headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("end", () => {
            const answer = JSON.parse(Buffer.concat(chunks).toString());
            if (answer.id === own && answer.result.line === found) resolve();
            else reject(new Error(`echo gave ${JSON.stringify(answer)}`));
          });
        });
        sending.on("error", reject);
        sending.end(body);
      }),
    close: async () => agent.destroy(),
  };
}
