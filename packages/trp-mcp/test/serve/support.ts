import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { createMcpClient, type McpClient, type McpClientOptions } from "@toolglot/toolkit/mcp";
import { createPolicy, createRouter, type PolicyRule, type Principal, type Router } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { onTestFinished } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import type {
  ApprovalQuestion,
  GateCaller,
  ImportedOffer,
  ImportedServer,
  ImportedTool,
  McpGate,
  Outcome,
  RepeatRule,
  ServeMcpOptions,
  ToolAnswer,
  ToolCall,
  ToolCallContext,
  ToolCalls,
} from "../../src/index.ts";
import { askAgain, CallChannel, createToolCalls, elicitationRole, importMcpServer, serveMcp } from "../../src/index.ts";

export type Answer = (name: string, args: JsonObject, context: ServerContext) => unknown;

/** A tool of a test's server. `ask`: a person is asked before it runs; `page`: on the page alone. */
export interface TestTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  approval?: "ask" | "page";
}

/** A server of the official SDK in this process, and its tools as an importer gives them. */
export async function upstream(
  name: string,
  tools: readonly TestTool[],
  answer: Answer = (tool) => ({ content: [{ type: "text", text: tool }] }),
  options: Omit<Partial<McpClientOptions>, "instructions"> & {
    instructions?: string;
    serve?: (server: Server) => void;
  } = {},
): Promise<ImportedServer & { tools: ImportedTool[]; change(): void }> {
  const { instructions, serve, ...rest } = options;
  const transport = inProcess(name, tools, answer, serve, instructions);
  const client = createMcpClient({
    name,
    transport,
    elicitation: "host",
    sampling: "host",
    revision: "legacy",
    ...rest,
  });
  onTestFinished(() => client.close());
  await client.connect();
  const listeners = new Set<() => void>();
  return {
    name,
    client,
    tools: tools.map((tool) => imported(name, tool)),
    offer: offerOf(name, client),
    state: () => ({ up: true, restarts: 0 }),
    ready: async () => {},
    refresh: async () => {},
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change: () => {
      for (const listener of listeners) listener();
    },
    accept: async () => [],
    close: () => client.close(),
  };
}

/** A transport to a server of the official SDK in this process: a new one for each connection. */
export function inProcess(
  name: string,
  tools: readonly TestTool[],
  answer: Answer,
  serve?: (server: Server) => void,
  instructions?: string,
): () => Promise<InMemoryTransport> {
  return async () => {
    const server = new Server(
      { name, version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } }, ...(instructions !== undefined && { instructions }) },
    );
    server.setRequestHandler("tools/list", () => ({ tools: tools.map(listed) as never }));
    server.setRequestHandler(
      "tools/call",
      async ({ params }, context) =>
        (await answer(params.name, (params.arguments ?? {}) as JsonObject, context)) as never,
    );
    serve?.(server);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs as never);
    return ours;
  };
}

/** Servers behind a router with a policy, and the calls through it: the real parts. Everything is closed after the test. */
export async function routed(
  transports: Record<string, McpClientOptions["transport"]>,
  {
    repeat = "window",
    rules,
    store: given,
    approvalTtlMs = 900_000,
  }: { repeat?: RepeatRule["mode"]; rules?: PolicyRule[]; store?: RouterStore; approvalTtlMs?: number } = {},
): Promise<{ servers: ImportedServer[]; calls: ToolCalls; router: Router }> {
  const store = given ?? (await storeUnderTest());
  const servers: ImportedServer[] = [];
  const router = createRouter({
    store,
    times: { approvalTtlMs },
    allowVolatile: true,
    maxResultTokens: 4_000_000,
    policy: askAgain(createPolicy({ version: "1", rules: rules ?? [{ id: "all", decision: "allow" }] })),
    mayDecide: ({ roles }) => roles.includes("approver") || roles.includes(elicitationRole),
  });
  const channel = new CallChannel();
  const tool = (capId: string) => servers.flatMap(({ tools }) => tools).find((one) => one.capId === capId);
  const approvalUrl = (id: string) => `https://gate.test/approvals/${id}`;
  const calls = createToolCalls(router, { tool, channel, approvalUrl, waitMs: 50 });
  for (const [name, transport] of Object.entries(transports)) {
    const client = createMcpClient({
      ...{ name, transport, exact: true, tasks: true },
      ...{ elicitation: "host", sampling: "host", roots: "host" },
    });
    const rule: RepeatRule = { mode: repeat, windowMs: 600_000 };
    servers.push(await importMcpServer(router, client, { name, channel, repeat: rule }));
  }
  await Promise.all(servers.map((server) => server.ready()));
  onTestFinished(async () => {
    await router.close({ graceMs: 100 });
    await calls.close();
    await Promise.all(servers.map((server) => server.close()));
  });
  return { servers, calls, router };
}

