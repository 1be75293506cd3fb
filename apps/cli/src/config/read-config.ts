import { readFileSync, realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { checkKeys, isObject } from "@toolglot/internal";
import { parse as parseToml } from "smol-toml";
import { UsageError } from "../cli/usage-error.ts";
import { type Config, configKeys, configSchema, folderKeys } from "./schema.ts";

/** Where a file comes from: the user's own, or one that lies in the folder where the command line was started. */
export type ConfigOrigin = "user" | "folder";

/**
 * Reads one configuration file, JSON or TOML by its name; undefined when there is none, or the folder's is the gateway's. `@file` of `system` becomes its text, and paths become absolute. Throws `UsageError` for what can't be meant, with the nearest key.
 */
export function readConfig(path: string, origin: ConfigOrigin): Config | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UsageError(`${path} can't be read: ${(error as Error).message}`);
  }
  if (origin === "folder" && ofGateway.test(text)) return undefined;
  let value: unknown;
  try {
    value = path.endsWith(".toml") ? parseToml(text) : JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is no ${path.endsWith(".toml") ? "TOML" : "JSON"}: ${(error as Error).message}`);
  }
  checkNames(path, value);
  const refused = Object.keys(value as object).find((key) => origin === "folder" && !folderKeys.includes(key));
  if (refused !== undefined)
    throw new UsageError(
      `${path}: "${refused}" is not taken from the file of a folder, which may be a stranger's: put it into your own file (toolglot config names it), or pass --config ${path}.`,
    );
  const read = configSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new UsageError(`${path}: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  return withPaths(path, read.data, origin);
}

/** `toolglot.json` may be the gateway's configuration: JSON with comments, and with servers. */
const ofGateway = /"(?:mcpServers|servers|gateway)"\s*:/;

function checkNames(path: string, value: unknown): void {
  const check = (where: string, given: unknown, keys: readonly string[]): void => {
    if (given === undefined) return;
    try {
      checkKeys<Record<string, unknown>, string>(where, given as Record<string, unknown>, keys);
    } catch (error) {
      throw new UsageError((error as Error).message);
    }
  };
  const each = (where: string, given: unknown, visit: (name: string, one: Record<string, unknown>) => void): void => {
    if (!isObject(given)) return;
    for (const [name, one] of Object.entries(given)) visit(`${where}.${name}`, one as Record<string, unknown>);
  };
  check(path, value ?? null, configKeys.root);
  const { limits, providers, models } = value as Record<string, unknown>;
  check(`${path}: limits`, limits, configKeys.limits);
  each(`${path}: providers`, providers, (where, one) => check(where, one, configKeys.provider));
  each(`${path}: models`, models, (where, one) => {
    check(where, one, configKeys.model);
    check(`${where}.price`, one?.price, configKeys.price);
  });
}

function withPaths(path: string, config: Config, origin: ConfigOrigin): Config {
  const { system, tools, mcp } = config;
  const folder = dirname(path);
  const absolute = (files: readonly string[]): string[] => files.map((file) => resolve(folder, file));
  return {
    ...config,
    ...(system !== undefined && { system: systemText(system, folder, origin === "folder") }),
    ...(tools && { tools: absolute(tools) }),
    ...(mcp && { mcp: absolute(mcp) }),
  };
}

/** The text of `--system` and of `system`: itself, or with `@` in front that of a file. Throws `UsageError` when there is none. */
export function systemText(given: string, folder: string, isInside = false): string {
  if (!given.startsWith("@")) return given;
  const path = resolve(folder, given.slice(1));
  try {
    if (isInside && !realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`))
      throw new Error("it lies outside of the folder");
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`The system text ${given} can't be read: ${(error as Error).message}`);
  }
}
