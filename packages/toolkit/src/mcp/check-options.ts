import { checkKeys, maxTimerMs } from "@toolglot/internal";
import type { McpClientOptions } from "./options.ts";

/** Throws `TypeError` for options that can't be meant so. */
export function checkOptions(options: McpClientOptions): void {
  const wrong = (problem: string): never => {
    throw new TypeError(`createMcpClient ${problem}`);
  };
  checkKeys(
    "createMcpClient",
    options,
    [
      'name:string transport:object|function stateful:boolean connectTimeoutMs:number callTimeoutMs:number revision:"auto"|"legacy"|object maxBufferSize:size',
      'elicitation:"host"|function sampling:"host"|function roots:"host"|object[]|function onLog:function resources:boolean',
      "instructions:boolean exact:boolean tasks:boolean tracing:boolean clientOptions:object prepareClient:function onError:function",
    ],
    ["name", "transport"],
    cures,
  );
  const { name, connectTimeoutMs, callTimeoutMs, revision, clientOptions } = options;
  if (!name) wrong("needs a name");
  if (connectTimeoutMs !== undefined && !(connectTimeoutMs > 0 && connectTimeoutMs <= maxTimerMs)) {
    wrong(`takes connectTimeoutMs from 1 to ${maxTimerMs}, not ${connectTimeoutMs}`);
  }
  if (callTimeoutMs !== undefined && !(callTimeoutMs > 0)) {
    wrong(`takes callTimeoutMs as milliseconds from 1, or Infinity, not ${callTimeoutMs}`);
  }
  if (typeof revision === "object") checkKeys("createMcpClient: revision", revision, "pin:text", ["pin"]);
  if (clientOptions !== undefined && "versionNegotiation" in clientOptions) {
    wrong("takes revision, not clientOptions.versionNegotiation");
  }
  checkTransport(options.transport, wrong);
}

const inTransport = 'It belongs into transport: { type: "stdio", command, args }, or { type: "http", url }.';

/** What to write instead. */
const cures = {
  revision: 'Or pin one: revision: { pin: "2025-11-25" }.',
  roots: 'Roots are { uri: "file:///…", name }.',
  elicitation: "The function is (question, { signal }) => ({ action, content }).",
  sampling: "The function is (question, { signal }) => ({ action, content }).",
  transport: 'Pass { type: "stdio", command }, { type: "http", url }, or a function that makes one.',
  mcpServers: "Make a client for each server, and register each: toolkit.registerMcpClient(client).",
  command: inTransport,
  args: inTransport,
  url: inTransport,
  headers: inTransport,
} as const;

function checkTransport(transport: McpClientOptions["transport"], wrong: (problem: string) => never): void {
  if (typeof transport === "function") return;
  switch (transport?.type) {
    case "stdio": {
      const words = 'type:"stdio" command:string args:string[] env:object cwd:string onStderr:function';
      checkKeys("createMcpClient: transport", transport, words);
      const { command, args, env } = transport;
      if (!command) wrong("needs a command for stdio");
      if (args?.some((arg) => typeof arg !== "string")) wrong("takes args as an array of strings");
      if (Object.values(env ?? {}).some((value) => value !== undefined && typeof value !== "string")) {
        wrong("takes env as an object of strings");
      }
      // The path of a program may hold spaces, but not before an option.
      const [program, ...rest] = command.trim().split(/\s+/);
      if (args === undefined && rest.length > 0 && !/[\\/]/.test(program as string)) {
        const shown = `command: ${JSON.stringify(program)}, args: ${JSON.stringify(rest)}`;
        wrong(`takes the program alone as command, not ${JSON.stringify(command)}: pass ${shown}`);
      }
      return;
    }
    case "http":
      checkKeys(
        "createMcpClient: transport",
        transport,
        'type:"http" url:url headers:object fetch:function fallback:boolean authProvider:object',
      );
      if (!isHttpUrl(transport.url)) wrong(`needs a url that begins with http:// or https://, not ${transport.url}`);
      if (transport.authProvider !== undefined && !canSign(transport.authProvider)) {
        wrong("takes authProvider as an OAuthClientProvider, or as an object with token()");
      }
      return;
    default: {
      const needed =
        'needs a transport: { type: "stdio", command }, { type: "http", url }, or a function that makes one';
      const { type } = (transport ?? {}) as { type?: string };
      checkKeys("createMcpClient: transport", { type }, 'type:"stdio"|"http"' as string, [], { type: `It ${needed}.` });
      wrong(needed);
    }
  }
}

function canSign(provider: unknown): boolean {
  const { token, tokens } = (provider ?? {}) as { token?: unknown; tokens?: unknown };
  return typeof token === "function" || typeof tokens === "function";
}

function isHttpUrl(url: string | URL): boolean {
  return (
    (typeof url === "string" || url instanceof URL) && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  );
}