function listed({
  approval,
  inputSchema = { type: "object" },
  ...tool
}: TestTool): JsonObject & { inputSchema: JsonObject } {
  return { ...tool, inputSchema } as JsonObject & { inputSchema: JsonObject };
}

function imported(server: string, tool: TestTool): ImportedTool {
  const shownName = `${server}__${tool.name}`;
  return {
    server,
    tool: tool.name,
    shownName,
    capId: `cap.mcp.${server}.${tool.name}.v1`,
    listed: { ...listed(tool), name: shownName },
    io: "WRITE",
    risk: tool.approval === "page" ? "CRITICAL" : "HIGH",
    effect: "opaque",
    repeat: { mode: "window", windowMs: 600_000 },
    settings: tool.approval === undefined ? {} : { approvers: [tool.approval] },
  };
}

/** Resources and prompts as an importer gives them. */
function offerOf(server: string, client: McpClient): ImportedOffer {
  const readTool = (name: string): ImportedTool => imported(server, { name });
  const has = (capability: string): boolean => client.capabilities.includes(capability);
  const list = async (capability: string, method: string, member: string): Promise<JsonObject[]> =>
    has(capability) ? ((await client.request(method))[member] as JsonObject[]) : [];
  return {
    get resourceRead() {
      return has("resources") ? readTool("resource_read") : undefined;
    },
    get promptGet() {
      return has("prompts") ? readTool("prompt_get") : undefined;
    },
    listResources: () => list("resources", "resources/list", "resources") as never,
    listResourceTemplates: () => list("resources", "resources/templates/list", "resourceTemplates") as never,
    listPrompts: async () =>
      (await list("prompts", "prompts/list", "prompts")).map((prompt) => {
        const shownName = `${server}__${prompt.name}`;
        return { server, prompt: String(prompt.name), shownName, listed: { ...prompt, name: shownName } };
      }),
  };
}

/** The method that a read is made by. */
const readMethods: Record<string, string> = { resource_read: "resources/read", prompt_get: "prompts/get" };

interface Approval {
  id: string;
  owner: string;
  state: "pending" | "approved" | "denied" | "used";
}

/** Calls that go straight to the server: with approvals by arguments, and a note of all that ran. */
export class DirectCalls implements ToolCalls {
  readonly ran: string[] = [];
  readonly contexts: ToolCallContext[] = [];
  readonly seen: ToolCall[] = [];
  readonly approvals = new Map<string, Approval>();
  /** How far the clock of these calls is ahead of this machine's. */
  aheadMs = 0;
  readonly decided: { id: string; decision: string; comment?: string }[] = [];
  readonly #servers: () => readonly ImportedServer[];

  constructor(servers: () => readonly ImportedServer[]) {
    this.#servers = servers;
  }

  async call(call: ToolCall, context: ToolCallContext): Promise<ToolAnswer> {
    this.contexts.push(context);
    this.seen.push(call);
    const { tool, arguments: args } = call;
    const refused = await this.#refusal(call, context);
    if (refused !== undefined) return refused;
    this.ran.push(`${tool.shownName} ${JSON.stringify(args)}`);
    const { client } = this.#servers().find(({ name }) => name === tool.server) as ImportedServer;
    const method = readMethods[tool.tool];
    if (method !== undefined) {
      return client.request(method, args).then(
        (result) => answerOf(result, { status: "done", dispatched: true, receipt: "rcp_1" }),
        (error: Error) =>
          answerOf(textOf(error.message, true), { status: "failed", dispatched: true, receipt: "rcp_1" }),
      );
    }
    const { signal, onProgress, ask } = context;
    const extras = { ...(signal && { signal }), ...(onProgress && { onProgress }), ...(ask && { ask }) };
    try {
      const result = await client.callTool({ name: tool.tool, arguments: args, repeatable: false }, extras);
      return answerOf(result, { status: result.isError ? "failed" : "done", dispatched: true, receipt: "rcp_1" });
    } catch (error) {
      const text = (error as Error).message;
      return answerOf(textOf(text, true), { status: "unknown", dispatched: true, receipt: "rcp_1" });
    }
  }

