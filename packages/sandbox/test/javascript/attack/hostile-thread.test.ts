import { expect, it } from "vitest";
import { MessageGuest } from "../../../src/javascript/message-guest.ts";
import { resolveLimits } from "../../../src/limits.ts";
import { WorkerThread } from "../../../src/node/javascript/worker-thread.ts";
import type { SandboxRun } from "../../../src/run-types.ts";
import { addTool } from "../../support.ts";
import { runGuest } from "./hostile-guest.ts";

const script = new URL("./hostile/thread.node.mjs", import.meta.url);
const short = { timeoutMs: 300, maxLogBytes: 1000 };

/** A run whose interpreter's thread is under the control of somebody else. */
async function runWith(act: string, startTimeoutMs = 20_000, limits = short): Promise<SandboxRun> {
  const thread = new WorkerThread({ script, workerData: { act }, heapMb: 64 });
  const guest = new MessageGuest(thread, resolveLimits("javascript", limits), startTimeoutMs);
  const run = await runGuest(guest, [addTool], { limits });
  await guest.ended;
  return run;
}

it.each([
  "no list",
  "an empty list",
  "a list that is too long",
  "a list with holes",
  "objects for texts",
  "a list in a list",
  "a map",
  "shared memory",
  "a list that contains itself",
  "an error",
  "a port",
  "over the thread's own port",
  "no json",
  "no object",
  "too long",
  "too deep",
  "ready again",
  "an uncaught error",
  "an unhandled rejection",
  "gone",
  "stack overflow",
  "a flood",
  "a flood of lists",
  "never ready",
  "dead at start",
  "broken at start",
  "early",
])("should end as EngineFailure and end the thread: %s", async (act) => {
  // None of them waits for the deadline.
  const run = await runWith(act, act === "never ready" ? 500 : 20_000, { ...short, timeoutMs: 60_000 });
  expect(run).toMatchObject({ status: "error", error: { type: "EngineFailure" } });
  expect(JSON.stringify(run)).not.toContain("forged");
});

it.each(["silent", "busy", "messages that are counted, and do not come"])(
  "should end as Timeout at the deadline: %s",
  async (act) => {
    expect(await runWith(act)).toMatchObject({ status: "error", error: { type: "Timeout" } });
  },
);

// The first says a lie while the answer is on its way, and old news after it; the other may need longer than it has.
it.each(["a flood of waiting", "out of memory"])("should end a thread that does not end by itself: %s", async (act) => {
  const run = await runWith(act);
  expect(["EngineFailure", "Timeout"]).toContain(run.status === "error" && run.error.type);
});

it("should take no prototype and no number from a hostile result", async () => {
  const run = await runWith("prototype keys");
  expect(run).toMatchObject({ status: "ok", value: { a: 1 } });
  expect(Object.keys(run.status === "ok" ? (run.value as object) : {})).toEqual(["a"]);
  expect(run.stats.resultBytes).toBeLessThan(1000);
});

it.each(["two results", "results in two messages"])("should count the first result only: %s", async (act) => {
  expect(await runWith(act)).toMatchObject({ status: "ok", value: 1 });
});
