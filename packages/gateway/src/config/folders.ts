import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { checkKeys } from "@toolglot/internal";

/** The machine that a configuration is for. */
export interface Machine {
  env: Readonly<Record<string, string | undefined>>;
  /** The user's folder. */
  home: string;
  /** As `process.platform` has it. */
  platform: string;
}

/** Its options, as words of `checkKeys`. */
export const machineKeys = "env:object home:text platform:text";

/** Returns this machine, with what is given instead. */
export function machineWith({ env, home, platform }: Partial<Machine> = {}): Machine {
  return { env: env ?? process.env, home: home ?? homedir(), platform: platform ?? process.platform };
}

/**
 * Returns the folder in which a gateway keeps its store and its tokens: `$XDG_STATE_HOME/toolglot`, else
 * `~/.local/state/toolglot`; on Windows `%LOCALAPPDATA%\toolglot`.
 */
export function defaultStateDir(given?: Partial<Machine>): string {
  checkKeys("defaultStateDir", given, machineKeys);
  const { env, home, platform } = machineWith(given);
  const windows = platform === "win32" ? (env.LOCALAPPDATA ?? join(home, "AppData", "Local")) : undefined;
  return join(windows ?? env.XDG_STATE_HOME ?? join(home, ".local", "state"), "toolglot");
}

/**
 * Returns the folder that `${workspaceFolder}` is in a file: editors keep theirs, `mcp.json` or `settings.json`, one level below, in a folder
 * that begins with a dot.
 */
export function workspaceOf(folder: string, file: string): string {
  const isEditors = basename(folder).startsWith(".") && /^(?:mcp|settings)\b/.test(basename(file));
  return isEditors ? dirname(folder) : folder;
}