  async #refusal({ tool, arguments: args }: ToolCall, context: ToolCallContext): Promise<ToolAnswer | undefined> {
    const [how] = tool.settings.approvers ?? [];
    if (how === undefined) return undefined;
    const { id: owner } = context.caller.principal;
    const fingerprint = createHash("sha256")
      .update(`${owner} ${tool.capId} ${JSON.stringify(args)}`)
      .digest("hex");
    const approval: Approval = this.approvals.get(fingerprint) ?? {
      id: `appr_${this.approvals.size + 1}`,
      owner,
      state: "pending",
    };
    this.approvals.set(fingerprint, approval);
    const question: ApprovalQuestion = {
      approvalId: approval.id,
      text: `Run ${tool.capId}?`,
      fingerprint,
      capId: tool.capId,
      risk: tool.risk,
      expiresAt: this.now() + 60_000,
      url: `https://gate.test/approvals/${approval.id}`,
      ...(how === "page" && { pageOnly: true }),
    };
    if (approval.state === "pending" && context.elicit !== undefined) {
      const said = await context.elicit(question).catch(() => ({ decision: "cancel" as const }));
      await this.decide(context.caller, approval.id, said);
    }
    const state = this.approvals.get(fingerprint)?.state;
    if (state === "approved") {
      approval.state = "used";
      return undefined;
    }
    const status = state === "denied" ? "refused" : "pending";
    return {
      ...answerOf(textOf(status, true), { status, dispatched: false, receipt: "rcp_1", approvalId: approval.id }),
      ...(status === "pending" && context.caller.mayElicit !== false && { question }),
    };
  }

  async decide(
    caller: { principal: Principal },
    id: string,
    { decision, comment }: { decision: string; comment?: string },
  ) {
    this.decided.push({ id, decision, ...(comment && { comment }) });
    const approval = [...this.approvals.values()].find((one) => one.id === id);
    if (approval?.state !== "pending" || approval.owner !== caller.principal.id || decision === "cancel") return false;
    approval.state = decision === "approve" ? "approved" : "denied";
    return true;
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  async whenDecided(): Promise<boolean> {
    throw new Error("nobody decides about these calls later");
  }

  async again(receipt: string): Promise<ToolAnswer> {
    return answerOf(textOf(`again ${receipt}`), { status: "done", dispatched: true, receipt });
  }

  async status(id: string): Promise<ToolAnswer> {
    return answerOf(textOf(`status of ${id}`), { status: "done", dispatched: true, receipt: id });
  }

  async close(): Promise<void> {}
}

function textOf(text: string, isError = false) {
  return { content: [{ type: "text", text }], ...(isError && { isError }) };
}

function answerOf(result: object, outcome: Outcome): ToolAnswer {
  const { _meta } = result as { _meta?: JsonObject };
  return { result: { ...result, _meta: { ..._meta, "toolglot/outcome": outcome as never } }, outcome };
}

const requestSecret = "a secret of thirty-two characters";

export function principal(id: string): Principal {
  return { id, tenant: "default", roles: [], canDelete: false };
}

/** A gate before servers; closed after the test. */
export function gateOf(
  servers: readonly ImportedServer[],
  options: Partial<ServeMcpOptions> = {},
): { gate: McpGate; calls: DirectCalls; errors: Error[] } {
  const errors: Error[] = [];
  const calls = new DirectCalls(() => servers);
  const gate = serveMcp({
    calls,
    servers: () => servers,
    visible: () => true,
    info: { name: "gate", version: "1.0.0" },
    requestSecret,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => gate.close());
  return { gate, calls, errors };
}

/** A gate behind a port. The bearer token is the principal's id. */
export async function listening(gate: McpGate, more: Partial<GateCaller> = {}): Promise<string> {
  const handle = toNodeHandler({
    fetch: async (request) => {
      const refused =
        hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        originValidationResponse(request, localhostAllowedOrigins());
      if (refused !== undefined) return refused;
      const id = request.headers.get("authorization")?.replace("Bearer ", "") ?? "anna";
      return gate.fetch(request, { principal: principal(id), credential: id, ...more });
    },
  });
  const server = createServer((request, response) => void handle(request as never, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

export const newest = "2026-07-28";

/** The official client, in one revision, over HTTP. */
export async function clientAt(
  url: string,
  revision: string,
  { token = "anna", ...options }: ClientOptions & { token?: string } = {},
): Promise<Client> {
  const pinned: ClientOptions =
    revision === newest ? { versionNegotiation: { mode: { pin: newest } } } : { supportedProtocolVersions: [revision] };
  const client = new Client({ name: "tester", version: "2.0.0" }, { ...pinned, ...options });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 8000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A request of the newest revision, over plain HTTP. */
export function newestRequest(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  {
    token = "anna",
    headers = {},
    capabilities = {},
  }: { token?: string; headers?: Record<string, string>; capabilities?: object } = {},
): Request {
  const _meta = {
    ...(params._meta as object | undefined),
    "io.modelcontextprotocol/protocolVersion": newest,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const name = params.name ?? params.uri ?? params.taskId;
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": newest,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}

/** The status and the JSON-RPC answer of a response, which may be a stream. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
export async function answerIn(response: Response): Promise<{ status: number; result?: any; error?: any }> {
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const json = isStream ? (text.match(/^data: (.*)$/gm)?.at(-1) ?? "").slice(6) : text;
  const { result, error } = json === "" ? {} : JSON.parse(json);
  return { status: response.status, result, error };
}

/** Sends a request to a gate without a port between. */
export async function ask(gate: McpGate, request: Request, more: Partial<GateCaller> = {}) {
  const id = request.headers.get("authorization")?.replace("Bearer ", "") ?? "anna";
  return answerIn(await gate.fetch(request, { principal: principal(id), credential: id, ...more }));
}
