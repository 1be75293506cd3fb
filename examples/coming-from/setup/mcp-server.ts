import { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Starts an MCP server in this process, and returns the transport of its client. */
export async function transport() {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.registerTool(
    "read_lines",
    {
      description: "Reads lines of a file.",
      inputSchema: z.object({ path: z.string(), lines: z.int() }),
      annotations: { readOnlyHint: true },
    },
    async ({ path, lines }) => ({ content: [{ type: "text", text: `${lines} lines of ${path}` }] }),
  );
  server.registerTool(
    "delete_file",
    {
      description: "Deletes a file.",
      inputSchema: z.object({ path: z.string() }),
      annotations: { destructiveHint: true },
    },
    async ({ path }) => {
      console.log(`${path} is gone`);
      return { content: [{ type: "text", text: "deleted" }] };
    },
  );
  const [client, end] = InMemoryTransport.createLinkedPair();
  await server.connect(end);
  return client;
}
