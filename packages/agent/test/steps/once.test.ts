import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, createAgent, nativeProtocol, recordRun } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { Executor, ModelPart } from "@toolglot/core";
import { settleOnce } from "@toolglot/core/once";
import { memoryStorage } from "@toolglot/core/storage";
import { folderStorage } from "@toolglot/storage";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, describe, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import { type Journal, journal } from "../support/journal.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-steps-"));
afterAll(() => rm(folder, { recursive: true }));
const openStorage = () => folderStorage(mkdtempSync(join(folder, "once-")));

const call = (name: string): ModelPart => ({
  type: "call",
  call: { id: "a", name, input: { article: "apple" }, protocol: "native" },
});

/** Plays a run of one call of a tool. */
async function play(tool: string, steps: Journal, more: Partial<AgentOptions>, done: string[] = []) {
  const { toolkit } = openDesk(done);
  const agent = createAgent({
    ...{
      model: scriptedModel([[call(tool)], "Done."]),
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
    },
    ...{ tools: toolkit.definitions(), steps, ...more },
  });
  return agent.run("Go", { runId: "w1" }).result;
}

/** An engine that dies after the call was made, and before its value is kept. */
function dying(wait?: Parameters<typeof journal>[1]): Journal {
  const whole = journal([], wait);
  return {
    ...whole,
    run: (step, work) =>
      step.kind === "call" && step.name.split(":")[1] === "0"
        ? work().then(() => Promise.reject(new Error("the process died")))
        : whole.run(step, work),
  };
}

describe("a step that dies between its effect and its return", () => {
  it.each([
    ["order", 1, 2],
    ["look", 2, 2],
  ])("and is run again: %s happens %i times with once, %i without", async (tool, withOnce, without) => {
    for (const [once, times] of [
      [{ storage: openStorage(), scope: "shop" }, withOnce],
      [undefined, without],
    ] as const) {
      const done: string[] = [];
      const more = once ? { once } : {};
      const first = dying();
      await expect(play(tool, first, more, done)).rejects.toThrow("the process died");
      const second = journal(first.kept);
      // The model's answer is kept; the one after it is new.
      const result = await play(tool, second, { ...more, model: scriptedModel(["Done."]) }, done);
      expect(result).toMatchObject({ status: "answered", text: "Done.", results: [{ status: "ok" }] });
      expect(done).toHaveLength(times);
    }
  });

  it("takes the host's word for what its tools do", async () => {
    const done: string[] = [];
    const once = { storage: openStorage(), scope: "shop", effects: { look: "opaque", order: "pure" } as const };
    for (const tool of ["look", "order"]) {
      const first = dying();
      await expect(play(tool, first, { once }, done)).rejects.toThrow();
      await play(tool, journal(first.kept), { once, model: scriptedModel(["Done."]) }, done).catch(() => {});
    }
    expect(done.map((effect) => effect.split(" ")[0])).toEqual(["look", "order", "order"]);
  });

  it("that another run makes with the same input happens there, too", async () => {
    const once = { storage: openStorage(), scope: "shop" };
    const done: string[] = [];
    await play("order", journal(), { once }, done);
    const { toolkit } = openDesk(done);
    await createAgent({
      ...{
        model: scriptedModel([[call("order")], "Done."]),
        protocol: nativeProtocol(),
        executor: toolkitExecutor(toolkit),
      },
      ...{ tools: toolkit.definitions(), steps: journal(), once },
    }).run("Go", { runId: "w2" }).result;
    expect(done).toHaveLength(2);
  });
});

it("asks once about a call that waits, and makes it once after the decision", async () => {
  const once = { storage: openStorage(), scope: "shop" };
  const done: string[] = [];
  const first = dying(() => true);
  await expect(play("drop", first, { once }, done)).rejects.toThrow("the process died");
  const second = journal(first.kept, () => true);
  expect(await play("drop", second, { once, model: scriptedModel(["Done."]) }, done)).toMatchObject({
    status: "answered",
  });
  expect(second.names).toEqual(["model:0", "call:0:drop", "approval:a", "call:0:drop:2", "model:1"]);
  expect(done).toEqual(["drop apple 1"]);
});

