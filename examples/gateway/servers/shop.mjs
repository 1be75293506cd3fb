// A shop as an MCP server over stdio: a read, a refund that must not happen twice, and a write that takes its time.
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const orders = new Map([
  ["A-1", { item: "lantern", total: 40, refunded: 0 }],
  ["A-2", { item: "tent", total: 900, refunded: 0 }],
]);
let refunds = 0;

const server = new McpServer({ name: "shop", version: "1.0.0" });
const orderId = z.string().describe("As A-1");
const text = (value) => ({ content: [{ type: "text", text: value }] });
const refused = (value) => ({ ...text(value), isError: true });

server.registerTool(
  "get_order",
  {
    description: "Reads an order.",
    inputSchema: z.object({ id: orderId }),
    annotations: { readOnlyHint: true },
  },
  ({ id }) => {
    const order = orders.get(id);
    return order === undefined ? refused(`There is no order ${id}.`) : text(JSON.stringify({ id, ...order }));
  },
);

// It says nothing of what it does, so the gateway takes it for the worst: HIGH risk, and nothing that may be repeated.
server.registerTool(
  "refund",
  {
    description: "Pays money back for an order.",
    inputSchema: z.object({ id: orderId, amount: z.number().positive() }),
  },
  ({ id, amount }) => {
    const order = orders.get(id);
    if (order === undefined) return refused(`There is no order ${id}.`);
    if (order.refunded + amount > order.total) return refused(`Order ${id} was ${order.total}: that is too much.`);
    order.refunded += amount;
    refunds += 1;
    return text(`Refund ${refunds}: ${amount} of order ${id}; ${order.refunded} of ${order.total} paid back so far.`);
  },
);

server.registerTool(
  "import_catalog",
  {
    description: "Imports the catalog anew, which takes some seconds.",
    inputSchema: z.object({ pages: z.int().min(1).max(100).default(5) }),
    annotations: { destructiveHint: false, idempotentHint: true },
  },
  async ({ pages }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let page = 1; page <= pages; page++) {
      await sleep(500, undefined, { signal: mcpReq.signal });
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress: page, total: pages },
        });
    }
    return text(`${pages} pages imported.`);
  },
);

await server.connect(new StdioServerTransport());
