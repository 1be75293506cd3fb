import { parseEnv } from "node:util";
import type { Node } from "jsonc-parser";
import * as v from "valibot";
import { checkedValue, type Report } from "./check-node.ts";
import { type FillScope, folderProblem, pathFrom, programProblem, readSmallFile } from "./fill.ts";
import { reportPassedOver } from "./passed-over.ts";
import { agreeing, text } from "./schema-words.ts";
import { memberOf, membersOf, type Path } from "./source.ts";

/** How a server is started or reached: a transport for `createMcpClient` of `@toolglot/toolkit/mcp`. */
export type ServerTransport =
  | { type: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd: string }
  | { type: "http"; url: string; headers: Record<string, string>; fallback: boolean };

const textsByName = v.record(v.string(), v.string("text"), "an object of texts");

/** An entry of `mcpServers`: a program that is started, or a URL. */
export interface ServerEntry {
  /**
   * `stdio` or `local`; `http`, `streamable-http` or `sse`. Without it, and for `remote`, a URL is tried by Streamable HTTP, then by HTTP
   * with SSE.
   */
  type?: string;
  command?: string;
  args?: string[];
  /** The only variables that the program gets, besides `HOME`, `PATH` and the like. */
  env?: Record<string, string>;
  /** Relative to the file. Default: the file's folder; of an editor's file in a folder like `.vscode`, the one above. */
  cwd?: string;
  /** A file of lines `NAME=value`. Members of `env` win. */
  envFile?: string;
  url?: string;
  headers?: Record<string, string>;
  /** Whether the server is left out. Default false. */
  disabled?: boolean;
  /** Another word for `disabled: false`. Default true. */
  enabled?: boolean;
}

const kindWords = '"stdio", "http", "streamable-http" or "sse"';
const kindText = v.string(kindWords);

const entryFields = {
  type: v.exactOptional(kindText),
  command: v.exactOptional(text),
  args: v.exactOptional(v.array(v.string("text"), "a list of texts")),
  env: v.exactOptional(textsByName),
  cwd: v.exactOptional(text),
  envFile: v.exactOptional(text),
  url: v.exactOptional(text),
  headers: v.exactOptional(textsByName),
  disabled: v.exactOptional(v.boolean("true or false")),
  enabled: v.exactOptional(v.boolean("true or false")),
};

export const entrySchema: v.GenericSchema<unknown, ServerEntry> = agreeing<ServerEntry>()(
  v.object(entryFields, "an object with a command or a url"),
);

export const entryKeys: readonly string[] = Object.keys(entryFields);

const kinds: Readonly<Record<string, "stdio" | "http" | "sse" | "auto">> = {
  stdio: "stdio",
  local: "stdio",
  remote: "auto",
  http: "http",
  streamablehttp: "http",
  sse: "sse",
};

/** Whether an entry is off: then nothing of it is read. */
export function isDisabled(node: Node): boolean {
  return memberOf(node, "disabled")?.value === true || memberOf(node, "enabled")?.value === false;
}

/** Reads the entry of a server. Undefined when something is wrong with it, which is reported. */
export function readServerEntry(
  { name, node, value, path }: { name: string; node: Node; value: unknown; path: Path },
  scope: FillScope,
  report: Report,
): ServerTransport | undefined {
  for (const member of membersOf(node)) {
    if (!entryKeys.includes(member.key))
      reportPassedOver({ server: name, path: [...path, member.key], known: entryKeys }, member, report);
  }
  const entry = checkedValue(entrySchema, value, path, report);
  if (entry === undefined) return undefined;
  const kind = kindOf(entry, path, report);
  if (kind === undefined) return undefined;
  return kind === "stdio" ? stdioOf(entry, path, scope, report) : httpOf(entry, kind, path, scope, report);
}

