import type { ToolContext, WaitRequest } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { defineTool, Toolkit, toolkitExecutor } from "../src/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request: WaitRequest = { callId: "1", for: "value", key: "T" };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool that works for 40 ms, waits for a person for 10 seconds, and works for `after` ms more, with 100 ms for all of it. */
function asking(after: number): Toolkit {
  const toolkit = new Toolkit();
  const tool = defineTool({
    name: "ask",
    description: "Asks.",
    input: { type: "object" },
    async execute(_: unknown, { wait }: ToolContext) {
      await sleep(40);
      const answer = await wait?.(request, async () => {
        await sleep(10_000);
        return { outcome: "given" as const };
      });
      await sleep(after);
      return answer?.outcome ?? "nobody waits";
    },
  });
  toolkit.registerToolFunction(tool, { timeoutMs: 100 });
  return toolkit;
}

it.each([
  [40, "ok"],
  [80, "error"],
])("should not count a wait to a tool's own time limit: %i ms after it", async (after, status) => {
  const events: string[] = [];
  const context = executorContext({ emit: ({ type }) => events.push(type) });
  const calls = [{ id: "1", name: "ask", input: {}, protocol: "test" }];
  const running = toolkitExecutor(asking(after)).execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context);
  await vi.advanceTimersByTimeAsync(11_000);
  const [result] = await running;
  expect(result).toMatchObject(status === "ok" ? { status, data: "given" } : { status, error: { type: "Timeout" } });
  expect(events).toEqual(["tool-call-start", "wait-start", "wait-end", "tool-call-end"]);
});

it("should give no way to wait where the host has none", async () => {
  const [tool] = asking(0).tools();
  const running = tool?.execute({}, { signal: new AbortController().signal, callId: "1" }) as Promise<unknown>;
  await vi.advanceTimersByTimeAsync(100);
  expect(await running).toBe("nobody waits");
});
