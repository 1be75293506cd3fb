import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import type { McpClientOptions, McpListedTool } from "../../src/mcp/index.ts";
import type { McpClient } from "../../src/mcp/types.ts";
import { clientOf } from "./support.ts";

/** A server in this process, behind a transport of the test's own. */
export interface InProcess {
  client: McpClient;
  /** The list; change it, then tell. */
  tools: McpListedTool[];
  /** Sends `tools/list_changed`. */
  tell(): Promise<void>;
  /** Names of the tools that were called, in order. */
  called: string[];
  /** How many sessions are open. */
  open(): number;
  /** How many pages of the list were asked for. */
  listings(): number;
}

/** A listed tool without parameters. */
export function listed(name: string, more: Partial<McpListedTool> = {}): McpListedTool {
  return { name, description: `Tool ${name}.`, inputSchema: { type: "object" }, ...more };
}

const pageSize = 100;

type Answer = (name: string, input: Record<string, unknown>) => unknown;

/** A server with these tools, each of which answers with its name. */
export function inProcess(
  tools: McpListedTool[],
  options: Partial<McpClientOptions> & { answer?: Answer } = {},
): InProcess {
  const { answer = (name) => ({ content: [{ type: "text", text: name }] }), ...rest } = options;
  const state = { tools, called: [] as string[] };
  const servers = new Set<Server>();
  let listings = 0;
  const transport: McpClientOptions["transport"] = async () => {
    const server = new Server({ name: "here", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler("tools/list", ({ params }) => {
      listings += 1;
      const from = Number(params?.cursor ?? 0);
      const more = from + pageSize < state.tools.length;
      const page = state.tools.slice(from, from + pageSize);
      return { tools: page as never, ...(more && { nextCursor: String(from + pageSize) }) };
    });
    server.setRequestHandler("tools/call", async ({ params }) => {
      state.called.push(params.name);
      return (await answer(params.name, params.arguments ?? {})) as never;
    });
    server.onclose = () => void servers.delete(server);
    servers.add(server);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs as never);
    return ours;
  };
  return Object.assign(state, {
    client: clientOf({ name: "here", transport, ...rest }),
    tell: async () => {
      for (const server of servers) await server.sendToolListChanged();
    },
    open: () => servers.size,
    listings: () => listings,
  });
}
