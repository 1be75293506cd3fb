import type { ToolCall, ToolResult } from "@toolglot/core";
import { inOrder } from "@toolglot/core/executing";

const shellCalls: ReadonlySet<string> = new Set(["command", "input", "ctrl"]);

/**
 * Runs a batch: each shell call by itself, all edits together where the first of them stands, and everything else beside its
 * neighbours. Results are in the order of the calls.
 */
export async function runInBatchOrder(
  calls: readonly ToolCall[],
  maxConcurrency: number,
  run: { single(call: ToolCall): Promise<ToolResult>; edits(calls: readonly ToolCall[]): Promise<ToolResult[]> },
): Promise<ToolResult[]> {
  const edits = calls.filter(({ name }) => name === "edit");
  const steps = calls.filter((call) => call.name !== "edit" || call === edits[0]);
  const onlyReads = ({ name }: ToolCall): boolean => name !== "edit" && !shellCalls.has(name);
  const results = new Map<ToolCall, ToolResult>();
  await inOrder(steps, { maxConcurrency, onlyReads }, async (call) => {
    if (call !== edits[0]) results.set(call, await run.single(call));
    else
      for (const [index, result] of (await run.edits(edits)).entries()) results.set(edits[index] as ToolCall, result);
  });
  return calls.map((call) => results.get(call) as ToolResult);
}
