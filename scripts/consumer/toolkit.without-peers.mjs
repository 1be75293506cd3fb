// Run where @toolglot/toolkit is installed and @modelcontextprotocol/client isn't: the message must say what to install.
import assert from "node:assert/strict";
import { Toolkit } from "@toolglot/toolkit";
import { createMcpClient } from "@toolglot/toolkit/mcp";

const transports = [
  { type: "http", url: "http://127.0.0.1:1/mcp" },
  { type: "stdio", command: process.execPath },
];
for (const transport of transports) {
  const registering = new Toolkit().registerMcpClient(createMcpClient({ name: "none", transport }));
  const outcome = await registering.catch((error) => String(error.message));
  assert.match(String(outcome), /npm install @modelcontextprotocol\/client/);
}
