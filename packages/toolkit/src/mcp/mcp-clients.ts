import { checkKeys, maxTimerMs } from "@toolglot/internal";
import { ToolkitError } from "../errors.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { checkNames } from "../registry/tool-groups.ts";
import { McpRegistration } from "./registration.ts";
import type { McpClient, RegisterMcpOptions } from "./types.ts";

/** The MCP clients of one toolkit. */
export class McpClients {
  readonly #registry: ToolRegistry;
  readonly #held = new Map<McpClient, McpRegistration[]>();

  constructor(registry: ToolRegistry) {
    this.#registry = registry;
  }

  /** Registers all tools of a server, or none. Returns warnings. */
  async register(client: McpClient, options: RegisterMcpOptions): Promise<string[]> {
    checkArguments(client, options);
    this.#registry.groups.demand(options.groupName ?? "basic");
    this.#demandName(client);
    const wasConnected = client.connected;
    const registration = new McpRegistration(client, this.#registry, options);
    let warnings: string[];
    try {
      warnings = await registration.register();
      this.#demandName(client);
    } catch (error) {
      registration.remove();
      if (!wasConnected && !this.#held.has(client)) await client.close();
      throw error;
    }
    this.#held.set(client, [...(this.#held.get(client) ?? []), registration]);
    return warnings;
  }

  /** Removes the tools of clients, and closes them. Returns warnings: names that are none. */
  async remove(names: readonly string[]): Promise<string[]> {
    checkNames("MCP clients", names);
    const found = [...this.#held].filter(([{ name }]) => names.includes(name));
    for (const [client, registrations] of found) {
      this.#held.delete(client);
      for (const registration of registrations) registration.remove();
    }
    await Promise.all(found.map(([client]) => client.close()));
    const known = new Set(found.map(([{ name }]) => name));
    return names.filter((name) => !known.has(name)).map((name) => `There is no MCP client ${JSON.stringify(name)}.`);
  }

  /** Removes and closes all. */
  async close(): Promise<void> {
    await this.remove([...this.#held.keys()].map(({ name }) => name));
  }

  /** The tools are gone, and don't come back; the clients stay open until they are removed. */
  detach(): void {
    for (const [client, registrations] of this.#held) {
      for (const registration of registrations) registration.detach();
      this.#held.set(client, []);
    }
  }

  /** Names must differ, because clients are removed by name. */
  #demandName(client: McpClient): void {
    const { name } = client;
    if ([...this.#held.keys()].every((held) => held === client || held.name !== name)) return;
    const message = `There is an MCP client ${JSON.stringify(name)} already: give this one another name`;
    throw new ToolkitError("toolkit/name-clash", message, { name });
  }
}

function checkArguments(client: McpClient, options: RegisterMcpOptions): void {
  const needed = ["connect", "listTools", "callTool", "onToolsChanged", "close"] as const;
  if (needed.some((method) => typeof client?.[method] !== "function")) {
    throw new TypeError("registerMcpClient needs a client of createMcpClient, from @toolglot/toolkit/mcp");
  }
  checkKeys("registerMcpClient", options, [
    "groupName enableTools disableTools presetsByTool postprocess wrapToolResult namesakeStrategy",
    "timeoutMs onToolsChanged",
  ]);
  const { enableTools, disableTools, timeoutMs, presetsByTool } = options;
  for (const [option, names] of Object.entries({ enableTools, disableTools })) {
    if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === "string"))) {
      throw new TypeError(`registerMcpClient: ${option} must be an array of tool names`);
    }
  }
  const both = enableTools?.filter((name) => disableTools?.includes(name)) ?? [];
  if (both.length > 0) {
    throw new TypeError(`registerMcpClient: ${both.join(", ")} stand in enableTools and in disableTools: choose one`);
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= maxTimerMs)) {
    throw new TypeError(`registerMcpClient: timeoutMs must be milliseconds from 1 to ${maxTimerMs}, not ${timeoutMs}`);
  }
  if (presetsByTool !== undefined && (typeof presetsByTool !== "object" || presetsByTool === null)) {
    throw new TypeError("registerMcpClient: presetsByTool must be an object: { tool: { argument: value } }");
  }
}
