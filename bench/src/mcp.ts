import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";

export const mcpServer = (): McpServer => new McpServer({ name: "bench", version: "1.0.0" });

export const mcpClient = (): Client => new Client({ name: "bench", version: "1.0.0" });

/** The official client, joined to a server in memory. */
export async function joined(server: McpServer): Promise<Client> {
  const client = mcpClient();
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  return client;
}
