// An MCP server over stdio without dependencies, which starts at once. It tells on standard error what it ran, and `lose` ends it in the
// middle of a call. SHOP_WORDS: the description of its tools. SHOP_HOLD: a file that `hold` waits for.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const words = process.env.SHOP_WORDS ?? "Does it.";
const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const tools = [
  { name: "read", description: words, inputSchema, annotations: { readOnlyHint: true } },
  { name: "refund", description: words, inputSchema },
  { name: "lose", description: words, inputSchema, annotations: { destructiveHint: false } },
];
if (process.env.SHOP_HOLD) {
  tools.push({ name: "hold", description: words, inputSchema, annotations: { destructiveHint: false } });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const reply = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  if (id === undefined) continue;
  if (method === "initialize") {
    const { protocolVersion } = params;
    reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } } });
  } else if (method === "tools/list") reply({ result: { tools } });
  else if (method === "tools/call") {
    process.stderr.write(`ran ${params.name} ${JSON.stringify(params.arguments)}\n`);
    if (params.name === "lose") process.exit(1);
    if (params.name === "hold") while (!existsSync(process.env.SHOP_HOLD)) await setTimeout(5);
    reply({ result: { content: [{ type: "text", text: `${params.name} ${params.arguments.id}` }] } });
  } else reply({ error: { code: -32601, message: "no such method" } });
}
