import type { AnyTool } from "@toolglot/core";
import { defined, errorText } from "@toolglot/internal";
import type { RegisteredToolFunction } from "../call/registered.ts";
import { readRegistration } from "../registry/register.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { RegisterOptions } from "../types.ts";
import { toolOf } from "./mcp-tool.ts";
import { safeName } from "./safe-name.ts";
import type { McpClient, McpListedTool, McpToolsChange, RegisterMcpOptions } from "./types.ts";

/** One tool of a server, as it is registered in the toolkit. */
interface Entry {
  name: string;
  registered: RegisteredToolFunction | undefined;
  /** The server's listing of it, as JSON. */
  listing: string;
}

/** The tools of one client in one toolkit, which follow the server's list. */
export class McpRegistration {
  readonly client: McpClient;
  readonly #registry: ToolRegistry;
  readonly #options: RegisterMcpOptions;
  /** By the server's names. */
  readonly #entries = new Map<string, Entry>();
  #unsubscribe: (() => void) | undefined;
  #detached = false;
  #registered = false;
  #outdated = false;
  #refreshing = false;

  constructor(client: McpClient, registry: ToolRegistry, options: RegisterMcpOptions) {
    this.client = client;
    this.#registry = registry;
    this.#options = options;
  }

  get groupName(): string {
    return this.#options.groupName ?? "basic";
  }

  /** Registers all tools that can be used, or none. Returns warnings. */
  async register(): Promise<string[]> {
    // Before listing: what changes in between must not be missed.
    this.#unsubscribe = this.client.onToolsChanged(() => this.#refresh());
    try {
      await this.client.connect();
      const listed = await this.client.listTools();
      const warnings = this.#unknownNames(listed);
      const undo = this.#registry.snapshot();
      try {
        for (const tool of this.#wanted(listed, warnings)) warnings.push(...this.#add(tool));
      } catch (error) {
        undo();
        throw error;
      }
      this.#registered = true;
      if (this.#outdated) this.#refresh();
      return warnings;
    } catch (error) {
      this.detach();
      throw error;
    }
  }

  /** Removes the tools that are still those of this client. */
  remove(): void {
    for (const { name, registered } of this.#entries.values()) {
      if (registered !== undefined && this.#registry.unextended(name) === registered) this.#registry.remove(name);
    }
    this.detach();
  }

  /** Follows the server no longer. */
  detach(): void {
    this.#detached = true;
    this.#unsubscribe?.();
    this.#entries.clear();
  }

  /** Returns the names in the options that the server doesn't have. */
  #unknownNames(listed: readonly McpListedTool[]): string[] {
    const known = new Set(listed.map(({ name }) => name));
    const { enableTools = [], disableTools = [], presetsByTool = {} } = this.#options;
    const lists = Object.entries({ enableTools, disableTools, presetsByTool: Object.keys(presetsByTool) });
    return lists.flatMap(([option, names]) =>
      [...new Set(names)]
        .filter((name) => !known.has(name))
        .map((name) => `${option}: the MCP server "${this.client.name}" has no tool ${JSON.stringify(name)}.`),
    );
  }

  #wanted(listed: readonly McpListedTool[], warnings: string[]): McpListedTool[] {
    const { enableTools, disableTools } = this.#options;
    const seen = new Set<string>();
    return listed.filter(({ name, execution, unusable, notes = [] }) => {
      if (enableTools?.includes(name) === false || disableTools?.includes(name)) return false;
      if (seen.has(name)) {
        warnings.push(`${this.#shown(name)} is listed twice: the first stands.`);
        return false;
      }
      seen.add(name);
      const why = execution?.taskSupport === "required" ? "it can only be called as an MCP task" : unusable;
      if (why !== undefined) warnings.push(`${this.#shown(name)} is left out: ${why}.`);
      else warnings.push(...notes.map((note) => `${this.#shown(name)} has a field that can't be read: ${note}.`));
      return why === undefined;
    });
  }

  #shown(name: string): string {
    return `The tool ${JSON.stringify(name)} of the MCP server "${this.client.name}"`;
  }

