import {
  type AuthInfo,
  type CallToolRequest,
  fromJsonSchema,
  type Implementation,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { defined, isObject } from "@toolglot/internal";
import type { Principal } from "@toolglot/trp-core";
import type { Face } from "../faces/face.ts";
import { tasksExtension } from "../import/upstream-tasks.ts";
import { viewsFor } from "../server-views.ts";
import type { Caller, ToolCall } from "../types.ts";
import type { AskedCalls, CallInput } from "./asked-calls.ts";
import { answerBeside } from "./calls-beside.ts";
import { exactIn, sendExactly } from "./exact-server.ts";
import { callerOf, cancellation, type Era, type Incoming, metaOf } from "./incoming.ts";
import { type Offers, readResult } from "./offers.ts";
import type { GateCaller, ServeMcpOptions } from "./options.ts";
import type { RequestState } from "./request-state.ts";
import type { ServerLogs } from "./server-logs.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { serveTasks } from "./task-requests.ts";
import type { Tasks } from "./tasks.ts";
import type { ToolRequests } from "./tool-requests.ts";

/** What all servers to clients share. */
export interface GateParts {
  options: Pick<ServeMcpOptions, "calls" | "info" | "servers">;
  face: Face;
  tools: ToolRequests;
  asked: AskedCalls;
  tasks: Tasks | undefined;
  offers: Offers;
  logs: ServerLogs;
  subscriptions: Subscriptions;
  states: RequestStateCodec<RequestState>;
  /** What comes first waits for it: the servers, and what they list for the principal, for a while. */
  ready(principal: Principal): Promise<void>;
  onError(error: Error): void;
}

const maxSubscriptions = 1_000;
/** How long a client of 2026-07-28 may keep a list. */
const cacheHint = { ttlMs: 60_000, cacheScope: "private" as const };
const cached = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
];

