import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject } from "@toolglot/internal";
import type { McpClientOptions } from "@toolglot/toolkit/mcp";
import { UsageError } from "../cli/usage-error.ts";
import type { LoadedConfig } from "../config/load-config.ts";

/** A server of a file. */
export interface McpServer {
  name: string;
  transport: McpClientOptions["transport"];
  /** What it is reached by, as the file has it: variables may be secrets. */
  shown: string;
}

/**
 * The servers of a file `{ "mcpServers": { NAME: { command, args?, env?, cwd? } | { url, headers? } } }`, as other programs have it,
 * without those that are `disabled`. `${NAME}` and `${NAME:-default}` in texts are variables. A server starts in `cwd`, which is
 * relative to the file, else where the command line was started. Keys of other programs are passed over: what
 * they approve is not approved here. Throws `UsageError` for what can't be meant.
 */
export function readMcpFile(
  path: string,
  { env, folder: startFolder }: Pick<LoadedConfig, "env" | "folder">,
): McpServer[] {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--mcp: ${path} can't be read: ${(error as Error).message}`);
  }
  const servers = isObject(file) ? file.mcpServers : undefined;
  if (!isObject(servers)) throw new UsageError(`--mcp: ${path} has no "mcpServers": { NAME: { "command": … } }.`);
  return Object.entries(servers).flatMap(([name, given]) => {
    const where = `--mcp: ${path}: mcpServers.${name}`;
    if (!isObject(given)) throw new UsageError(`${where} is no object.`);
    if (given.disabled === true) return [];
    return [{ name, ...transportOf(given, new Reader(where, env), { folder: dirname(path), startFolder }) }];
  });
}

function transportOf(
  given: Record<string, unknown>,
  read: Reader,
  { folder, startFolder }: { folder: string; startFolder: string },
): Omit<McpServer, "name"> {
  const url = read.text(given, "url");
  const command = read.text(given, "command");
  if (url !== undefined && command === undefined) {
    const headers = read.texts(given, "headers");
    if (!/^https?:\/\//i.test(url)) throw read.error(`url must begin with http:// or https://, not "${url}"`);
    return { shown: String(given.url), transport: { type: "http", url, headers } };
  }
  if (command === undefined || url !== undefined) throw read.error("needs a command, or a url");
  const args = read.list(given, "args");
  const cwd = read.text(given, "cwd");
  return {
    shown: [given.command, ...((given.args as string[] | undefined) ?? [])].join(" "),
    transport: {
      ...{ type: "stdio", command, args, env: read.texts(given, "env") },
      cwd: cwd === undefined ? startFolder : resolve(folder, cwd),
    },
  };
}

/** Reads the fields of one server. */
class Reader {
  readonly #where: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(where: string, env: NodeJS.ProcessEnv) {
    this.#where = where;
    this.#env = env;
  }

  error(what: string): UsageError {
    return new UsageError(`${this.#where}: ${what}.`);
  }

  text(given: Record<string, unknown>, key: string, name = key): string | undefined {
    const value = given[key];
    if (value === undefined) return undefined;
    if (typeof value !== "string") throw this.error(`${name} must be a text`);
    return this.#expand(value, name);
  }

  list(given: Record<string, unknown>, key: string): string[] {
    const value = given[key] ?? [];
    if (!Array.isArray(value)) throw this.error(`${key} must be a list of texts`);
    return value.map((one: unknown, index) => this.text({ [index]: one }, String(index), `${key}[${index}]`) ?? "");
  }

  texts(given: Record<string, unknown>, key: string): Record<string, string> {
    const value = given[key] ?? {};
    if (!isObject(value)) throw this.error(`${key} must be an object of texts`);
    return Object.fromEntries(Object.keys(value).map((name) => [name, this.text(value, name, `${key}.${name}`) ?? ""]));
  }

  #expand(text: string, where: string): string {
    return text.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
      const value = this.#env[name] || otherwise;
      if (value === undefined) throw this.error(`${where} needs the variable ${name}: in the environment, or in .env`);
      return value;
    });
  }
}
