import type { AgentOptions } from "@toolglot/agent";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { setUp } from "./support/set-up.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const removal = ['[[call remove {"a":7}]]', "Done."];

describe("approvals", () => {
  it("are denied when nobody can be asked, and the model is told", async () => {
    const { agent, model } = setUp(removal);
    const run = agent.run("Go");
    expect(await run.result).toMatchObject({ status: "answered", denied: 1, results: [{ status: "denied" }] });
    const events = await collect(run);
    expect(only(events, "approval-request")).toMatchObject([{ request: { tool: "remove", input: { a: 7 } } }]);
    expect(only(events, "approval-response")).toMatchObject([{ callId: "call_0", decision: { approved: false } }]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("nobody is there to give it");
  });

  it("let the call run when they are given", async () => {
    const { agent } = setUp(removal, { approve: ({ tool }) => ({ approved: tool === "remove", by: "me" }) });
    const run = agent.run("Go");
    expect(await run.result).toMatchObject({ denied: 0, results: [{ status: "ok" }] });
    expect(only(await collect(run), "approval-response")).toMatchObject([{ decision: { approved: true, by: "me" } }]);
  });

  it("should take anything but true for a denial", async () => {
    const answers: unknown[] = [false, undefined, "yes", 1, { approved: "yes" }, {}, null];
    for (const answer of answers) {
      const approve = (() => answer) as unknown as NonNullable<AgentOptions["approve"]>;
      const { agent } = setUp(removal, { approve });
      expect(await agent.run("Go").result, String(answer)).toMatchObject({
        denied: 1,
        results: [{ status: "denied" }],
      });
    }
  });

  it("that throw are a denial with a warning", async () => {
    const { agent } = setUp(removal, { approve: () => Promise.reject(new Error("window closed")) });
    const run = agent.run("Go");
    expect(await run.result).toMatchObject({ status: "answered", denied: 1 });
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/approve-failed" }]);
  });

  it("pass the reason of a denial on", async () => {
    const { agent, model } = setUp(removal, { approve: () => ({ approved: false, reason: "Not on a Friday." }) });
    await agent.run("Go").result;
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("Not on a Friday.");
  });
});

describe("executors that break their word", () => {
  const execute = async (run: () => unknown) => {
    const executor = { handles: () => true, execute: run as () => Promise<never> };
    const { agent } = setUp(["[[call store {}]]", "Ok."], { executor });
    const started = agent.run("Go");
    const warnings = only(await collect(started), "warning").map((event) => event.code);
    return { result: await started.result, warnings };
  };

  it("by rejecting or throwing give an error result without the host's words", async () => {
    for (const fail of [
      () => Promise.reject(new Error("/etc/secret")),
      () => {
        throw new Error("/etc/secret");
      },
    ]) {
      const { result, warnings } = await execute(fail);
      expect(result).toMatchObject({
        status: "answered",
        results: [{ callId: "call_0", status: "error", error: { type: "ExecutorFault" } }],
      });
      expect(JSON.stringify(result.transcript)).not.toContain("secret");
      expect(warnings).toEqual(["agent/executor-failed"]);
    }
  });

  it("by giving no result, no array, or nonsense, give an error result", async () => {
    expect((await execute(async () => [])).warnings).toEqual(["agent/missing-result"]);
    expect((await execute(async () => undefined)).warnings).toEqual(["agent/executor-failed"]);
    const { result, warnings } = await execute(async () => [{ callId: "call_0", status: "fine" }, null]);
    expect(warnings).toEqual(["agent/stray-result", "agent/stray-result", "agent/missing-result"]);
    expect(result.results).toMatchObject([{ callId: "call_0", status: "error", error: { type: "MissingToolResult" } }]);
  });

  it("should not be given what they don't handle", async () => {
    const executor = { ...recordingExecutor(), handles: () => false };
    const { agent } = setUp(["[[python 1]]", "Ok."], { executor });
    const unhandled = { type: "Unhandled", message: "Nothing here can run python programs." };
    expect(await agent.run("Go").result).toMatchObject({ results: [{ status: "error", error: unhandled }] });
    expect(executor.ran).toEqual([]);
  });

  it("by giving two results count once", async () => {
    const ok = { callId: "call_0", status: "ok", content: [], data: 1 };
    const { result, warnings } = await execute(async () => [ok, { ...ok, data: 2 }, { ...ok, callId: "other" }]);
    expect(result.results).toEqual([{ ...ok, name: "store" }]);
    expect(warnings).toEqual(["agent/stray-result", "agent/stray-result"]);
  });

  it("should not be heard after their action has ended", async () => {
    let late: (() => void) | undefined;
    const executor = recordingExecutor((call, context) => {
      late = () => context.emit({ type: "tool-call-progress", callId: call.id, name: call.name, data: "late" });
      return 1;
    });
    const afterwards = (): string => {
      late?.();
      return "Done.";
    };
    const { agent } = setUp(["[[call add {}]]", afterwards], { executor, tools: definitions });
    expect(only(await collect(agent.run("Go")), "tool-call-progress")).toEqual([]);
  });
});

it("should stop calling an onEvent that throws, and say so once", async () => {
  let called = 0;
  const { agent } = setUp(["Hello."], {
    onEvent: () => {
      called += 1;
      throw new Error("oops");
    },
  });
  const run = agent.run("Hi");
  expect(await run.result).toMatchObject({ status: "answered" });
  expect(called).toBe(1);
  expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/on-event-failed" }]);
});