/** In place of an engine for schemas, which would be made with every request, and checks nothing here. */
const unused: jsonSchemaValidator = {
  getValidator: <Value>(): JsonSchemaValidator<Value> => {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

/** Returns who sends a request over HTTP. */
export function callerIn({ http }: ServerContext): GateCaller {
  return http?.authInfo?.extra?.caller as GateCaller;
}

/** Makes the official server that one session, pipe or request is served by. `fixed`: the caller of every request, where there is one. */
export function gateServer(parts: GateParts, era: Era, fixed?: GateCaller): Server {
  const [identity, options] = settingsOf(parts, era, fixed);
  return prepared(new Server(identity, options), parts, era, fixed);
}

/** A tool that takes arguments from headers as well. */
export interface HeaderTool {
  name: string;
  inputSchema: JsonObject;
}

/** Makes the official server for one request of the newest revision over HTTP. */
export function exchangeServer(parts: GateParts, authInfo: AuthInfo | undefined): Server | McpServer {
  const { called } = Object(authInfo?.extra) as { called?: HeaderTool };
  if (called === undefined) return gateServer(parts, "modern");
  // This one refuses headers that differ from the arguments of a tool that it knows.
  const server = new McpServer(...settingsOf(parts, "modern", undefined));
  const inputSchema = fromJsonSchema(called.inputSchema, unused);
  server.registerTool(called.name, { inputSchema }, () => ({ content: [] }));
  prepared(server.server, parts, "modern", undefined);
  return server;
}

function settingsOf(
  { options, states, tasks }: GateParts,
  era: Era,
  fixed: GateCaller | undefined,
): [Implementation, ServerOptions] {
  const { instructions, ...identity } = options.info;
  const settings: ServerOptions = {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      ...(era === "legacy" && { logging: {} }),
      ...(era === "modern" && tasks && { extensions: { [tasksExtension]: {} } }),
    },
    ...(instructions !== undefined && { instructions }),
    jsonSchemaValidator: unused,
    cacheHints: Object.fromEntries(cached.map((method) => [method, cacheHint])),
    requestState: { verify: (state, context) => states.verify(state, knowing(context, fixed)) },
  };
  return [identity, settings];
}

function knowing(context: ServerContext, fixed: GateCaller | undefined): ServerContext {
  return fixed === undefined ? context : { ...context, http: { authInfo: authOf(fixed) } };
}

/** Installs the handlers of a server. */
function prepared(server: Server, parts: GateParts, era: Era, fixed: GateCaller | undefined): Server {
  const { face, tools, offers, asked, ready, onError } = parts;
  const { calls } = parts.options;
  sendExactly(server);
  const incoming = (given: ServerContext): Incoming => {
    const context = knowing(given, fixed);
    return { server, era, context, caller: callerIn(context) };
  };
  const callerIsReady = async (context: ServerContext): Promise<Caller> => {
    const caller = callerOf(incoming(context));
    await ready(caller.principal);
    return caller;
  };
  server.setRequestHandler("tools/list", async (_request, context) => {
    const caller = await callerIsReady(context);
    return { tools: face.list(caller).map((tool) => listedFor(era, tool)) as never };
  });
  const call = async (params: CallToolRequest["params"], context: ServerContext) => {
    // A client that knows what it wants need not list it first.
    await callerIsReady(context);
    return tools.answer(params, incoming(context));
  };
  server.setRequestHandler("tools/call", ({ params }, context) => call(params, context));
  if (era === "legacy") answerBeside(server, async (params, context) => exactIn(await call(params, context)));
  server.setRequestHandler("resources/list", async (_request, context) => {
    return { resources: (await offers.resources(await callerIsReady(context))) as never };
  });
  server.setRequestHandler("resources/templates/list", async (_request, context) => {
    return { resourceTemplates: (await offers.templates(await callerIsReady(context))) as never };
  });
  /** Reads are calls, for which people may be asked as for others. */
  const read = async (call: ToolCall, name: string, facts: JsonObject, request: Incoming): Promise<never> => {
    const { meta } = metaOf(request.context);
    const caller = callerOf(request);
    const run = (input: CallInput) => calls.call({ ...call, ...defined({ meta }) }, { caller, ...defined(input) });
    const answer = await asked.answer({ name, input: call.arguments, tool: call.tool, run }, request);
    return readResult(answer, facts) as never;
  };
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const request = incoming(context);
    const found = await offers.resource(uri, await callerIsReady(context));
    return "contents" in found ? (found as never) : read(found, `resources/read ${uri}`, { uri }, request);
  });
  server.setRequestHandler("prompts/list", async (_request, context) => {
    return { prompts: (await offers.prompts(await callerIsReady(context))) as never };
  });
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: args } }, context) => {
    const request = incoming(context);
    return read(await offers.prompt(name, args, await callerIsReady(context)), `prompts/get ${name}`, {}, request);
  });
  server.setRequestHandler("completion/complete", async ({ params }, context) => {
    const { _meta, ...asked } = params;
    const caller = await callerIsReady(context);
    return (await offers.complete(asked as JsonObject, caller, cancellation(incoming(context)))) as never;
  });
  if (era === "legacy") forSessions(parts, server, incoming);
  else if (parts.tasks) serveTasks(server, parts.tasks, incoming);
  server.onerror = onError;
  return server;
}

/** What only the revisions before 2026-07-28 have. */
function forSessions(
  { offers, subscriptions, logs, options }: GateParts,
  server: Server,
  incoming: (context: ServerContext) => Incoming,
): void {
  const subscribed = new Map<string, () => void>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
    if (subscribed.size >= maxSubscriptions) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `A session has at most ${maxSubscriptions} subscriptions`,
      );
    }
    const { server: from } = await offers.resourceServer(uri, callerOf(incoming(context)));
    const end = await subscriptions.add(from, uri, (params) => {
      server.notification({ method: "notifications/resources/updated", params }).catch(() => {});
    });
    subscribed.get(uri)?.();
    subscribed.set(uri, end);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
    return {};
  });
  server.setRequestHandler("logging/setLevel", async ({ params: { level } }, context) => {
    logs.setLevel(server, level, viewsFor(callerOf(incoming(context)).principal, options.servers()));
    return {};
  });
  server.onclose = () => {
    for (const end of subscribed.values()) end();
    subscribed.clear();
  };
}

/** What goes with a request through the official server. */
export function authOf(caller: GateCaller, called?: HeaderTool): AuthInfo {
  return { token: "", clientId: caller.principal.id, scopes: [], extra: { caller, called } };
}

/** Clients of earlier revisions refuse the whole list for an output that is no object; they get its text alone. */
function listedFor(era: Era, tool: JsonObject): JsonObject {
  const { outputSchema, ...rest } = tool;
  if (era === "modern" || outputSchema === undefined) return tool;
  return isObject(outputSchema) && outputSchema.type === "object" ? tool : rest;
}
