import type {
  Action,
  AnyTool,
  CallsAction,
  ContentBlock,
  Executor,
  OperationLog,
  PlanAction,
  ToolCall,
  ToolContext,
  ToolDefinition,
  ToolErrorInfo,
  ToolResult,
} from "@toolglot/core";
import type { InputSchema } from "@toolglot/schema";
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  type AgentSkill,
  type AnthropicTool,
  countDiagnostics,
  type DefinedTool,
  dataResolver,
  defineTool,
  EventBus,
  type FunctionSchema,
  fromMcpTool,
  fromOpenAiTool,
  type GeminiFunctionDeclaration,
  type McpClient,
  type McpTool,
  makeSubagentTool,
  type OpenAiTool,
  type Prepared,
  type ProviderTools,
  RegisteredToolFunction,
  type Resource,
  type ResourceResolver,
  type ResponseStatus,
  type TaskEvent,
  type TaskState,
  Tasks,
  Toolkit,
  ToolkitError,
  type ToolkitErrorCode,
  type ToolkitExecutor,
  type ToolkitState,
  type ToolMiddleware,
  ToolResponse,
  toAnthropicTools,
  toGeminiTools,
  toMcpTools,
  toOpenAiTools,
  toolkitExecutor,
  traceToolkit,
} from "../src/index.ts";
import { createMcpClient } from "../src/mcp/index.ts";
import { famResolver, fileResolver, readAgentSkill } from "../src/node/index.ts";

const name = "t";
const description = "d";

const fromZod = defineTool({
  name,
  description,
  input: z.object({ city: z.string(), days: z.number().default(3), at: z.string().transform(Number) }),
  execute: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; at: number }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
  },
});
expectTypeOf(fromZod).toEqualTypeOf<DefinedTool<{ city: string; days: number; at: number }>>();

defineTool({
  name,
  description,
  input: v.object({ city: v.string(), days: v.optional(v.number(), 3), note: v.optional(v.string()) }),
  execute: async function* (input) {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; note?: string | undefined }>();
    yield 1;
  },
});

defineTool({
  name,
  description,
  input: type({ city: "string", "days?": "number", unit: "'c' | 'f' = 'c'" }),
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number; unit: "c" | "f" }>();
  },
});

defineTool({
  name,
  description,
  args: { city: "string - City name", "days?": "number = 3", "tags?": "string[]", unit: "'c' | 'f'" },
  execute: ({ city, days, tags, unit }) => {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(days).toEqualTypeOf<number>();
    expectTypeOf(tags).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(unit).toEqualTypeOf<"c" | "f">();
  },
});

defineTool({
  name,
  description,
  input: { type: "object", properties: { city: { type: "string" } } },
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
  },
});

defineTool({ name, description, execute: () => 1 });

// @ts-expect-error: a date is no schema
defineTool({ name, description, input: new Date(), execute: () => 1 });
// @ts-expect-error: a description is needed
defineTool({ name, execute: () => 1 });
// @ts-expect-error: days is a number
defineTool({ name, description, args: { days: "number" }, execute: ({ days }) => days.toUpperCase() });

const kit = new Toolkit();
kit.registerToolFunction(fromZod, { presets: { city: "Paris" } });
kit.registerToolFunction(({ a }: { a: string }) => a, { name: "f", description, args: { a: "string" } });
// @ts-expect-error: a tool has its schema already
kit.registerToolFunction(fromZod, { args: { a: "string" } });
expectTypeOf(kit.tools()).toEqualTypeOf<AnyTool[]>();
expectTypeOf(kit.callToolFunction({ name })).toEqualTypeOf<AsyncGenerator<ToolResponse, void, undefined>>();
expectTypeOf(kit.definitions()).toEqualTypeOf<ToolDefinition[]>();
expectTypeOf(kit.getJsonSchemas(["basic"])).toEqualTypeOf<FunctionSchema[]>();
expectTypeOf(kit.registered).toEqualTypeOf<ReadonlyMap<string, RegisteredToolFunction>>();

