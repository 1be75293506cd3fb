import { errorText } from "@toolglot/internal";
import type { McpClient, McpListedTool, Toolkit } from "@toolglot/toolkit";
import type { Session, ToolOrigin } from "../cli/session.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { type McpServer, readMcpFile } from "./mcp-file.ts";

/**
 * Adds the tools of MCP servers to those of a session, and notes where each comes from. `files`: absolute paths. A server that can't be
 * reached is named to `note`, and left out. Rejects with `UsageError` for a file that is not as it must be.
 */
export async function addMcpServers(
  { toolkit, origins }: Pick<Session, "toolkit" | "origins">,
  files: readonly string[],
  config: Pick<LoadedConfig, "env" | "folder">,
  note: (text: string) => void,
): Promise<void> {
  const noteNew: Noting["noteNew"] = (from, label, isUnstated) => {
    for (const name of toolkit.registered.keys())
      if (!origins.has(name)) origins.set(name, { from, label, isUnstated: isUnstated(name) });
  };
  const servers = files.flatMap((path) => readMcpFile(path, config));
  const twice = servers.find(({ name }, index) => servers.findIndex((one) => one.name === name) < index);
  if (twice) throw new UsageError(`--mcp: there are two servers ${twice.name}.`);
  if (servers.length === 0) return;
  const { createMcpClient } = await import("@toolglot/toolkit/mcp");
  const connected = await Promise.all(
    servers.map(async (server) => {
      const client = createMcpClient({ name: server.name, transport: server.transport });
      try {
        await client.connect();
        return { server, client };
      } catch (error) {
        await client.close();
        note(`MCP: ${server.name} is left out. ${errorText(error)}`);
        return undefined;
      }
    }),
  );
  // One after another, so that names are given in the order of the files.
  for (const one of connected) if (one) await register(toolkit, one.server, one.client, { origins, noteNew, note });
}

interface Noting {
  origins: Map<string, ToolOrigin>;
  noteNew(from: string, label: string, isUnstated: (name: string) => boolean): void;
  note(text: string): void;
}

async function register(
  toolkit: Toolkit,
  { name, shown }: McpServer,
  client: McpClient,
  { origins, noteNew, note }: Noting,
): Promise<void> {
  const unstated = new Set<string>();
  const add = (): void =>
    noteNew(
      `mcp:${name} ${shown}`,
      `mcp:${name}`,
      (tool) => unstated.has(tool.replace(/_\d+$/, "")) || unstated.has(tool),
    );
  try {
    const warnings = await toolkit.registerMcpClient(cautious(client, unstated), {
      namesakeStrategy: "rename",
      onToolsChanged: ({ removed, warnings: more }) => {
        for (const tool of removed) origins.delete(tool);
        add();
        for (const warning of more) note(`MCP: ${name}: ${warning}`);
      },
    });
    for (const warning of warnings) note(`MCP: ${name}: ${warning}`);
    add();
  } catch (error) {
    await client.close();
    note(`MCP: ${name} is left out. ${errorText(error)}`);
  }
}

/** The client; a tool of which its server does not say that it only reads, or destroys nothing, is asked about, as MCP's own defaults have it. */
function cautious(client: McpClient, unstated: Set<string>): McpClient {
  const withHints = (tool: McpListedTool): McpListedTool => {
    const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
    if (readOnlyHint === true || destructiveHint !== undefined) return tool;
    unstated.add(tool.name);
    return { ...tool, annotations: { ...tool.annotations, destructiveHint: true } };
  };
  return new Proxy(client, {
    get(target, key) {
      if (key === "listTools") return async () => (await target.listTools()).map(withHints);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
