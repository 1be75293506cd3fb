import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { resolveLimits } from "../../src/limits.ts";
import { ChildGuest } from "../../src/node/python/child-guest.ts";
import { ProgramRun } from "../../src/run/program-run.ts";
import { bindTools } from "../../src/run/tools.ts";
import type { SandboxRun } from "../../src/run-types.ts";
import { addTool } from "../support.ts";

const script = fileURLToPath(new URL("./hostile/child.mjs", import.meta.url));
const limits = resolveLimits("python", { timeoutMs: 300, maxLogBytes: 1000 });

/** A run whose guest is under the control of somebody else. */
async function runWith(act: string, startTimeoutMs = 300_000): Promise<SandboxRun & { killed: boolean }> {
  const guest = new ChildGuest({
    file: process.execPath,
    args: [script, act],
    init: {},
    maxFrameBytes: 1_000_000,
    startTimeoutMs,
  });
  const tools = bindTools([addTool], [], "python");
  const options = {};
  const { signal } = new AbortController();
  const engine = { language: "python", label: "hostile", snapshot: "none" } as never;
  const run = new ProgramRun({
    code: "x",
    engine,
    limits,
    tools,
    imports: "refuse",
    style: "attp",
    guard: true,
    seed: "",
    callIdPrefix: "run",
    options,
    signal,
  });
  const outcome = await run.execute(async () => {
    await guest.ready;
    return { guest, warm: false, reused: 0, release: () => guest.kill() };
  });
  guest.kill();
  await guest.ended;
  return { ...outcome, killed: true };
}

it.each([
  "garbage",
  "oversize",
  "no json",
  "no object",
  "no utf-8",
  "deep",
  "unknown type",
  "no value",
  "no error",
  "odd error",
  "unknown tool",
  "negative tool",
  "tool by name",
  "odd arguments",
  "two calls at once",
  "result while it waits",
  "odd log",
  "endless log",
  "endless cut marks",
  "endless usage",
  "ready again",
  "gone",
  "never ready",
  "dead at start",
  "early",
])("should end as EngineFailure and end the child: %s", async (act) => {
  const run = await runWith(act, act === "never ready" ? 500 : 300_000);
  expect(run).toMatchObject({ status: "error", error: { type: "EngineFailure" } });
  expect(JSON.stringify(run)).not.toContain("forged");
});

it.each(["silent", "half a frame"])("should end as Timeout at the deadline: %s", async (act) => {
  expect(await runWith(act)).toMatchObject({ status: "error", error: { type: "Timeout" } });
});

it("should take no prototype and no number from a hostile result", async () => {
  const run = await runWith("prototype keys");
  expect(run).toMatchObject({ status: "ok", value: { a: 1 } });
  expect(Object.keys(run.status === "ok" ? (run.value as object) : {})).toEqual(["a"]);
  expect(run.stats.resultBytes).toBeLessThan(1000);
});

it("should count the first result only", async () => {
  expect(await runWith("two results")).toMatchObject({ status: "ok", value: 1 });
});
