// Decisions that come later: what was approved is what runs, and what the host gives is checked where it is given.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, createAgent, nativeProtocol, type ResumeOptions, type RunSnapshot } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { folderStorage } from "@toolglot/storage";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";

const ask = (id: string, name: string, input: object): ScriptedTurn => [
  { type: "call", call: { id, name, input, protocol: "native" } } as never,
];

function open() {
  const made: unknown[] = [];
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "wipe",
      description: "Wipes a disk.",
      args: { disk: "string", "n?": "integer" },
      annotations: { requiresApproval: true },
      execute: (input) => made.push(input) && "done",
    }),
  );
  toolkit.registerToolFunction(
    defineTool({ name: "choose", description: "Lets the person choose.", args: { of: "string" }, external: true }),
  );
  const agentOf = (turns: ScriptedTurn[], options: Partial<AgentOptions> = {}) => {
    const model = scriptedModel(turns);
    const executor = toolkitExecutor(toolkit);
    return { model, agent: createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit, ...options }) };
  };
  return { made, toolkit, agentOf };
}

const later: Partial<AgentOptions> = { approve: () => "later" };
const wipe = ask("1", "wipe", { disk: "a", n: 1 });

describe("a decision", () => {
  it("should hold the fingerprint of what waits: the same for the same tool and input, whatever the order of its keys", async () => {
    const { agentOf } = open();
    const printOf = async (input: object, name = "wipe") =>
      (await agentOf([ask("1", name, input)], later).agent.run("Go").result).pending?.[0]?.fingerprint;
    const print = await printOf({ disk: "a", n: 1 });
    expect(print).toMatch(/^[0-9a-f]{64}$/);
    expect(await printOf({ n: 1, disk: "a" })).toBe(print);
    for (const other of [printOf({ disk: "b", n: 1 }), printOf({ disk: "a" }), printOf({ of: "a" }, "choose")])
      expect(await other).not.toBe(print);
  });

  it("should run what was approved", async () => {
    const { agentOf, made } = open();
    const { snapshot, pending } = await agentOf([wipe], later).agent.run("Go").result;
    const fingerprint = pending?.[0]?.fingerprint as string;
    const run = await agentOf(["end"]).agent.resume(snapshot as RunSnapshot, {
      decisions: { 1: { approved: true, fingerprint } },
    });
    expect(await run.result).toMatchObject({ status: "answered", denied: 0 });
    expect(made).toEqual([{ disk: "a", n: 1 }]);
  });

  it.each([
    ["another input", (line: string) => line.replaceAll('"disk":"a"', '"disk":"everything"')],
    ["another number", (line: string) => line.replaceAll('"disk":"a","n":1', '"disk":"a","n":9')],
    ["more input", (line: string) => line.replaceAll('"disk":"a"', '"disk":"a","extra":1')],
  ])("should be asked for again when a stored run was given %s, on all its sides", async (_, change) => {
    const { agentOf, made } = open();
    const { snapshot, pending } = await agentOf([wipe], later).agent.run("Go").result;
    const { fingerprint } = pending?.[0] ?? {};
    const forged = { ...snapshot, lines: snapshot?.lines.map(change) } as RunSnapshot;
    expect(forged.lines).not.toEqual(snapshot?.lines);
    const decisions = { 1: { approved: true, fingerprint: fingerprint as string } };
    const asked: unknown[] = [];
    const { agent } = agentOf(["end"], { approve: ({ input }) => asked.push(input) < 0 });
    const run = await agent.resume(forged, { decisions });
    expect((await run.result).denied).toBe(asked.length);
    const again = await (await agentOf([], later).agent.resume(forged, { decisions })).result;
    const isValid = asked.length > 0;
    expect(again.status).toBe(isValid ? "waiting" : "error");
    expect(made).toEqual([]);
    const codes: string[] = [];
    for await (const event of run) if (event.type === "warning") codes.push(event.code);
    expect(codes.includes("agent/decision-refused")).toBe(isValid);
  });

  it("should be kept in the log, and count for nothing else after a crash", async () => {
    const { agentOf, made } = open();
    const { agent } = agentOf([wipe, "end"], { approve: () => true });
    const run = agent.run("Go");
    await run.result;
    const { lines } = run.snapshot();
    // Cut off right after the decision, with the call still to be made.
    const cut = lines.slice(0, lines.findIndex((line) => line.includes('"type":"decision"')) + 1);
    const goOn = async (change: (line: string) => string) => {
      made.length = 0;
      const asked: unknown[] = [];
      const again = agentOf(["end"], { approve: ({ input }) => asked.push(input) < 0 }).agent;
      await (await again.resume({ version: 1, runId: run.runId, lines: cut.map(change) })).result;
      return { asked, made: [...made] };
    };
    expect(await goOn((line) => line)).toEqual({ asked: [], made: [{ disk: "a", n: 1 }] });
    const forged = await goOn((line) =>
      line.includes('"decision"') ? line : line.replaceAll('"disk":"a"', '"disk":"b"'),
    );
    expect(forged).toEqual({ asked: [{ disk: "b", n: 1 }], made: [] });
  });

  it.each<[string, ResumeOptions, RegExp]>([
    [
      "no fingerprint",
      { decisions: { 1: { approved: true } } },
      /decisions\.1 must have the fingerprint.*allowUnbound: true/,
    ],
    ["a denial without one", { decisions: { 1: { approved: false } } }, /fingerprint/],
    [
      "a boolean",
      { decisions: { 1: true as never } },
      /decisions\.1 must be \{ approved, fingerprint \}, not boolean true/,
    ],
    [
      "text",
      { decisions: { 1: { approved: "yes", fingerprint: "x" } as never } },
      /approved must be true or false, not "yes"/,
    ],
    ["another word", { decisions: { 1: { aproved: true } as never } }, /"aproved".*"approved"/],
    ["neither", { decisions: { 1: { fingerprint: "x" } as never } }, /must have approved, true or false, or result/],
    [
      "text as a result",
      { decisions: { 1: { result: "paid", fingerprint: "x" } as never } },
      /result must be an object, not "paid"/,
    ],
    ["half a result", { decisions: { 1: { result: { content: [] }, fingerprint: "x" } as never } }, /tool's result/],
  ])("should be refused where it is given: %s", async (_, options, message) => {
    const { agentOf, made } = open();
    const { snapshot } = await agentOf([wipe], later).agent.run("Go").result;
    await expect(agentOf(["end"]).agent.resume(snapshot as RunSnapshot, options)).rejects.toThrow(message);
    await expect(agentOf(["end"]).agent.resume(snapshot as RunSnapshot, options)).rejects.toThrow(TypeError);
    expect(made).toEqual([]);
  });

  it("should be refused where it settles nothing", async () => {
    const { agentOf } = open();
    const { snapshot } = await agentOf([wipe], later).agent.run("Go").result;
    for (const given of ["again", true, { status: "ok" }, { content: [] }]) {
      const resumed = agentOf(["end"]).agent.resume(snapshot as RunSnapshot, { settle: { 1: given as never } });
      await expect(resumed).rejects.toThrow(/settle\.1 must be "rerun" or a tool's result, not /);
    }
  });

  it.each([undefined, null, 1, "yes", {}, { approved: "true" }, { result: 1 }, []])(
    "should be a denial that is told when approve gives %j",
    async (answer) => {
      const { agentOf, made } = open();
      const run = agentOf([wipe, "end"], { approve: () => answer as never }).agent.run("Go");
      expect((await run.result).denied).toBe(1);
      const messages: string[] = [];
      for await (const event of run) if (event.type === "warning") messages.push(`${event.code} ${event.message}`);
      expect(messages).toEqual([
        expect.stringMatching(/^agent\/approve-failed approve gave .*denial: it takes true, false, "later"/),
      ]);
      expect(made).toEqual([]);
    },
  );
});

describe("a result from elsewhere", () => {
  const result = { status: "ok" as const, content: [{ type: "text" as const, text: "red" }], data: "red" };

  it("should be waited for where nobody here runs the tool, and be seen by afterCall", async () => {
    const { agentOf } = open();
    const asked: unknown[] = [];
    const approve = () => asked.push(1) > 0;
    const { pending, snapshot, status } = await agentOf([ask("1", "choose", { of: "colours" })], { approve }).agent.run(
      "Go",
    ).result;
    expect({ status, asked }).toEqual({ status: "waiting", asked: [] });
    expect(pending).toMatchObject([{ kind: "external-call", tool: "choose", input: { of: "colours" } }]);
    const fingerprint = pending?.[0]?.fingerprint as string;
    const seen: unknown[] = [];
    const { agent, model } = agentOf(["Red it is."], { afterCall: (_, { data }) => void seen.push(data) });
    const run = await agent.resume(JSON.parse(JSON.stringify(snapshot)), { decisions: { 1: { result, fingerprint } } });
    expect(await run.result).toMatchObject({
      status: "answered",
      denied: 0,
      results: [{ callId: "1", name: "choose", status: "ok", data: "red" }],
    });
    expect(seen).toEqual(["red"]);
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain("red");
  });

  it("should stand for a call that waits for its approval, too", async () => {
    const { agentOf, made } = open();
    const { pending, snapshot } = await agentOf([wipe], later).agent.run("Go").result;
    const decisions = { 1: { result, fingerprint: pending?.[0]?.fingerprint as string } };
    const run = await agentOf(["end"]).agent.resume(snapshot as RunSnapshot, { decisions });
    expect((await run.result).results).toMatchObject([{ callId: "1", status: "ok", data: "red" }]);
    expect(made).toEqual([]);
  });

  it("should be asked for again when the call is another, denied when it is, and never just approved", async () => {
    const { agentOf } = open();
    const { pending, snapshot } = await agentOf([ask("1", "choose", { of: "colours" })]).agent.run("Go").result;
    const fingerprint = pending?.[0]?.fingerprint as string;
    const resume = (decision: object, saved = snapshot) =>
      agentOf(["end"]).agent.resume(saved as RunSnapshot, { decisions: { 1: decision } } as never);
    const forged = {
      ...snapshot,
      lines: snapshot?.lines.map((line) => line.replaceAll("colours", "accounts")),
    } as RunSnapshot;
    expect((await (await resume({ result, fingerprint }, forged)).result).status).toBe("waiting");
    expect((await (await resume({ approved: false, fingerprint })).result).results[0]?.status).toBe("denied");
    await expect(resume({ approved: true, fingerprint })).rejects.toThrow(/must have result, or approved: false/);
  });

  it("should be a fault of the tool where it is called without an agent", async () => {
    const { toolkit } = open();
    let last: string | undefined;
    for await (const { status } of toolkit.callToolFunction({ name: "choose", input: { of: "x" } })) last = status;
    expect(last).toBe("error");
  });
});

it("should say how a run stands whose id is given again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolglot-decisions-"));
  try {
    const { agentOf } = open();
    const again = (runId: string) =>
      agentOf(["end"], { storage: folderStorage(folder) }).agent.run("Go", { runId }).result;
    const first = (turns: ScriptedTurn[], runId: string) =>
      agentOf(turns, { ...later, storage: folderStorage(folder) }).agent.run("Go", { runId }).result;
    await first(["end"], "ended");
    await first([wipe], "waiting");
    expect(await again("ended")).toMatchObject({
      error: { code: "agent/session-ended", message: expect.stringMatching(/has ended: give another runId/) },
    });
    expect(await again("waiting")).toMatchObject({
      error: { code: "agent/session-busy", message: expect.stringMatching(/waits for decisions: agent\.resume/) },
    });
    // One that is under way in this very moment.
    let go = (): void => {};
    const gate = new Promise<void>((open) => {
      go = open;
    });
    const wait = async () => {
      await gate;
      return "end";
    };
    const under = agentOf([wait], { storage: folderStorage(folder) }).agent.run("Go", {
      runId: "r",
    });
    for await (const event of under) if (event.type === "request") break;
    expect((await again("r")).error?.message).toMatch(/has not ended, and may be under way/);
    go();
    expect((await under.result).status).toBe("answered");
  } finally {
    await rm(folder, { recursive: true });
  }
});
