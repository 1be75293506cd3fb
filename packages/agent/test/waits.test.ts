import { parseRecording, recordRun, replayRun, stringifyRecording } from "@toolglot/agent";
import type { ToolCall, WaitOutcome } from "@toolglot/core";
import { expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { manualRuntime } from "./support/manual-runtime.ts";
import { setUp } from "./support/set-up.ts";
import { recordingExecutor } from "./support/tools.ts";

/** An executor whose calls wait for a person, until `answer` is called. */
function waiting() {
  const answers: ((outcome: WaitOutcome | Error) => void)[] = [];
  const executor = recordingExecutor(async ({ id: callId }: ToolCall, context) => {
    const work = (): Promise<{ outcome: WaitOutcome }> =>
      new Promise((resolve, reject) => {
        answers.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve({ outcome })));
        context.signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }));
      });
    const ended = await context.wait?.({ callId, for: "value", key: "TOKEN" }, work).catch(() => undefined);
    return ended?.outcome ?? "failed";
  });
  return { answers, executor };
}

it("should not count the time of a wait, and report its start and end", async () => {
  const runtime = manualRuntime();
  const { answers, executor } = waiting();
  const { agent } = setUp(["[[call add {}]]", "Done."], { executor, runtime, limits: { timeMs: 5000 } });
  const run = agent.run("Go");
  const events = collect(run);
  await runtime.until(() => answers.length === 1);
  expect(runtime.waiting("deadline")).toBe(false);
  runtime.pass(60_000);
  answers[0]?.("given");
  expect(await run.result).toMatchObject({ status: "answered" });
  const [start] = only(await events, "wait-start");
  const [end] = only(await events, "wait-end");
  expect(start).toMatchObject({ for: "value", key: "TOKEN", stepIndex: 0 });
  expect(end).toMatchObject({ callId: start?.callId, key: "TOKEN", outcome: "given" });
});

it("should end a wait that fails, and one whose run is stopped", async () => {
  const { answers, executor } = waiting();
  const { agent } = setUp(["[[call add {}]]", '[[call add {"a":1}]]'], { executor });
  const stop = new AbortController();
  const run = agent.run("Go", { signal: stop.signal });
  const events = collect(run);
  while (answers.length < 1) await new Promise((resolve) => setImmediate(resolve));
  answers[0]?.(new Error("no terminal"));
  while (answers.length < 2) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await run.result;
  expect(only(await events, "wait-end").map(({ outcome }) => outcome)).toEqual(["cancelled", "aborted"]);
});

it("should replay a wait with its clock", async () => {
  const runtime = manualRuntime();
  const { answers, executor } = waiting();
  const { model } = setUp(["[[call add {}]]", '[[call add {"a":1}]]', "Done."]);
  const protocol = bracketProtocol();
  const run = recordRun({ model, protocol, executor, tools: [], runtime, limits: { timeMs: 5000 } }, "Go");
  const events = collect(run);
  for (const outcome of ["known", "cancelled"] as const) {
    const before = answers.length;
    await runtime.until(() => answers.length > before || answers.length === 2);
    runtime.pass(4000);
    answers.at(-1)?.(outcome);
  }
  expect(await run.result).toMatchObject({ status: "answered" });
  const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol });
  expect(await collect(played)).toEqual(await events);
  expect(played.divergence).toBeUndefined();
});
