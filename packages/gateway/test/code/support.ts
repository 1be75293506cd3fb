import { type JsonObject, ToolError } from "@toolglot/core";
import type { McpCallResult } from "@toolglot/toolkit/mcp";
import { CapabilityError, createRouter, type ExecuteContext, principal, type Router } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import {
  CallChannel,
  type CallExtras,
  type Caller,
  createToolCalls,
  elicitationRole,
  type ImportedServer,
  type ImportedTool,
  type ToolAnswer,
  type ToolCallContext,
  ToolSearch,
} from "@toolglot/trp-mcp";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { type CodeFace, type CodeFaceOptions, createCodeFace } from "../../src/code/code-face.ts";
import type { CodeSettings } from "../../src/config/settings.ts";

export const agent: Caller = { principal: principal({ id: "agent" }), client: { name: "test", version: "1" } };
export const stranger: Caller = { ...agent, principal: principal({ id: "stranger" }) };
export const ada = principal({ id: "ada", roles: ["approver"] });

/** A tool of the test, and what it does. */
export interface TestTool extends Partial<Pick<ImportedTool, "io" | "risk" | "effect" | "repeat">> {
  run(args: JsonObject, extras: CallExtras): McpCallResult | Promise<McpCallResult>;
  settings?: ImportedTool["settings"];
}

/** Servers, each with its tools. */
export type TestServers = Record<string, Record<string, TestTool>>;

export const read = { io: "READ", risk: "LOW", effect: "pure" } as const;

export interface Bench {
  router: Router;
  store: RouterStore;
  face: CodeFace;
  /** Milliseconds that the store's clock is ahead. */
  clock: { ahead: number };
  /** Every call that reached a server: `server.tool` and its arguments. */
  ran: [name: string, args: JsonObject][];
}

interface BenchOptions extends Partial<Pick<CodeFaceOptions, "visible" | "waitForDecision" | "leaseMs">> {
  settings?: CodeSettings;
  store?: RouterStore;
  clock?: { ahead: number };
}

/** A face over a real router with the tools of a test. */
export async function bench(
  tested: TestServers,
  {
    clock = { ahead: 0 },
    store: given,
    settings = { languages: ["javascript"], timeoutMs: 20_000, calls: 100 },
    ...more
  }: BenchOptions = {},
): Promise<Bench> {
  const store = given ?? (await storeUnderTest({ now: () => Date.now() + clock.ahead }));
  const channel = new CallChannel();
  const ran: Bench["ran"] = [];
  const inputSchema = { type: "object", properties: { id: { type: "string" } }, additionalProperties: true };
  const servers = Object.entries(tested).map(([server, tools], at) => ({
    name: server,
    tools: Object.entries(tools).map(
      ([tool, { run, ...facts }], index): ImportedTool => ({
        ...{ server, tool, shownName: `${server}__${tool}`, capId: `cap.mcp.s${at}.t${index}.v1`, settings: {} },
        listed: { name: `${server}__${tool}`, description: `Does ${tool}.`, inputSchema },
        ...({ io: "WRITE", risk: "MEDIUM", effect: "opaque" } as const),
        repeat: { mode: "window", windowMs: 600_000 },
        ...facts,
      }),
    ),
  }));
  const all = servers.flatMap(({ tools }) => tools);
  const works = new Map(all.map(({ capId, server, tool }) => [capId, tested[server]?.[tool]?.run]));
  const router = createRouter({
    store,
    allowVolatile: true,
    mayDecide: (who) => who.roles.includes("approver") || who.roles.includes(elicitationRole),
    capabilities: all.map((tool) => ({
      capId: tool.capId,
      name: tool.shownName,
      description: "A tool.",
      riskTier: tool.risk,
      ioClass: tool.io,
      effect: tool.effect,
      input: tool.listed.inputSchema,
      openInput: true,
      repeats: tool.repeat.mode === "free" ? ("free" as const) : ("guarded" as const),
      shape: (value: unknown) => ({ summary: "done", data: value }),
      async execute(args: JsonObject, context: ExecuteContext) {
        ran.push([`${tool.server}.${tool.tool}`, args]);
        const extras = channel.of(context.callId) ?? {};
        const result = await works.get(tool.capId)?.(args, extras);
        if (result === undefined) throw new Error("no such tool");
        extras.result = result;
        if (result.isError) throw new ToolError("it failed");
        return result;
      },
    })),
  });
  const calls = createToolCalls(router, {
    tool: (capId) => all.find((tool) => tool.capId === capId),
    channel,
    waitMs: 0,
    approvalUrl: (id) => `http://localhost/approvals/${id}`,
  });
  const options: CodeFaceOptions = {
    ...{ calls, servers: () => servers as unknown as ImportedServer[], visible: () => true, storage: store },
    settings,
    finder: new ToolSearch(),
    ...more,
  };
  return { router, store, clock, ran, face: await createCodeFace(options) };
}

export function text(words: string): McpCallResult {
  return { content: [{ type: "text", text: words }] };
}

export function lost(): never {
  throw new CapabilityError("the connection was lost", { outcome: "unknown" });
}

function textOf({ result }: ToolAnswer): string {
  return (result.content ?? []).map((block) => ("text" in block ? block.text : `[${block.type}]`)).join("\n");
}

/** Runs a program. Gives its first text, which is its value when it went well. */
export async function run(
  face: CodeFace,
  args: JsonObject | string,
  context: Partial<ToolCallContext> = {},
  meta?: JsonObject,
): Promise<{ value: string; all: string; outcome: ToolAnswer["outcome"]; answer: ToolAnswer }> {
  const given = typeof args === "string" ? { code: args } : args;
  const answer = await face.run(given, { caller: agent, ...context }, meta);
  const [first] = answer.result.content ?? [];
  return { value: first && "text" in first ? first.text : "", all: textOf(answer), outcome: answer.outcome, answer };
}
