import { executorContext } from "@toolglot/core/executing";
import { expect, it } from "vitest";

it("should deny, drop events and never stop, unless the caller says otherwise", async () => {
  const context = executorContext();
  expect(context).toMatchObject({ runId: expect.stringMatching(/^run_/), stepIndex: 0, signal: { aborted: false } });
  const request = { kind: "tool-call", callId: "c1", reason: "It asks." } as const;
  expect(await context.approve(request)).toEqual({ approved: false, reason: "nobody is there to ask" });
  context.emit({ type: "log", callId: "c1", entry: { stream: "stdout", text: "dropped" } });
  expect(executorContext().runId).not.toBe(context.runId);
  expect(executorContext({ runId: "mine", stepIndex: 3 })).toMatchObject({ runId: "mine", stepIndex: 3 });
});

it("should refuse an option that nobody would read", () => {
  expect(() => executorContext({ onEvent: () => {} } as never)).toThrow(/no option "onEvent"/);
});
