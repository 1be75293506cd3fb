import type { McpServer } from "@modelcontextprotocol/server";
import { type AnyCapability, defineCapability } from "@toolglot/trp-core";
import { z } from "zod";
import { mcpServer } from "../mcp.ts";

/** What everything here calls: three short strings in, one out. */
export interface Lookup {
  city: string;
  street: string;
  number: string;
}

export const address: Lookup = { city: "Paris", street: "Rue de Rivoli", number: "12 bis" };
const inputSchema = z.object({ city: z.string(), street: z.string(), number: z.string() });
export const found = "12 bis, Rue de Rivoli, Paris";

async function lookup({ city, street, number }: Lookup): Promise<string> {
  return `${number}, ${street}, ${city}`;
}

/** The official MCP server with the same as a tool. */
export function addressServer(): McpServer {
  const server = mcpServer();
  const described = { description: "Puts an address into a line.", inputSchema };
  server.registerTool("read_address", described, async (input) => ({
    content: [{ type: "text" as const, text: await lookup(input) }],
  }));
  return server;
}

const line = {
  args: { city: "string", street: "string", number: "string" },
  execute: async (input: Lookup) => ({ line: await lookup(input) }),
} as const;

/** Reads: LOW risk, no key. */
export const readCapability: AnyCapability = defineCapability({
  capId: "cap.address.read.v1",
  name: "read_address",
  description: "Puts an address into a line.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  ...line,
});

/** Writes: MEDIUM risk, a key for each call. */
export const writeCapability: AnyCapability = defineCapability({
  capId: "cap.address.write.v1",
  name: "write_address",
  description: "Puts an address into a line, as if that changed something.",
  riskTier: "MEDIUM",
  ioClass: "WRITE",
  effect: "keyed",
  ...line,
});
