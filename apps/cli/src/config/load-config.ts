import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { defined } from "@toolglot/internal";
import { UsageError } from "../cli/usage-error.ts";
import type { Host } from "../host.ts";
import { type ConfigOrigin, readConfig } from "./read-config.ts";
import type { Config, ConfigLimits } from "./schema.ts";

/** All that was configured, and where. */
export interface LoadedConfig {
  values: Config;
  /** The file that each key comes from, the last one for what several have. */
  origins: ReadonlyMap<string, string>;
  /** The files that are looked for; those that are there were read. */
  files: readonly { path: string; isRead: boolean }[];
  /** The process's own variables, over those of `.env`. */
  env: NodeJS.ProcessEnv;
  /** Names in `.env`. */
  envNames: readonly string[];
  /** The folder where the command line was started: names in it are relative to it. */
  folder: string;
}

/** Which files are read. */
export interface ConfigChoice {
  /** This one instead of the folder's, and trusted as the user's own. */
  file?: string | undefined;
  /** No files at all. */
  none?: boolean;
}

const fileNames = ["toolglot.json", "toolglot.toml"] as const;

/** Returns the folder of the user's own files. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "toolglot");
}

/**
 * Reads the user's configuration, then that of the folder over it, and `.env` of the folder. What stands in `.env` is for keys and for
 * names in files of MCP servers; it never gets into the environment of commands. Throws `UsageError`.
 */
export function loadConfig(
  { file, none = false }: ConfigChoice,
  { env, folder }: Pick<Host, "env" | "folder">,
): LoadedConfig {
  const origins = new Map<string, string>();
  const files: { path: string; isRead: boolean }[] = [];
  let values: Config = {};
  const read = (names: readonly string[], origin: ConfigOrigin): boolean => {
    const found = names.filter((name) => existsSync(name));
    if (found.length > 1) throw new UsageError(`There are ${found.join(" and ")}: keep one of them.`);
    const path = found[0] ?? names[0] ?? "";
    const config = readConfig(path, origin);
    files.push({ path, isRead: config !== undefined });
    if (config === undefined) return false;
    values = merged(values, config, origin);
    for (const key of Object.keys(config)) origins.set(key, path);
    return true;
  };
  if (!none) {
    const own = configFolder(env);
    read([join(own, "config.json"), join(own, "config.toml")], "user");
    if (file === undefined)
      read(
        fileNames.map((name) => join(folder, name)),
        "folder",
      );
    else if (!read([resolve(folder, file)], "user")) throw new UsageError(`--config: there is no file ${file}.`);
  }
  const dotEnv = none ? {} : readEnvFile(join(folder, ".env"));
  return { values, origins, files, env: { ...dotEnv, ...defined(env) }, envNames: Object.keys(dotEnv), folder };
}

/** Tables are merged name by name. A stranger's limits can only be lower. */
function merged(below: Config, above: Config, origin: ConfigOrigin): Config {
  const limits: ConfigLimits = { ...below.limits };
  for (const [name, limit] of Object.entries(above.limits ?? {}) as [keyof ConfigLimits, number][]) {
    limits[name] = origin === "folder" ? Math.min(limit, limits[name] ?? limit) : limit;
  }
  return {
    ...below,
    ...above,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...((below.providers || above.providers) && { providers: { ...below.providers, ...above.providers } }),
    ...((below.models || above.models) && { models: { ...below.models, ...above.models } }),
  };
}

function readEnvFile(path: string): Record<string, string> {
  try {
    return defined(parseEnv(readFileSync(path, "utf8"))) as Record<string, string>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR") return {};
    throw new UsageError(`${path} can't be read: ${message}`);
  }
}