  /**
   * Registers one tool; `name`: in place of what it was registered as before. One that the server describes so that it can't be
   * used is left out, with a warning. Throws what the registry throws else. Returns warnings.
   */
  #add(listed: McpListedTool, name?: string): string[] {
    const { groupName, postprocess, timeoutMs, wrapToolResult, presetsByTool } = this.#options;
    const presets = own(presetsByTool, listed.name);
    const namesakeStrategy = name === undefined ? this.#options.namesakeStrategy : "override";
    const safe = safeName(listed.name);
    const options: RegisterOptions = defined({
      name: name ?? (safe === listed.name ? undefined : safe),
      groupName,
      presets,
      postprocess,
      timeoutMs,
      namesakeStrategy,
    });
    const tool = toolOf(this.client, listed, wrapToolResult === false);
    let made: ReturnType<ToolRegistry["register"]>;
    try {
      made = this.#registry.register(tool, options);
    } catch (error) {
      const fault = faultOf(tool);
      if (fault === undefined) throw error;
      if (name !== undefined) this.#registry.remove(name);
      this.#entries.delete(listed.name);
      return [`${this.#shown(listed.name)} is left out: ${fault}.`];
    }
    this.#entries.set(listed.name, {
      name: made.name ?? listed.name,
      registered: made.name === undefined ? undefined : this.#registry.unextended(made.name),
      listing: JSON.stringify(listed),
    });
    if (name === undefined && made.name !== undefined && safe !== listed.name) {
      made.warnings.push(`${this.#shown(listed.name)} is registered as "${made.name}".`);
    }
    return made.warnings;
  }

  /** Lists again and brings the toolkit in line; once more when the list changed meanwhile. */
  #refresh(): void {
    this.#outdated = true;
    if (this.#refreshing || !this.#registered) return;
    this.#refreshing = true;
    void this.#follow().finally(() => {
      this.#refreshing = false;
    });
  }

  async #follow(): Promise<void> {
    while (this.#outdated && !this.#detached) {
      this.#outdated = false;
      let change: McpToolsChange;
      try {
        const listed = await this.client.listTools();
        if (this.#detached) return;
        change = this.#apply(listed);
      } catch (error) {
        if (this.#detached) return;
        const why = errorText(error);
        const warnings = [
          `The tools of the MCP server "${this.client.name}" may have changed, and can't be listed: ${why}`,
        ];
        change = { client: this.client.name, added: [], removed: [], changed: [], warnings };
      }
      const { added, removed, changed, warnings } = change;
      if (added.length + removed.length + changed.length + warnings.length > 0) this.#report(change);
    }
  }

  #apply(listed: readonly McpListedTool[]): McpToolsChange {
    const change: McpToolsChange = { client: this.client.name, added: [], removed: [], changed: [], warnings: [] };
    const wanted = this.#wanted(listed, change.warnings);
    const left = new Set(wanted.map(({ name }) => name));
    for (const [remote, { name, registered }] of this.#entries) {
      if (left.has(remote)) continue;
      this.#entries.delete(remote);
      if (registered === undefined || this.#registry.unextended(name) !== registered) continue;
      this.#registry.remove(name);
      change.removed.push(name);
    }
    for (const tool of wanted) {
      const entry = this.#entries.get(tool.name);
      // What the host has taken away or replaced stays as the host wants it.
      if (entry && (entry.registered === undefined || this.#registry.unextended(entry.name) !== entry.registered))
        continue;
      if (entry?.listing === JSON.stringify(tool)) continue;
      try {
        const warnings = this.#add(tool, entry?.name);
        const made = this.#entries.get(tool.name);
        if (entry === undefined || made === undefined) change.warnings.push(...warnings);
        if (entry !== undefined) (made === undefined ? change.removed : change.changed).push(entry.name);
        else if (made?.registered !== undefined) change.added.push(made.name);
      } catch (error) {
        change.warnings.push(errorText(error));
      }
    }
    return change;
  }

  #report(change: McpToolsChange): void {
    try {
      this.#options.onToolsChanged?.(change);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** Returns why a server's tool can't be used, whatever it is registered as. */
function faultOf(tool: AnyTool): string | undefined {
  try {
    readRegistration(tool, {}, []);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
