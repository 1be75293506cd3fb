import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Toolkit } from "@toolglot/toolkit";
import { createMcpClient } from "@toolglot/toolkit/mcp";
import { ownSubjects } from "../../toolkit/own.ts";
import { address, addressServer, found } from "../../trp/work.ts";
import type { Ready, Unit } from "../meter.ts";

export const units = (): Unit[] => [
  { name: "a tool call of a toolkit, ten fields on ajv", ready: onAjv },
  { name: "an MCP call of a toolkit", ready: mcpCall },
];

function onAjv(): Ready {
  const { onAjv: subject } = ownSubjects();
  return {
    async once() {
      if ((await subject.call()) !== subject.expected) throw new Error("another result");
    },
  };
}

/** To the official server, in memory. Most of its time is the official client's. */
async function mcpCall(): Promise<Ready> {
  const server = addressServer();
  const client = createMcpClient({
    name: "addresses",
    async transport() {
      const [near, far] = InMemoryTransport.createLinkedPair();
      await server.connect(far);
      return near;
    },
  });
  const toolkit = new Toolkit();
  await toolkit.registerMcpClient(client);
  return {
    async once() {
      let text = "";
      for await (const { content } of toolkit.callToolFunction({ name: "read_address", input: { ...address } })) {
        for (const block of content) if (block.type === "text") text = block.text;
      }
      if (text !== found) throw new Error(text);
    },
    isElsewhere: true,
    close: () => toolkit.close(),
  };
}
