import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { Executor, Model, ToolDefinition } from "@toolglot/core";

const clock: ToolDefinition = { name: "clock", description: "Tells the time.", inputSchema: { type: "object" } };

/** A model is any function of this shape: this one asks for the time once and repeats the result. */
const model: Model = async function* ({ messages }) {
  const result = messages.flatMap(({ parts }) => parts).find((part) => part.type === "result");
  if (result === undefined) {
    yield { type: "call", call: { id: "c1", name: "clock", input: {}, protocol: "native" } };
    yield { type: "finish", reason: "calls" };
    return;
  }
  yield "It is ";
  yield `${result.result.data}.`;
  yield { type: "finish", reason: "stop" };
};

const executor: Executor = {
  handles: (action) => action.kind === "calls",
  execute: async (action) =>
    action.kind === "calls"
      ? action.calls.map(({ id }) => ({
          callId: id,
          status: "ok",
          content: [{ type: "text", text: "noon" }],
          data: "noon",
        }))
      : [],
};

export async function consume(): Promise<string> {
  const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: [clock] });
  const { status, text, turns } = await agent.run("What time is it?").result;
  return [status, text, turns].join(" | ");
}

export const expected = "answered | It is noon. | 2";