function kindOf(entry: ServerEntry, path: Path, report: Report): "stdio" | "http" | "sse" | "auto" | undefined {
  const { command, type, url } = entry;
  const kind = type === undefined ? undefined : kinds[type.toLowerCase().replace(/[_-]/g, "")];
  if (type !== undefined && kind === undefined) {
    report([...path, "type"], { code: "config/value", message: `must be ${kindWords}`, cure: `Write ${kindWords}.` });
    return undefined;
  }
  if (kind === undefined && command !== undefined && url !== undefined) {
    const cure = 'Keep one of them, or say with "type" which is meant.';
    report(path, { code: "config/clash", message: "has a command and a url", cure });
    return undefined;
  }
  const needed = kind === undefined ? undefined : kind === "stdio" ? command : url;
  if (needed === undefined && (kind !== undefined || (command ?? url) === undefined)) {
    const what = kind === undefined ? '"command" or "url"' : kind === "stdio" ? '"command"' : '"url"';
    const cure =
      'Write { "command": "npx", "args": ["…"] } for a program, { "url": "https://…" } for a server on the net.';
    report(path, { code: "config/value", message: `needs ${what}`, cure });
    return undefined;
  }
  return kind ?? (command === undefined ? "auto" : "stdio");
}

function stdioOf(entry: ServerEntry, path: Path, scope: FillScope, report: Report): ServerTransport | undefined {
  const { command = "", args = [], env = {}, envFile } = entry;
  const [, program] = /^([^\s/\\]+)\s+\S/.exec(command) ?? [];
  if (program !== undefined) {
    const cure = `Write the program alone, and each argument in a list: "command": ${JSON.stringify(program)}, "args": ["…"].`;
    report([...path, "command"], { code: "config/value", message: "holds a program and its arguments", cure });
  }
  const fromFile = envFile === undefined ? {} : readEnvFile(envFile, [...path, "envFile"], scope, report);
  if (fromFile === undefined) return undefined;
  const all = { ...fromFile, ...env };
  for (const [key, value] of Object.entries(all)) {
    scope.secrets.addVariable(key, value, [scope.workspaceFolder, scope.home]);
    if (/^[^=\0]+$/.test(key) && !value.includes("\0")) continue;
    const cure = "Leave it out: no process can have such a variable.";
    report([...path, "env", key], { code: "config/value", message: "is no name, or no value, of a variable", cure });
  }
  const cwd = entry.cwd === undefined ? scope.workspaceFolder : pathFrom(entry.cwd, scope);
  const missing = entry.cwd === undefined ? undefined : folderProblem(cwd);
  if (missing !== undefined) {
    const cure = "Make the folder, or correct its path, which is relative to this configuration.";
    report([...path, "cwd"], { code: "config/file", message: `the folder ${missing}`, cure });
  } else if (program === undefined) {
    const problem = programProblem(command, cwd, { ...scope.env, ...all });
    const cure = 'Install it, or write its whole path; "env" of the server may have a PATH of its own.';
    const about = { severity: "notice", code: "config/file", message: `the program ${problem}`, cure } as const;
    if (problem !== undefined) report([...path, "command"], about);
  }
  return { type: "stdio", command, args, env: all, cwd };
}

function httpOf(
  entry: ServerEntry,
  kind: "http" | "sse" | "auto",
  path: Path,
  { secrets }: FillScope,
  report: Report,
): ServerTransport | undefined {
  const { headers = {}, url = "" } = entry;
  const urlPath = [...path, "url"];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    const cure = "Write the address of the server, as https://example.com/mcp.";
    report(urlPath, { code: "config/value", message: "must be an http or https URL", cure });
    return undefined;
  }
  if (parsed.username !== "" || parsed.password !== "") {
    const cure = 'Send them as a header: "headers": { "Authorization": "Basic …" }.';
    report(urlPath, {
      code: "config/value",
      message: "has a user or a password in it, which HTTP clients refuse",
      cure,
    });
    return undefined;
  }
  for (const [key, value] of Object.entries(headers)) {
    secrets.addHeader(key, value);
    try {
      new Headers([[key, value]]);
    } catch {
      const cure = "Write a name and a value as HTTP has them: no line breaks, no spaces in the name.";
      report([...path, "headers", key], { code: "config/value", message: "is no header", cure });
    }
  }
  return { type: "http", url, headers, fallback: kind !== "http" };
}

function readEnvFile(given: string, path: Path, scope: FillScope, report: Report): Record<string, string> | undefined {
  const read = readSmallFile(pathFrom(given, scope));
  if ("text" in read) return { ...parseEnv(read.text) } as Record<string, string>;
  const cure = "Make it a readable file of lines NAME=value; its path is relative to this configuration.";
  report(path, { code: "config/file", message: `the file ${read.problem}`, cure });
  return undefined;
}
