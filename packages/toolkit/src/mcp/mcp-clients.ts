import { neutralize } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";
import { checkKeys, maxTimerMs } from "@toolglot/internal";
import type { RegisteredToolFunction } from "../call/registered.ts";
import { ToolkitError } from "../errors.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { checkNames } from "../registry/tool-groups.ts";
import { McpRegistration } from "./registration.ts";
import { resourceTools } from "./resource-tools.ts";
import type { McpClient, RegisterMcpOptions } from "./types.ts";

/** The MCP clients of one toolkit. */
export class McpClients {
  readonly #registry: ToolRegistry;
  readonly #held = new Map<McpClient, McpRegistration[]>();
  /** A server that was started anew may have resources now, or none any more. */
  readonly #watches = new Map<McpClient, () => void>();
  /** Those whose registration is under way. */
  readonly #registering = new Set<McpClient>();
  #isClosed = false;
  /** The tools for resources, as they are registered, and whose resources, in which group. */
  #resources: { tools: RegisteredToolFunction[]; of: string } = { tools: [], of: "" };

  constructor(registry: ToolRegistry) {
    this.#registry = registry;
  }

  /** Registers all tools of a server, or none. Returns warnings. */
  async register(client: McpClient, options: RegisterMcpOptions): Promise<string[]> {
    checkArguments(client, options);
    this.#demandOpen(client);
    this.#registry.groups.demand(options.groupName ?? "basic");
    this.#demandName(client);
    const wasConnected = client.connected;
    const registration = new McpRegistration(client, this.#registry, options);
    let warnings: string[];
    this.#registering.add(client);
    try {
      warnings = await registration.register();
      this.#demandOpen(client);
      this.#demandName(client);
    } catch (error) {
      registration.remove();
      if (!wasConnected && !this.#held.has(client)) await client.close();
      if (this.#isClosed) this.#demandOpen(client);
      throw error;
    } finally {
      this.#registering.delete(client);
    }
    this.#held.set(client, [...(this.#held.get(client) ?? []), registration]);
    if (!this.#watches.has(client))
      this.#watches.set(
        client,
        client.onToolsChanged(() => void this.#offerResources()),
      );
    return [...warnings, ...this.#offerResources()];
  }

  /** Returns the servers' instructions for a model. */
  instructions(): string | undefined {
    return instructionsOf(this.#live().map(([client]) => client));
  }

  /** Returns the clients whose tools are registered. */
  #live(): [McpClient, McpRegistration[]][] {
    return [...this.#held].filter(([, registrations]) => registrations.length > 0);
  }

  /** Registers one pair of tools for the resources of all servers, however many they are. Returns warnings. */
  #offerResources(): string[] {
    const having = this.#live().filter(([client]) => client.capabilities?.includes("resources"));
    const groups = new Set(having.flatMap(([, registrations]) => registrations.map(({ groupName }) => groupName)));
    const [first = "basic"] = groups;
    const groupName = groups.size === 1 && this.#registry.groups.all.has(first) ? first : "basic";
    const of = JSON.stringify([groupName, having.map(([{ name }]) => name)]);
    if (of === this.#resources.of) return [];
    const before = this.#resources.tools;
    const isOurs = (tool: RegisteredToolFunction): boolean => this.#registry.unextended(tool.name) === tool;
    // What the host has taken away or replaced stays as the host wants it.
    const wanted = before.length === 0 || before.every(isOurs);
    for (const tool of before) if (isOurs(tool)) this.#registry.remove(tool.name);
    this.#resources = { tools: [], of };
    if (having.length === 0 || !wanted) return [];
    const tools = resourceTools(having.map(([client]) => client));
    const taken = tools.filter(({ name }) => this.#registry.tools.has(name)).map(({ name }) => name);
    if (taken.length > 0) {
      return [`There is a tool ${taken.join(" and ")} already: the resources of MCP servers get no tools.`];
    }
    for (const tool of tools) this.#registry.register(tool, { groupName });
    this.#resources.tools = tools.flatMap(({ name }) => this.#registry.unextended(name) ?? []);
    return [];
  }

  /** Removes the tools of clients, and closes them. Returns warnings: names that are none. */
  async remove(names: readonly string[]): Promise<string[]> {
    checkNames("MCP clients", names);
    const found = [...this.#held].filter(([{ name }]) => names.includes(name));
    for (const [client, registrations] of found) {
      this.#held.delete(client);
      this.#watches.get(client)?.();
      this.#watches.delete(client);
      for (const registration of registrations) registration.remove();
    }
    this.#offerResources();
    await Promise.all(found.map(([client]) => client.close()));
    const known = new Set(found.map(([{ name }]) => name));
    return names.filter((name) => !known.has(name)).map((name) => `There is no MCP client ${JSON.stringify(name)}.`);
  }

  /** Removes and closes all, also those that are being registered; nothing can be registered any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const begun = [...this.#registering].map((client) => client.close());
    await this.remove([...this.#held.keys()].map(({ name }) => name));
    await Promise.all(begun);
  }

  #demandOpen({ name }: McpClient): void {
    if (!this.#isClosed) return;
    const message = `The toolkit is closed, so the MCP client ${JSON.stringify(name)} can't be registered`;
    throw new ToolkitError("toolkit/closed", message, { name });
  }

  /** Detaches all clients: their tools are gone, and don't come back; the clients stay open until they are removed. */
  detach(): void {
    for (const [client, registrations] of this.#held) {
      for (const registration of registrations) registration.detach();
      this.#held.set(client, []);
    }
    this.#resources = { tools: [], of: "" };
  }

  /** Throws when the client's name is taken: names must differ, because clients are removed by name. */
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
    'groupName:text enableTools:string[] disableTools:string[] presetsByTool:object postprocess:function wrapToolResult:boolean namesakeStrategy:"skip"|"raise"|"override"|"rename"',
    "timeoutMs:number onToolsChanged:function",
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

/** UTF-16 units that one server may say of itself. */
const maxLength = 2000;

/** Returns the servers' instructions, each under a heading with the host's name for it. Nothing in it can open a block. */
function instructionsOf(clients: Iterable<McpClient>): string | undefined {
  const parts = [...clients].flatMap(({ name, instructions }) => {
    const text = instructions?.trim();
    return text
      ? [`## About the MCP server ${JSON.stringify(name)}, in its own words\n${neutralize(shortened(text))}`]
      : [];
  });
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** Returns a text cut at the end of a line, where there is one. */
function shortened(text: string): string {
  if (text.length <= maxLength) return text;
  const cut = cutText(text, maxLength - 1);
  const line = cut.lastIndexOf("\n");
  return `${(line > 0 ? cut.slice(0, line) : cut).trimEnd()}…`;
}
