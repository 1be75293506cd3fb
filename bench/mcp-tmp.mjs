import { Client } from "@modelcontextprotocol/client";
import * as S from "@modelcontextprotocol/server";
import * as C from "@modelcontextprotocol/client";
import { z } from "zod";
const T = C.InMemoryTransport ?? S.InMemoryTransport;
const server = new S.McpServer({ name: "a", version: "1" });
server.registerTool("read_address", { description: "d", inputSchema: z.object({ city: z.string(), street: z.string(), number: z.string() }) }, async (i) => ({ content: [{ type: "text", text: `${i.number}, ${i.street}, ${i.city}` }] }));
const client = new Client({ name: "b", version: "1" });
const [a, b] = T.createLinkedPair();
await server.connect(a); await client.connect(b);
const callers = +process.argv[2];
const call = () => client.callTool({ name: "read_address", arguments: { city: "Paris", street: "Rue de Rivoli", number: "12 bis" } });
const run = async (n) => { let left = n; await Promise.all(Array.from({ length: callers }, async () => { while (left-- > 0) await call(); })); };
await run(5000); const best = [];
for (let i = 0; i < 7; i++) { const c = process.cpuUsage(); await run(2000); const u = process.cpuUsage(c); best.push((u.user + u.system) / 2000); }
best.sort((x, y) => x - y); console.log("mcp", callers, best[0].toFixed(1), best[3].toFixed(1));