// Registration and groups: warnings come back as sentences.
expectTypeOf(kit.registerToolFunction(fromZod)).toEqualTypeOf<string[]>();
expectTypeOf(kit.createToolGroup("g", { description })).toEqualTypeOf<string[]>();
expectTypeOf(kit.updateToolGroups(["g"], true)).toEqualTypeOf<string[]>();
expectTypeOf(kit.removeToolGroups(["g"])).toEqualTypeOf<string[]>();
expectTypeOf(kit.removeToolFunction("f")).toEqualTypeOf<boolean>();
expectTypeOf(kit.getToolGroupNotes()).toEqualTypeOf<string>();
// @ts-expect-error: models choose groups by their description
kit.createToolGroup("g", {});
// @ts-expect-error: no such strategy
kit.registerToolFunction(fromZod, { namesakeStrategy: "replace" });
kit.registerToolFunction((input: Record<string, unknown>) => input, { name: "r", description, includeRest: true });
kit.registerToolFunction(() => 1, { name: "r", description, includeRest: { type: "string" } });
// @ts-expect-error: true, or a schema
kit.registerToolFunction(() => 1, { name: "r", description, includeRest: "all" });
kit.registerToolFunction(() => 1, {
  name: "p",
  description,
  postprocess: (call, response) => {
    expectTypeOf(call).toEqualTypeOf<ToolCall>();
    expectTypeOf(response).toEqualTypeOf<ToolResponse>();
    return undefined;
  },
});
// @ts-expect-error: a response, or nothing
kit.registerToolFunction(() => 1, { name: "p", description, postprocess: () => "text" });

// Calls.
expectTypeOf(kit.prepareCall({ id: "1", name, input: {}, protocol: "x" })).toEqualTypeOf<
  Prepared | Promise<Prepared>
>();
// @ts-expect-error: nothing else
kit.callToolFunction({ name }, { onError: "ignore" });
// @ts-expect-error: a call has a name
kit.callToolFunction({ input: {} });
declare const prepared: Prepared;
if (prepared.ok) expectTypeOf(prepared.tool).toEqualTypeOf<RegisteredToolFunction>();
else expectTypeOf(prepared.error).toEqualTypeOf<ToolErrorInfo>();
declare const registered: RegisteredToolFunction;
expectTypeOf(registered.call({ arguments: {} })).toEqualTypeOf<AsyncGenerator<ToolResponse, void, undefined>>();
expectTypeOf(registered.extendedModel).toEqualTypeOf<InputSchema | undefined>();
expectTypeOf(registered.jsonSchema).toEqualTypeOf<FunctionSchema>();
expectTypeOf(RegisteredToolFunction).toBeConstructibleWith(
  {} as ConstructorParameters<typeof RegisteredToolFunction>[0],
);

// Responses.
const response = new ToolResponse({ content: "x" });
expectTypeOf(response.content).toEqualTypeOf<ContentBlock[]>();
expectTypeOf(response.status).toEqualTypeOf<ResponseStatus>();
expectTypeOf<ResponseStatus>().toEqualTypeOf<"ok" | "error" | "interrupted" | "denied" | "pending">();
expectTypeOf(response.with({ isLast: true })).toEqualTypeOf<ToolResponse>();
// @ts-expect-error: content is needed
new ToolResponse({});
declare const something: unknown;
if (ToolResponse.isInstance(something)) expectTypeOf(something).toEqualTypeOf<ToolResponse>();

// Middleware and tracing.
const middleware: ToolMiddleware = async function* (call, next, about) {
  expectTypeOf(call).toEqualTypeOf<ToolCall>();
  expectTypeOf(about.tool).toEqualTypeOf<ToolDefinition | undefined>();
  for await (const given of next({ ...call, input: {} })) yield given;
};
expectTypeOf(kit.registerMiddleware(middleware)).toEqualTypeOf<() => void>();
expectTypeOf(traceToolkit({ recordInputs: true })).toEqualTypeOf<ToolMiddleware>();
expectTypeOf(countDiagnostics).returns.toBeVoid();
// @ts-expect-error: middleware gives responses
kit.registerMiddleware(async function* () {
  yield "text";
});

