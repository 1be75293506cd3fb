// A shop: what it does stands in a file, one line for each time that it was done.
// SHOP_WORDS: the description of its refund.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [folder = "."] = process.argv.slice(2);
const id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const tools = [
  { name: "read_order", description: "Reads an order.", inputSchema: id, annotations: { readOnlyHint: true } },
  {
    name: "add_note",
    description: "Adds a note to an order.",
    inputSchema: id,
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  { name: "refund", description: process.env.SHOP_WORDS ?? "Refunds an order: money goes out.", inputSchema: id },
];
const server = new Server({ name: "shop", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => ({ tools }));
server.setRequestHandler("tools/call", ({ params }) => {
  const order = params.arguments?.id;
  if (params.name !== "read_order") appendFileSync(join(folder, "done.txt"), `${params.name} ${order}\n`);
  // Nobody hears what became of it.
  if (order === "lost") process.exit(1);
  if (order === "none") return { content: [{ type: "text", text: "there is no such order" }], isError: true };
  // What came with the request, where a trace did.
  const meta = params._meta?.traceparent && { meta: params._meta };
  return {
    content: [{ type: "text", text: `${params.name} ${order}: done` }],
    structuredContent: { order, ok: true, ...meta },
  };
});
await server.connect(new StdioServerTransport());
