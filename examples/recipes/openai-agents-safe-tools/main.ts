import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type FunctionTool, type Model, Runner, tool, Usage } from "@openai/agents-core";
import { folderStorage } from "@toolglot/storage";
import { z } from "zod";
import { safeTool } from "./safe-tool.ts";

// One argument has swallowed the next one; then the call as it was meant, and the same call again.
const damaged = { order: '7</parameter>\n<parameter name="reason">late' };
const meant = { order: "7", reason: "late" };
const turns = [damaged, meant, meant, "Order 7 is refunded."];
const asked: string[] = [];
/** A model that follows a script. Any other goes in its place. */
const model: Model = {
  async getResponse({ input }) {
    asked.push(JSON.stringify(input));
    const turn = turns.shift() ?? "";
    const content = [{ type: "output_text" as const, text: String(turn) }];
    const call = { type: "function_call" as const, callId: `call_${turns.length}`, name: "refund" };
    const output =
      typeof turn === "string"
        ? { type: "message" as const, role: "assistant" as const, status: "completed" as const, content }
        : { ...call, arguments: JSON.stringify(turn) };
    return { usage: new Usage(), output: [output] };
  },
  async *getStreamedResponse() {},
};

const sent: string[] = [];
const refund = tool({
  name: "refund",
  description: "Refunds an order.",
  parameters: z.object({ order: z.string(), reason: z.string() }),
  errorFunction: null,
  execute: async ({ order, reason }) => {
    sent.push(`${order} ${reason}`);
    return `Refunded ${order}.`;
  },
});
const { operations: log } = folderStorage(mkdtempSync(join(tmpdir(), "orders-")));
const tools = [safeTool(refund as FunctionTool<unknown, never>, { log, scope: "shop" })];
const agent = new Agent({ name: "Helper", instructions: "Be brief.", model, tools });
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "Refund order 7, it came late.");
console.log(finalOutput);

assert.deepEqual(sent, ["7 late"]);
assert.match(asked[1] ?? "", /which the call lacks/);
assert.match(asked[3] ?? "", /Nothing was done now/);