// State, finish function, sub-agents, skills.
expectTypeOf(kit.saveState()).toEqualTypeOf<ToolkitState>();
expectTypeOf(kit.loadState({ activeGroups: [] }, { strict: false })).toEqualTypeOf<string[]>();
kit.setExtendedModel("finish", z.object({ a: z.string() }));
kit.setExtendedModel("finish", { "a?": "string" });
kit.setExtendedModel("finish", null);
const subagent = makeSubagentTool({
  name,
  description,
  input: z.object({ query: z.string() }),
  run: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ query: string }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
  },
});
expectTypeOf(subagent).toEqualTypeOf<DefinedTool<{ query: string }>>();
makeSubagentTool({ name, description, args: { query: "string" }, run: ({ query }) => query.length });
// @ts-expect-error: an agent has to be there
makeSubagentTool({ name, description, args: { query: "string" } });
expectTypeOf(readAgentSkill("dir")).resolves.toEqualTypeOf<AgentSkill>();
expectTypeOf(kit.getAgentSkillPrompt()).toEqualTypeOf<string | undefined>();

// Errors.
declare const error: ToolkitError;
expectTypeOf(error.code).toEqualTypeOf<ToolkitErrorCode>();
expectTypeOf<"toolkit/name-clash">().toExtend<ToolkitErrorCode>();
expectTypeOf(ToolkitError).instance.toExtend<Error>();

// Executor, tasks, events.
const executor = toolkitExecutor(kit, { maxConcurrency: 2, resources: { data: dataResolver }, operationScope: "x" });
expectTypeOf(executor).toEqualTypeOf<ToolkitExecutor>();
expectTypeOf(executor).toExtend<Executor>();
declare const action: Action;
if (executor.handles(action)) expectTypeOf(action).toEqualTypeOf<CallsAction | PlanAction>();
toolkitExecutor(kit, { storage: { operations: {} as OperationLog }, tasks: new Tasks({ keepEnded: 1 }) });
// @ts-expect-error: a resolver is a function
toolkitExecutor(kit, { resources: { fam: "/srv" } });
expectTypeOf(executor.tasks.get("id")).toEqualTypeOf<TaskState | undefined>();
expectTypeOf(executor.tasks.result("id")).resolves.toEqualTypeOf<ToolResult | undefined>();
executor.tasks.events.subscribe((event) => expectTypeOf(event).toEqualTypeOf<TaskEvent>());
executor.tasks.events.subscribe("task-completed", (event) => {
  expectTypeOf(event.type).toEqualTypeOf<"task-completed">();
  expectTypeOf(event.result).toEqualTypeOf<ToolResult>();
});
// @ts-expect-error: no such event
executor.tasks.events.subscribe("task-done", () => {});
const bus = new EventBus<{ type: "a"; n: number } | { type: "b" }>();
bus.subscribe("a", ({ n }) => expectTypeOf(n).toBeNumber());
// @ts-expect-error: n is missing
bus.publish({ type: "a" });
expectTypeOf(bus.events()).toEqualTypeOf<
  AsyncIterableIterator<{ type: "a"; n: number } | { type: "b" }, void, undefined>
>();

// Resources.
expectTypeOf(famResolver({ data: "/srv" }, { maxBytes: 1 })).toEqualTypeOf<ResourceResolver>();
expectTypeOf(fileResolver(["/srv"])).toEqualTypeOf<ResourceResolver>();
expectTypeOf<Awaited<ReturnType<ResourceResolver>>>().toEqualTypeOf<Resource>();

// Shapes of providers.
expectTypeOf(toOpenAiTools(kit.definitions())).toEqualTypeOf<ProviderTools<OpenAiTool>>();
expectTypeOf(toAnthropicTools([])).toEqualTypeOf<ProviderTools<AnthropicTool>>();
expectTypeOf(toGeminiTools([])).toEqualTypeOf<ProviderTools<GeminiFunctionDeclaration>>();
expectTypeOf(toMcpTools([])).toEqualTypeOf<McpTool[]>();
expectTypeOf(fromMcpTool({ name, inputSchema: { type: "object" } })).toEqualTypeOf<ToolDefinition>();
expectTypeOf(fromOpenAiTool).returns.toEqualTypeOf<ToolDefinition>();

// MCP.
const client = createMcpClient({ name, transport: { type: "stdio", command: "node" } });
expectTypeOf(client).toEqualTypeOf<McpClient>();
expectTypeOf(kit.registerMcpClient(client, { enableTools: ["a"] })).toEqualTypeOf<Promise<string[]>>();
// @ts-expect-error: a transport is needed
createMcpClient({ name });
