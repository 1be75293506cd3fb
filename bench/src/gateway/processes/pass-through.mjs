// The least that can stand between a client and a server: the same SDK on both sides, and nothing decided.
// `pass-through.mjs stdio|http COMMAND ARG…`; over HTTP it says its port.
import { createServer } from "node:http";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [way, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "pass-through", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args }));

function makeServer() {
  const server = new Server({ name: "pass-through", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => client.listTools());
  server.setRequestHandler("tools/call", ({ params }) => client.callTool(params));
  return server;
}

if (way === "stdio") await makeServer().connect(new StdioServerTransport());
else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await makeServer().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
}
