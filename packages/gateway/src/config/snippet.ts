import type { JsonObject } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { type ClientFile, clientFiles } from "./client-files.ts";
import { type Machine, machineKeys, machineWith } from "./folders.ts";

/** A client that {@link snippet} knows the entry of. */
export type SnippetClient = "claude" | "claude-code" | "cursor" | "vscode";

/** What a client is given: a command that starts this gateway over stdio, or the URL of one that runs. */
export type SnippetTarget =
  | { command: readonly [program: string, ...args: string[]] }
  | { url: string /** An agent's token. Default: a place to put one. */; token?: string };

/** Options of {@link snippet}. */
export interface SnippetOptions extends Partial<Machine> {
  /** The gateway's name in the client. Default `toolglot`. */
  name?: string;
  /** The project's folder, for clients that have a file there. Default: the working folder. */
  folder?: string;
}

/** What makes a client use this gateway. */
export interface Snippet {
  /** The client's configuration with nothing but the gateway in it: JSON, to be merged into what is there. */
  text: string;
  /** The file that it goes to. */
  path: string;
  /** What else there is to do or to know, a sentence each. */
  notes: string[];
}

const tokenVariable = "TOOLGLOT_TOKEN";

/**
 * Returns the entry of a client's configuration that starts this gateway (stdio) or reaches it (HTTP), and where it goes. Without
 * a token, a place for one stands there, in the client's own way.
 *
 * @throws `TypeError` for a client that is not known, and for a mistake in the options.
 */
export function snippet(client: SnippetClient, target: SnippetTarget, options: SnippetOptions = {}): Snippet {
  checkKeys("snippet", options, `name:text folder:text ${machineKeys}`);
  const { name = "toolglot", folder = process.cwd(), ...machine } = options;
  const writer = Object.hasOwn(writers, client) ? writers[client] : undefined;
  if (writer === undefined)
    throw new TypeError(`snippet: the client must be one of ${Object.keys(writers).join(", ")}, not ${String(client)}`);
  const files = clientFiles(machineWith(machine), folder).filter((file) => file.client === client);
  const { content, notes = [] } = writer(name, target);
  const { path, title } = files.find((file) => file.ofProject === (client === "claude-code")) as ClientFile;
  const others = files.filter((file) => file.path !== path).map((file) => `It can be in ${file.path}, too.`);
  return {
    text: `${JSON.stringify(content, undefined, 2)}\n`,
    path,
    notes: [...notes, ...others, `Take the servers out of ${title} that the gateway has now, and start ${title} anew.`],
  };
}

type Writer = (name: string, target: SnippetTarget) => { content: JsonObject; notes?: string[] };

const started = (target: SnippetTarget): JsonObject | undefined =>
  "command" in target ? { command: target.command[0], args: target.command.slice(1) } : undefined;

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const setVariable = `Set ${tokenVariable} to an agent's token, which \`toolglot gateway token add\` prints.`;

const writers: Readonly<Record<SnippetClient, Writer>> = {
  claude(name, target) {
    const entry = started(target);
    if (entry !== undefined || !("url" in target)) return { content: { mcpServers: { [name]: entry ?? {} } } };
    // Its file takes programs only, so a small one goes between. A space in an argument is lost on Windows.
    const token = target.token ?? `<${tokenVariable}>`;
    const bridge = {
      command: "npx",
      args: ["-y", "mcp-remote", target.url, "--header", `Authorization:\${${tokenVariable}}`],
      env: { [tokenVariable]: `Bearer ${token}` },
    };
    const notes = [
      "Claude Desktop's file takes no URLs, so the program mcp-remote passes messages on; stdio is simpler.",
    ];
    return { content: { mcpServers: { [name]: bridge } }, notes };
  },
  "claude-code"(name, target) {
    const entry = started(target);
    if (entry !== undefined || !("url" in target))
      return { content: { mcpServers: { [name]: { type: "stdio", ...entry } } } };
    const { url, token } = target;
    const headers = bearer(token ?? `\${${tokenVariable}}`);
    return {
      content: { mcpServers: { [name]: { type: "http", url, headers } } },
      notes: token === undefined ? [setVariable] : ["Keep the file out of version control: it has a token."],
    };
  },
  cursor(name, target) {
    const entry = started(target);
    if (entry !== undefined || !("url" in target)) return { content: { mcpServers: { [name]: entry ?? {} } } };
    const { url, token } = target;
    const headers = bearer(token ?? `\${env:${tokenVariable}}`);
    return {
      content: { mcpServers: { [name]: { url, headers } } },
      notes: token === undefined ? [setVariable] : [],
    };
  },
  vscode(name, target) {
    const entry = started(target);
    if (entry !== undefined || !("url" in target))
      return { content: { servers: { [name]: { type: "stdio", ...entry } } } };
    const { url, token } = target;
    const id = "toolglot-token";
    const input = { type: "promptString", id, description: "An agent's token of toolglot", password: true };
    return {
      content: {
        ...(token === undefined && { inputs: [input] }),
        servers: { [name]: { type: "http", url, headers: bearer(token ?? `\${input:${id}}`) } },
      },
      notes: token === undefined ? ["VS Code asks for the token once, and keeps it."] : [],
    };
  },
};
