import { InMemoryTransport, Server } from "@modelcontextprotocol/server";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { createRouter, principal } from "@toolglot/trp-core";
import { CallChannel, createToolCalls, importMcpServer } from "@toolglot/trp-mcp";

let noted = 0;

function makeServer(): Server {
  const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object" as const, properties: { text: { type: "string" } } };
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "add", description: "Adds a note.", inputSchema, annotations: { destructiveHint: false } }],
  }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text" as const, text: `note ${++noted}` }] }));
  return server;
}

export async function consume(): Promise<string> {
  noted = 0;
  const router = createRouter({ allowVolatile: true });
  const channel = new CallChannel();
  const transport = async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await makeServer().connect(theirs);
    return ours;
  };
  const client = createMcpClient({ name: "notes", transport, exact: true });
  const server = await importMcpServer(router, client, { name: "notes", channel });
  await server.ready();
  const [tool] = server.tools;
  if (tool === undefined) throw new Error("the server has no tool");
  const calls = createToolCalls(router, { tool: () => tool, channel });
  const caller = { principal: principal({ id: "agent" }), client: { name: "consumer", version: "1" } };
  const statuses: string[] = [];
  for (const text of ["a", "a", "b"]) {
    statuses.push((await calls.call({ tool, arguments: { text } }, { caller })).outcome.status);
  }
  await calls.close();
  await server.close();
  await router.close();
  return `${tool.shownName} | ${statuses.join(", ")} | ${noted}`;
}

export const expected = "notes__add | done, replayed, done | 2";
