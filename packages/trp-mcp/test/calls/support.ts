import { type JsonObject, ToolError } from "@toolglot/core";
import type { McpCallResult } from "@toolglot/toolkit/mcp";
import {
  CapabilityError,
  createRouter,
  type Effect,
  type ExecuteContext,
  type PolicyEngine,
  principal,
  type Router,
} from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import { CallChannel } from "../../src/calls/call-channel.ts";
import type { ToolCallsOptions } from "../../src/calls/options.ts";
import { askAgain, elicitationRole } from "../../src/calls/policies.ts";
import { createToolCalls } from "../../src/calls/tool-calls.ts";
import type { Caller, ImportedTool, ToolCalls, ToolSettings } from "../../src/types.ts";

export const agent: Caller = { principal: principal({ id: "agent" }), client: { name: "test", version: "1" } };
export const ada = principal({ id: "ada", roles: ["approver"] });

/** What a tool of the test does; it counts how often it ran. */
export type Run = (args: JsonObject, context: ExecuteContext) => Promise<McpCallResult> | McpCallResult;

export interface Bench {
  router: Router;
  calls: ToolCalls;
  /** Milliseconds since the epoch; moved by the test. */
  clock: { now: number };
  ran: JsonObject[];
  tool: ImportedTool;
}

interface BenchOptions extends Partial<Pick<ImportedTool, "io" | "risk" | "effect" | "repeat">> {
  run?: Run;
  settings?: ToolSettings;
  policy?: PolicyEngine;
  options?: Partial<ToolCallsOptions>;
  store?: RouterStore;
  clock?: { now: number };
}

/** A router with one tool, as an imported one is. */
export async function bench({
  run,
  settings = {},
  policy,
  options,
  clock = { now: 1_800_000_000_000 },
  ...facts
}: BenchOptions = {}): Promise<Bench> {
  const channel = new CallChannel();
  const ran: JsonObject[] = [];
  const inputSchema = {
    type: "object",
    properties: { id: { type: "string" }, note: { type: "string" } },
    required: ["id"],
  };
  const tool: ImportedTool = {
    server: "shop",
    tool: "refund",
    shownName: "shop__refund",
    capId: "cap.mcp.shop.refund.v1",
    listed: { name: "shop__refund", description: "Refunds.", inputSchema },
    io: "WRITE",
    risk: "MEDIUM",
    effect: "opaque" as Effect,
    repeat: { mode: "window", windowMs: 600_000 },
    settings,
    ...facts,
  };
  const store = facts.store ?? (await storeUnderTest({ now: () => clock.now }));
  const router = createRouter({
    store,
    allowVolatile: true,
    ...(policy && { policy: askAgain(policy) }),
    mayDecide: (who) => who.roles.includes("approver") || who.roles.includes(elicitationRole),
    capabilities: [
      {
        capId: tool.capId,
        name: "refund",
        description: "Refunds.",
        riskTier: tool.risk,
        ioClass: tool.io,
        effect: tool.effect,
        input: inputSchema,
        repeats: tool.repeat.mode === "free" ? "free" : "guarded",
        shape: (value: unknown) => ({ summary: "done", data: value }),
        execute: async (args: JsonObject, context: ExecuteContext) => {
          ran.push(args);
          const result = run === undefined ? text(`refunded ${args.id}`) : await run(args, context);
          const extras = channel.of(context.callId);
          if (extras) extras.result = result;
          if (result.isError) throw new ToolError("it failed");
          return result;
        },
      },
    ],
  });
  const calls = createToolCalls(router, {
    tool: (capId) => (capId === tool.capId ? tool : undefined),
    channel,
    waitMs: 0,
    ...options,
  });
  return { router, calls, clock, ran, tool };
}

export function text(words: string): McpCallResult {
  return { content: [{ type: "text", text: words }] };
}

export function lost(): never {
  throw new CapabilityError("the connection was lost", { outcome: "unknown" });
}

export function textOf({ result }: { result: McpCallResult }): string {
  return (result.content ?? []).map((block) => ("text" in block ? block.text : `[${block.type}]`)).join("\n");
}
