// An MCP server over stdio without dependencies. What it does stands in a file, one line each time, with the process that started it.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [file] = process.argv.slice(2);
const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const tools = [
  { name: "read", inputSchema, annotations: { readOnlyHint: true } },
  { name: "note", inputSchema, annotations: { destructiveHint: false } },
  { name: "slow_note", inputSchema, annotations: { destructiveHint: false } },
  { name: "refund", inputSchema },
];

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  const reply = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  if (id === undefined) return;
  if (method === "initialize") {
    const { protocolVersion } = params;
    reply({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } } });
  } else if (method === "tools/list") reply({ result: { tools } });
  else if (method === "tools/call") {
    if (params.name === "slow_note") await sleep(400);
    appendFileSync(file, `${process.ppid} ${params.name} ${params.arguments.id}\n`);
    reply({ result: { content: [{ type: "text", text: `${params.name} ${params.arguments.id}` }] } });
  } else reply({ error: { code: -32601, message: "no such method" } });
});
