import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@toolglot/core";
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type LogLine,
  loadConfig,
  openTokens,
} from "../../src/index.ts";

const { resolve } = createRequire(import.meta.url);

/** How one starts an official server. */
export function officialServer(name: "server-everything" | "server-filesystem", ...args: string[]): JsonObject {
  const folder = dirname(resolve(`@modelcontextprotocol/${name}/package.json`));
  return { command: process.execPath, args: [join(folder, "dist/index.js"), ...args] };
}

/** How one starts the shop of these tests: reads, and writes that are counted in a file. */
export function shopServer(folder: string): JsonObject {
  return { command: process.execPath, args: [fileURLToPath(new URL("./processes/shop.mjs", import.meta.url)), folder] };
}

export interface Opened {
  gateway: Gateway;
  folder: string;
  lines: LogLine[];
  token: string;
  approver: string;
}

/** A gateway on a folder of its own, with a token of an agent and one of an approver. */
export async function open(
  mcpServers: JsonObject,
  settings: JsonObject = {},
  options: GatewayOptions = {},
  folder = mkdtempSync(join(tmpdir(), "toolglot-gateway-")),
): Promise<Opened> {
  const text = JSON.stringify({ mcpServers, gateway: { listen: { port: 0 }, ...settings } });
  const config = await loadConfig({ files: [{ name: "test.json", text, folder }], stateDir: folder });
  const tokens = await openTokens(join(folder, "tokens.json"));
  const { token } = await tokens.add({ principal: "agent" });
  const approver = await tokens.add({ principal: "ada", roles: ["approver", "metrics"] });
  tokens.close();
  const lines: LogLine[] = [];
  const gateway = await createGateway(config, { log: (line) => lines.push(line), ...options });
  return { gateway, folder, lines, token, approver: approver.token };
}
