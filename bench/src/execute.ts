import type { Executor, ToolResult } from "@toolglot/core";

/** Carries out one call by an executor, as an agent would; nothing is approved. */
export async function execute(executor: Executor, name: string, input: unknown): Promise<ToolResult | undefined> {
  const calls = [{ id: "call-1", name, input, protocol: "native" }];
  const action = { kind: "calls" as const, calls, span: { start: 0, end: 0 } };
  const [result] = await executor.execute(action, {
    signal: new AbortController().signal,
    emit: () => undefined,
    approve: async () => ({ approved: false }),
    runId: "bench",
    stepIndex: 0,
  });
  return result;
}