it("leaves in doubt what nobody knows, until somebody says what happened", async () => {
  const once = { storage: openStorage(), scope: "shop" };
  let isBroken = true;
  const { toolkit, done } = openDesk();
  const own = toolkitExecutor(toolkit);
  const executor: Executor = {
    ...own,
    honoursHooks: true,
    execute: (...given) => (isBroken ? Promise.reject(new Error("the line broke")) : own.execute(...given)),
  };
  const doubt = await play("order", journal(), { once, executor });
  expect(doubt.results).toMatchObject([{ status: "in-doubt", error: { type: "InDoubt" } }]);
  expect(doubt.results[0]?.error?.message).toContain('settleOnce, scope "shop/order", key "w1/call:0:order"');
  isBroken = false;
  // A run that is begun anew has the same id: it asks for the same, and nothing is done.
  expect((await play("order", journal(), { once, executor })).results).toMatchObject([{ status: "in-doubt" }]);
  expect(done).toEqual([]);
  const { operations } = once.storage;
  await settleOnce(operations, { scope: "shop/order", key: "w1/call:0:order" }, { happened: false }, "ann");
  expect((await play("order", journal(), { once, executor })).results).toMatchObject([{ status: "ok" }]);
  expect(done).toEqual(["order apple 1"]);
});

it("takes another input under the name of a step for a conflict, and does nothing", async () => {
  const once = { storage: openStorage(), scope: "shop" };
  await play("order", journal(), { once });
  const other: ModelPart = {
    type: "call",
    call: { id: "a", name: "order", input: { article: "pear" }, protocol: "native" },
  };
  const done: string[] = [];
  const result = await play("order", journal(), { once, model: scriptedModel([[other], "Done."]) }, done);
  expect(result.results).toMatchObject([{ status: "error", error: { type: "Conflict" } }]);
  expect(done).toEqual([]);
});

it("lets the engine try again where nothing was done", async () => {
  const storage = openStorage();
  const broken = { ...storage.operations, claim: () => Promise.reject(new Error("disk full")) };
  const once = { storage: { operations: broken }, scope: "shop" };
  await expect(play("order", journal(), { once })).rejects.toMatchObject({ code: "once/not-recorded" });
});

it("rejects with what the engine rejects with, and begins nothing more", async () => {
  const cancelled = new Error("WorkflowCancelled");
  const steps = journal([], () => Promise.reject(cancelled));
  const done: string[] = [];
  await expect(play("drop", steps, {}, done)).rejects.toBe(cancelled);
  expect([steps.names.at(-1), done]).toEqual(["approval:a", []]);
});

it("ends as aborted when its caller stops it, even where the engine hangs", async () => {
  const stop = new AbortController();
  const { toolkit } = openDesk();
  const agent = createAgent({
    ...{ model: scriptedModel([]), protocol: nativeProtocol(), executor: toolkitExecutor(toolkit) },
    tools: toolkit.definitions(),
    steps: {
      run: () => {
        stop.abort();
        return new Promise<never>(() => {});
      },
    },
  });
  expect((await agent.run("Go", { runId: "w1", signal: stop.signal }).result).status).toBe("aborted");
});

describe("what can't go with steps is a mistake that is told at once", () => {
  const { toolkit } = openDesk();
  const options: AgentOptions = {
    ...{ model: scriptedModel([]), protocol: nativeProtocol(), executor: toolkitExecutor(toolkit) },
    ...{ tools: toolkit.definitions(), steps: journal() },
  };
  it.each<[string, Partial<AgentOptions>, string]>([
    ["a storage", { storage: memoryStorage() }, "two journals"],
    ["live tools", { tools: new Toolkit() }, "toolkit.definitions()"],
    ["a time limit", { limits: { timeMs: 1000 } }, "limits.timeMs"],
    [
      "a store of artifacts",
      { context: { artifacts: { put: () => "a", read: () => undefined } } },
      "context.artifacts",
    ],
    ["a clock", { runtime: { now: Date.now } }, "runtime.now"],
    ["no run", { steps: {} as never }, "run"],
    ["a storage that forgets", { once: { storage: memoryStorage(), scope: "shop" } }, "durable"],
    [
      "an effect that there is not",
      { once: { storage: openStorage(), scope: "shop", effects: { a: "none" as never } } },
      "once.effects.a",
    ],
    ["no storage", { once: { scope: "shop" } as never }, "storage"],
  ])("%s", (_, more, text) => {
    expect(() => createAgent({ ...options, ...more })).toThrow(TypeError);
    expect(() => createAgent({ ...options, ...more })).toThrow(text);
  });

  it("no runId, a recording, and once without steps", () => {
    expect(() => createAgent(options).run("Go")).toThrow("runId");
    expect(() => recordRun(options, "Go", { runId: "w1" })).toThrow("recorded");
    const { steps: _, ...without } = options;
    expect(() => createAgent({ ...without, once: { storage: openStorage(), scope: "shop" } })).toThrow(
      "new Toolkit({ once })",
    );
  });
});
