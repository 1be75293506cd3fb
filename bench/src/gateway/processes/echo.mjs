// What stands behind every gateway that is measured: a read and a write that do nothing.
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const tools = [
  { name: "read", description: "Says it back.", inputSchema, annotations: { readOnlyHint: true } },
  { name: "write", description: "Notes it.", inputSchema, annotations: { destructiveHint: false } },
];
const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => ({ tools }));
server.setRequestHandler("tools/call", ({ params }) => ({
  content: [{ type: "text", text: String(params.arguments?.text) }],
}));
await server.connect(new StdioServerTransport());
