// `mcp-proxy` by its own functions: its program needs Node 22 for a tunnel that nothing here uses. `proxy.mjs PORT COMMAND ARG…`
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Server } from "@modelcontextprotocol/server";
import { proxyServer, startHTTPServer } from "mcp-proxy";

const [port, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "mcp-proxy", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args }));
const serverCapabilities = client.getServerCapabilities();
await startHTTPServer({
  async createServer() {
    const server = new Server(client.getServerVersion(), { capabilities: serverCapabilities });
    await proxyServer({ client, server, serverCapabilities });
    return server;
  },
  eventStore: false,
  host: "127.0.0.1",
  port: Number(port),
  streamEndpoint: "/mcp",
  sseEndpoint: null,
});
console.log(port);
