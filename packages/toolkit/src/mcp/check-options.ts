import { checkKeys, isCount, maxTimerMs } from "@toolglot/internal";
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
      "name transport stateful connectTimeoutMs callTimeoutMs revision maxBufferSize elicitation sampling roots onLog resources",
      "instructions tracing clientOptions prepareClient onError",
    ],
    ["name", "transport"],
  );
  const { name, connectTimeoutMs, callTimeoutMs, revision, maxBufferSize, roots, clientOptions } = options;
  if (typeof name !== "string" || name === "") wrong("needs a name");
  for (const flag of ["stateful", "resources", "instructions", "tracing"] as const) {
    if (options[flag] !== undefined && typeof options[flag] !== "boolean") wrong(`takes ${flag}: true or false`);
  }
  if (connectTimeoutMs !== undefined && !(connectTimeoutMs > 0 && connectTimeoutMs <= maxTimerMs)) {
    wrong(`takes connectTimeoutMs from 1 to ${maxTimerMs}, not ${connectTimeoutMs}`);
  }
  if (callTimeoutMs !== undefined && !(callTimeoutMs > 0)) {
    wrong(`takes callTimeoutMs as milliseconds from 1, or Infinity, not ${callTimeoutMs}`);
  }
  if (revision !== undefined && revision !== "auto" && revision !== "legacy" && typeof revision?.pin !== "string") {
    wrong('takes revision: "auto", "legacy" or { pin: "2025-11-25" }');
  }
  if (maxBufferSize !== undefined && !(isCount(maxBufferSize) && maxBufferSize > 0)) {
    wrong(`takes maxBufferSize as a number of bytes from 1, not ${maxBufferSize}`);
  }
  for (const asked of ["elicitation", "sampling"] as const) {
    const given = options[asked];
    if (given !== undefined && given !== "host" && typeof given !== "function") {
      wrong(`takes ${asked}: "host" or a function (question, { signal }) => ({ action, content })`);
    }
  }
  if (roots !== undefined && typeof roots !== "function" && !Array.isArray(roots)) {
    wrong('takes roots as a list of { uri: "file:///…", name }, or as a function that gives one');
  }
  for (const listener of ["onLog", "prepareClient", "onError"] as const) {
    if (options[listener] !== undefined && typeof options[listener] !== "function")
      wrong(`takes ${listener} as a function`);
  }
  if (clientOptions !== undefined && "versionNegotiation" in clientOptions) {
    wrong("takes revision, not clientOptions.versionNegotiation");
  }
  checkTransport(options.transport, wrong);
}

function checkTransport(transport: McpClientOptions["transport"], wrong: (problem: string) => never): void {
  if (typeof transport === "function") return;
  switch (transport?.type) {
    case "stdio":
      checkKeys("createMcpClient: transport", transport, "type command args env cwd onStderr");
      if (typeof transport.command !== "string" || transport.command === "") wrong("needs a command for stdio");
      if (transport.args !== undefined && !Array.isArray(transport.args)) wrong("takes args as an array of strings");
      return;
    case "http":
      checkKeys("createMcpClient: transport", transport, "type url headers fetch fallback authProvider");
      if (!isHttpUrl(transport.url)) wrong(`needs a url that begins with http:// or https://, not ${transport.url}`);
      if (transport.fallback !== undefined && typeof transport.fallback !== "boolean") {
        wrong("takes fallback: true or false");
      }
      if (transport.authProvider !== undefined && !canSign(transport.authProvider)) {
        wrong("takes authProvider as an OAuthClientProvider, or as an object with token()");
      }
      return;
    default:
      wrong('needs a transport: { type: "stdio", command }, { type: "http", url }, or a function that makes one');
  }
}

function canSign(provider: unknown): boolean {
  const { token, tokens } = (provider ?? {}) as { token?: unknown; tokens?: unknown };
  return typeof token === "function" || typeof tokens === "function";
}

function isHttpUrl(url: string | URL): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
