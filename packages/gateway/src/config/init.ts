import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { canonicalJson, checkKeys, codeOf, isObject } from "@toolglot/internal";
import { type ClientFile, clientFiles, type McpClientName } from "./client-files.ts";
import { inOurWords } from "./client-words.ts";
import { readSmallFile } from "./fill.ts";
import { type Machine, machineKeys, machineWith } from "./folders.ts";
import { configText, type FoundServer } from "./init-text.ts";
import type { ConfigProblem } from "./problem.ts";
import { entryKeys, isDisabled } from "./server-entry.ts";
import { findNode, membersOf, Source, valueAt } from "./source.ts";

/** Options of {@link initConfig}. */
export interface InitOptions extends Partial<Machine> {
  /** The file to write. Default `toolglot.json` in the working folder. */
  file?: string;
}

/** What {@link initConfig} did. */
export interface InitResult {
  /** The file that was written, absolute. */
  file: string;
  text: string;
  /** The servers in it, each with the client's file that it is from. */
  servers: { name: string; from: string; client: McpClientName; isDisabled: boolean }[];
  /** Clients' files that were read. */
  read: string[];
  /** Files that could not be read as JSON or TOML; they were passed over. */
  problems: ConfigProblem[];
}

/**
 * Writes a configuration with the servers that the clients on this machine start: those of Claude Desktop, Claude Code, Cursor, VS Code,
 * Windsurf, Codex, Copilot CLI, Gemini CLI, LM Studio, opencode and Zed, of the user and of the project in the file's folder. It never
 * overwrites a file; the new one is for its owner alone (0600), since the servers' variables are in it.
 *
 * @throws `ToolglotError` `gateway/config-exists` when the file is there, `gateway/config-unwritable` when it can't be written.
 */
export async function initConfig(options: InitOptions = {}): Promise<InitResult> {
  checkKeys("initConfig", options, `file:text ${machineKeys}`);
  const { file = "toolglot.json", ...given } = options;
  const path = resolve(file);
  const exists = () =>
    new ToolglotError("gateway/config-exists", `${path} is there already, and is left as it is: name another file`, {
      data: { file: path },
    });
  if (existsSync(path)) throw exists();
  const machine = machineWith(given);
  const folder = dirname(path);
  const problems: ConfigProblem[] = [];
  const read: string[] = [];
  const found: FoundServer[] = [];
  const inputs = new Map<string, unknown>();
  for (const clientFile of clientFiles(machine, folder)) {
    const content = readSmallFile(clientFile.path);
    if (!("text" in content) || content.text.trim() === "") continue;
    const source = new Source(clientFile.path, dirname(clientFile.path), content.text, inOurWords);
    problems.push(...source.problems.map((problem) => ({ ...problem, severity: "notice" as const })));
    if (source.root === undefined) continue;
    read.push(clientFile.path);
    for (const server of serversOf(source, clientFile, folder)) addServer(found, server);
    for (const input of inputsOf(source)) inputs.set(input.id, input);
  }
  const text = configText(found, [...inputs.values()]);
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw exists();
    const message = `${path} can't be written (${codeOf(error)}): name a file in a folder of yours`;
    throw new ToolglotError("gateway/config-unwritable", message, { cause: error, data: { file: path } });
  }
  const servers = found.map(({ name, file: { path: from, client }, entry }) => ({
    ...{ name, from, client, isDisabled: entry.disabled === true },
  }));
  return { file: path, text, servers, read, problems };
}

/** Takes a server in, unless it is there already; another one of the same name gets the client's name after its own. */
function addServer(found: FoundServer[], server: FoundServer): void {
  const same = ({ entry }: FoundServer) => canonicalJson(entry) === canonicalJson(server.entry);
  if (found.some((other) => (other.name === server.name || other.trueName === server.trueName) && same(other))) return;
  const isTaken = (name: string) => found.some((other) => other.name === name);
  let name = server.name;
  for (let count = 1; isTaken(name); count++)
    name = `${server.name}-${server.file.client}${count === 1 ? "" : `-${count}`}`;
  found.push({ ...server, name });
}

function serversOf(source: Source, file: ClientFile, folder: string): FoundServer[] {
  const root = source.root;
  if (root === undefined) return [];
  const groups = [["mcpServers"], ["servers"], ["projects", folder, "mcpServers"]];
  return groups.flatMap((path) => {
    const node = findNode(root, path);
    return [...(node === undefined ? [] : membersOf(node))].flatMap(({ key: name, value: serverNode }) => {
      const given = valueAt(serverNode, (raw) => raw);
      if (!isObject(given) || isThisGateway(given)) return [];
      const known = Object.entries(given).filter(([key]) => entryKeys.includes(key) && key !== "enabled");
      const entry = { ...Object.fromEntries(known), ...(isDisabled(serverNode) && { disabled: true }) };
      return [{ name, trueName: name, file, entry, source, node: serverNode }];
    });
  });
}

/** An entry that starts or reaches a gateway would make it its own server. */
function isThisGateway({ command, args }: Record<string, unknown>): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  return words.some((word) => /(?:^|[\\/])toolglot(?:@[\w.-]+)?(?:\.cmd)?$/.test(word)) && words.includes("gateway");
}

function inputsOf({ root }: Source): (Record<string, unknown> & { id: string })[] {
  const node = root === undefined ? undefined : findNode(root, ["inputs"]);
  const inputs = node === undefined ? undefined : valueAt(node, (raw) => raw);
  if (!Array.isArray(inputs)) return [];
  return inputs.filter((input) => isObject(input) && typeof input.id === "string") as { id: string }[];
}
