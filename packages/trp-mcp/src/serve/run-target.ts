import { defined } from "@toolglot/internal";
import type { Target } from "../faces/face.ts";
import type { ToolAnswer, ToolCall, ToolCallContext, ToolCalls } from "../types.ts";

/** What a tool's name and arguments lead to, where that is to be run. */
export type RunTarget = Exclude<Target, { kind: "text" }>;

/** Makes the call that a client's name and arguments lead to. */
export function runTarget(
  calls: ToolCalls,
  target: RunTarget,
  context: ToolCallContext,
  facts: { [Fact in "key" | "meta" | "begunAt"]?: ToolCall[Fact] | undefined },
): Promise<ToolAnswer> {
  if (target.kind === "again") return calls.again(target.receipt, context);
  if (target.kind === "status") return calls.status(target.id, context);
  if (target.kind === "own") return target.tool.call(target.arguments, context, facts.meta);
  return calls.call({ tool: target.tool, arguments: target.arguments, ...defined(facts) }, context);
}
