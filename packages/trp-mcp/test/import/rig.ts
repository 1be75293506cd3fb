import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@toolglot/core";
import { createMcpClient, type McpClient, type McpClientOptions } from "@toolglot/toolkit/mcp";
import { type CallResult, createClient, inProcessTransport } from "@toolglot/trp-client";
import { createPolicy, createRouter, principal, type Router } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { onTestFinished } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import {
  CallChannel,
  type CallExtras,
  type ImportedServer,
  type ImportedTool,
  type ImportNotice,
  type ImportOptions,
  importMcpServer,
} from "../../src/index.ts";

/** An answer of the router, and what the capability said beside it. */
export interface Made {
  result: CallResult;
  extras: CallExtras;
}

/** A router with a server's tools. */
export interface Rig {
  router: Router;
  store: RouterStore;
  server: ImportedServer;
  client: McpClient;
  notices: ImportNotice[];
  /** By the server's own name. */
  tool(name: string): ImportedTool;
  call(name: string, args?: JsonObject, more?: { key?: string; extras?: CallExtras }): Promise<Made>;
  /** Cancels the call that was made last. */
  cancel(): Promise<string>;
  /** Calls any capability. */
  callCap(capId: string, args?: JsonObject, more?: { key?: string; extras?: CallExtras }): Promise<Made>;
}

let calls = 0;

/** Imports a server. Everything is closed after the test. */
export async function rig(
  transport: McpClientOptions["transport"],
  {
    store: given,
    client: more,
    ...options
  }: Partial<ImportOptions> & {
    store?: RouterStore;
    client?: Partial<McpClientOptions>;
  } = {},
): Promise<Rig> {
  const store = given ?? (await storeUnderTest());
  const router = createRouter({
    store,
    allowVolatile: true,
    maxResultTokens: 4_000_000,
    policy: createPolicy({ version: "1", rules: [{ id: "all", decision: "allow" }] }),
  });
  const client = createMcpClient({ name: "server", transport, exact: true, elicitation: "host", ...more });
  const notices: ImportNotice[] = [];
  const channel = new CallChannel();
  const onNotice = (notice: ImportNotice): void => void notices.push(notice);
  const server = await importMcpServer(router, client, { name: "srv", channel, onNotice, ...options });
  const agent = createClient({
    transport: inProcessTransport(router, principal({ id: "agent" })),
    agentId: "agent",
    retry: { maxRetries: 0 },
  });
  onTestFinished(async () => {
    await agent.close();
    await server.close();
    await router.close({ graceMs: 100 });
  });
  const callCap: Rig["callCap"] = async (capId, args = {}, { key, extras = {} } = {}) => {
    const callId = `call-${++calls}`;
    channel.open(callId, extras);
    try {
      return { result: await agent.call({ capId, args, callId, key, timeoutMs: 60_000 }), extras };
    } finally {
      channel.close(callId);
    }
  };
  const tool = (name: string): ImportedTool => {
    const found = server.tools.find((one) => one.tool === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    return found;
  };
  return {
    cancel: () => agent.cancel(`call-${calls}`),
    router,
    store,
    server,
    client,
    notices,
    tool,
    callCap,
    call: (name, ...rest) => callCap(tool(name).capId, ...rest),
  };
}

/** A server of these tests over stdio, which behaves as it is told. */
export function oddServer(how: object, env: Record<string, string> = {}): McpClientOptions["transport"] {
  const program = fileURLToPath(new URL("fixtures/odd-server.mjs", import.meta.url));
  return { type: "stdio", command: process.execPath, args: [program], env: { HOW: JSON.stringify(how), ...env } };
}

/** A reference server over stdio. */
export function reference(
  name: "server-everything" | "server-filesystem",
  ...args: string[]
): McpClientOptions["transport"] {
  const path = new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url);
  return { type: "stdio", command: process.execPath, args: [fileURLToPath(path), ...args] };
}

/** A folder of the test's own. */
export function scratch(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "toolglot-import-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A file in which the server of these tests notes what it was asked. */
export interface Ledger {
  env: { LEDGER: string };
  /** `params` of each call. */
  calls(): (JsonObject & { name?: string; arguments?: JsonObject; _meta?: JsonObject })[];
  starts(): number;
  /** How many calls were cancelled. */
  cancelled(): number;
}

export function ledger(): Ledger {
  const path = join(scratch(), "ledger");
  const lines = (): string[] => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
  return {
    env: { LEDGER: path },
    calls: () => lines().flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as JsonObject] : [])),
    cancelled: () => lines().filter((line) => line === "cancelled").length,
    starts: () => lines().filter((line) => line === "start").length,
  };
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
