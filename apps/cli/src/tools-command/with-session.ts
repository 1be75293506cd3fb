import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { collected } from "../cli/flags.ts";
import { Session } from "../cli/session.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Host } from "../host.ts";
import { dataFolderOf, loadModule, type OpenedModule, openModules } from "../modules/load-module.ts";
import { visible } from "../view/visible.ts";

/** The flags of commands that work on tools. */
export interface SessionFlags {
  dataDir?: string;
  tools?: string[];
  mcp?: string[];
}

/** Tools without a model. */
export interface OpenTools extends Pick<Session, "toolkit" | "origins"> {
  modules: readonly OpenedModule[];
  /** The data folder. */
  data: string;
  /** Whether a module has made its data. */
  fresh: boolean;
}

/** Adds the flags of {@link SessionFlags}. */
export function sessionFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--tools <file>", "a module that exports tools of your own, more than once").argParser(collected),
    )
    .addOption(new Option("--mcp <file>", "a file of MCP servers, more than once").argParser(collected))
    .option("--data-dir <dir>", "where the data of modules lives");
}

/** Opens modules and MCP servers, those of the configuration where none are named, works on their tools, and closes them. */
export async function withSession(
  { dataDir, tools, mcp }: SessionFlags,
  host: Host,
  work: (session: OpenTools) => number | Promise<number>,
): Promise<number> {
  const config = loadConfig({}, host);
  const files = (given: string[] | undefined, configured: string[] = []): string[] =>
    given?.map((file) => resolve(config.folder, file)) ?? configured;
  const loaded = await Promise.all([...host.tools, ...files(tools, config.values.tools)].map(loadModule));
  const data = dataFolderOf(dataDir, loaded, host.env);
  const modules = openModules(loaded, data);
  const session = new Session({ folder: data, modules, env: host.env });
  try {
    const mcpFiles = files(mcp, config.values.mcp);
    if (mcpFiles.length > 0) {
      const { addMcpServers } = await import("../modules/add-mcp.ts");
      await addMcpServers(session, mcpFiles, config, (text) => void host.stderr.write(`${visible(text)}\n`));
    }
    return await work({
      toolkit: session.toolkit,
      origins: session.origins,
      modules,
      data,
      fresh: modules.some(({ fresh }) => fresh),
    });
  } finally {
    await session.dispose();
  }
}
