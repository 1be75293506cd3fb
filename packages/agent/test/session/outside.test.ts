// Results that come from outside, through executors that join or run programs, in this process and in another one.
import { execFileSync } from "node:child_process";
import {
  combineExecutors,
  createAgent,
  nativeProtocol,
  parseRecording,
  type RunSnapshot,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { bundle } from "@toolglot/internal/testing/programs";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bracketProtocol } from "../support/bracket-protocol.ts";
import { collect, only } from "../support/collect.ts";

let script: string;
const sandbox = createSandbox({ language: "javascript" });
beforeAll(async () => {
  script = await bundle("outside", import.meta.dirname);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const result = { status: "ok" as const, content: [{ type: "text" as const, text: "red" }], data: "red" };
const choose = defineTool({
  ...{ name: "choose", description: "Lets the person choose.", args: { of: "string" }, external: true as const },
});

it("should be taken by joined executors, in another process", () => {
  const first = JSON.parse(execFileSync(process.execPath, [script, "first"], { encoding: "utf8" }));
  expect(first).toMatchObject({ status: "waiting", pending: [{ kind: "external-call", callId: "1" }] });
  const options = { decisions: { 1: { result, fingerprint: first.pending[0].fingerprint } } };
  const input = JSON.stringify({ snapshot: first.snapshot, options });
  const second = JSON.parse(execFileSync(process.execPath, [script, "second"], { encoding: "utf8", input }));
  expect(second).toMatchObject({ status: "answered", results: [{ callId: "1", status: "ok", data: "red" }] });
  expect(second.seen).toEqual(["red"]);
});

const bracket = bracketProtocol();
const protocol = {
  ...bracket,
  actions: (block: Parameters<typeof bracket.actions>[0]) =>
    bracket
      .actions(block)
      .map((action) => (action.kind === "code" ? { ...action, language: "javascript" as const } : action)),
};
const program = "[[python return [await choose({ of: 'colours' }), await choose({ of: 'sizes' })];]]";

it("should be what a durable program's call gives: one after the other, bound to what was shown", async () => {
  const durable = { storage: { operations: new MemoryOperationLog() }, parkAfterMs: 0 };
  const seen: unknown[] = [];
  const open = (turns: string[]) => {
    const executor = combineExecutors(
      toolkitExecutor(new Toolkit()),
      sandboxExecutor(sandbox, { tools: [choose], durable }),
    );
    const afterCall = (_: unknown, { data }: { data?: unknown }) => void seen.push(data);
    return createAgent({ model: scriptedModel(turns), protocol, executor, tools: [], afterCall });
  };
  let { pending = [], snapshot } = await open([program]).run("Go").result;
  expect(pending).toMatchObject([{ kind: "external-call", tool: "choose", input: { of: "colours" } }]);
  for (const [of, data] of [
    ["sizes", "red"],
    [undefined, "small"],
  ] as const) {
    const [{ callId, fingerprint = "" } = { callId: "" }] = pending;
    const saved = JSON.parse(JSON.stringify(snapshot)) as RunSnapshot;
    const wrong = await open(["Done."]).resume(saved, {
      decisions: { [callId]: { result: { ...result, data }, fingerprint: "0".repeat(64) } },
    });
    expect(await wrong.result).toMatchObject({ status: "waiting", pending: [{ callId, fingerprint }] });
    expect(only(await collect(wrong), "warning").map(({ code }) => code)).toContain("agent/decision-refused");
    const run = await open(["Done."]).resume(saved, {
      decisions: { [callId]: { result: { ...result, data }, fingerprint } },
    });
    const ended = await run.result;
    ({ pending = [], snapshot } = ended);
    expect(pending.map(({ input }) => (input as { of: string }).of)).toEqual(of === undefined ? [] : [of]);
    if (of === undefined) expect(ended).toMatchObject({ status: "answered", results: [{ data: ["red", "small"] }] });
  }
  expect(seen.filter((data) => typeof data === "string")).toEqual(["red", "small"]);
});

it("should be refused to a program that can't wait, at once, with the reason", async () => {
  const executor = sandboxExecutor(sandbox, { tools: [choose] });
  const agent = createAgent({ model: scriptedModel([program, "Done."]), protocol, executor, tools: [] });
  const { status, results } = await agent.run("Go").result;
  expect({ status, results }).toMatchObject({
    status: "answered",
    results: [{ status: "denied", error: { message: expect.stringContaining("this program can't wait for it") } }],
  });
});

it("should be held by a recording, and played from it", async () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      ...{ name: "wipe", description: "Wipes.", args: {}, annotations: { requiresApproval: true } },
      execute: () => "wiped here",
    }),
  );
  const call = { id: "1", name: "wipe", input: {}, protocol: "native" };
  const run = recordRun(
    {
      ...{ model: scriptedModel([[{ type: "call", call }], "Done."]), protocol: nativeProtocol(), tools: toolkit },
      executor: toolkitExecutor(toolkit),
      approve: () => ({
        approved: false,
        result: { callId: "1", name: "wipe", ...result },
      }),
    },
    "Go",
  );
  const events = await collect(run);
  const recording = parseRecording(stringifyRecording(run.recording));
  expect(JSON.stringify(only(events, "approval-response"))).toContain('"data":"red"');
  const played = replayRun(recording, { protocol: nativeProtocol() });
  expect(await collect(played)).toEqual(events);
  expect((await played.result).results).toMatchObject([{ status: "ok", data: "red" }]);
});
