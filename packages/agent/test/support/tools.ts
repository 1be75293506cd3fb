import type { Action, Executor, ExecutorContext, ToolCall, ToolDefinition, ToolResult } from "@toolglot/core";
import { requiresApproval, toJsonText } from "@toolglot/core";

const schema = {
  type: "object" as const,
  properties: { a: { type: "number" as const }, b: { type: "number" as const } },
};

/** `add` reads, `store` writes, `remove` destroys. */
export const definitions: ToolDefinition[] = [
  { name: "add", description: "Adds.", inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: "store", description: "Stores.", inputSchema: schema },
  { name: "remove", description: "Removes.", inputSchema: schema, annotations: { destructiveHint: true } },
];

/** An executor over a function, that reports and asks as executors must, and keeps what it ran. */
export function recordingExecutor(
  run: (call: ToolCall, context: ExecutorContext) => unknown = ({ input }) => input,
): Executor & { ran: Action[] } {
  const ran: Action[] = [];
  return {
    ran,
    handles: () => true,
    async execute(action, context) {
      ran.push(action);
      const calls: ToolCall[] =
        action.kind === "calls"
          ? action.calls
          : action.kind === "code"
            ? [{ id: action.id, name: "code", input: action.source, protocol: "test" }]
            : [];
      return Promise.all(calls.map((call) => one(call, context, run)));
    },
  };
}

async function one(
  call: ToolCall,
  context: ExecutorContext,
  run: (call: ToolCall, context: ExecutorContext) => unknown,
): Promise<ToolResult> {
  const { id: callId, name, input } = call;
  const tool = definitions.find((definition) => definition.name === name);
  if (tool && requiresApproval(tool)) {
    const { approved, reason } = await context.approve({ kind: "tool-call", callId, tool: name, input, reason: "?" });
    if (!approved) {
      return { callId, name, status: "denied", content: [], error: { type: "Denied", message: reason ?? "Denied." } };
    }
  }
  context.emit({ type: "tool-call-start", callId, name, input });
  const data = await run(call, context);
  context.emit({ type: "tool-call-end", callId, name, status: "ok", ms: 1, data });
  return { callId, name, status: "ok", content: [{ type: "text", text: toJsonText(data) }], data };
}
