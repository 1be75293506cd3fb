import { createAgent, nativeProtocol, parseRecording, recordRun, replayRun, stringifyRecording } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { ToolCall } from "@toolglot/core";
import { ToolglotError } from "@toolglot/core";
import type { LogStore, Storage } from "@toolglot/core/storage";
import { toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "../support/bracket-protocol.ts";
import { collect, only } from "../support/collect.ts";
import { memoryRuns } from "../support/memory-runs.ts";
import { openShop } from "../support/shop.ts";
import { definitions, recordingExecutor } from "../support/tools.ts";

const turns = ["[[call add {}]]", "[[call store {}]]", "Done."];
const base = { protocol: bracketProtocol(), executor: recordingExecutor(), tools: definitions };

interface Line {
  n: number;
  by: string;
  type: string;
}
const read = (lines: readonly string[] | undefined): Line[] => (lines ?? []).map((line) => JSON.parse(line) as Line);

/** The log of a run that was cut off before its end. */
async function cutLog(length = 5): Promise<ReturnType<typeof memoryRuns>> {
  const storage = memoryRuns();
  await createAgent({ ...base, model: scriptedModel(turns), storage }).run("Go", { runId: "r" }).result;
  storage.runs.set("r", storage.runs.get("r")?.slice(0, length) ?? []);
  return storage;
}
const resume = (storage: Storage, more: readonly string[] = ["Done."]) =>
  createAgent({ ...base, model: scriptedModel(more), storage }).resume("r");

describe("a session's log", () => {
  it("is written as the run goes: before actions, around calls with effects, after steps", async () => {
    const storage = memoryRuns();
    const { toolkit } = openShop();
    const call = (id: string, name: string, input: object): ToolCall => ({ id, name, input, protocol: "native" });
    const order = call("b", "order", { article: "pear", amount: 1 });
    const agent = createAgent({
      model: scriptedModel([
        [
          { type: "call", call: call("a", "count_stock", { article: "pear" }) },
          { type: "call", call: order },
        ],
        "Done.",
      ]),
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
      storage,
    });
    const run = agent.run("Go", { runId: "r" });
    await run.result;
    const lines = read(storage.runs.get("r"));
    expect(lines.map(({ type }) => type)).toEqual([
      "head",
      "answer",
      "call-start",
      "call-end",
      "results",
      "step",
      "end",
    ]);
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, n) => n));
    expect(new Set(lines.map(({ by }) => by)).size).toBe(1);
    expect(lines[0]).toMatchObject({ version: 1, runId: "r", protocol: "native/1", messages: [{ role: "user" }] });
    expect(lines[1]).toMatchObject({ actions: [{ calls: [{ id: "a" }, order] }], counts: { turns: 1 } });
    expect(run.snapshot()).toEqual({ version: 1, runId: "r", lines: storage.runs.get("r") });
  });

  it("has what the host says when it is said", async () => {
    const storage = memoryRuns();
    const agent = createAgent({ ...base, model: scriptedModel(["[[call add {}]]", "Done.", "Fine."]), storage });
    const run = agent.run("Go", { runId: "r" });
    run.steer("Be quick.");
    run.followUp("And then?");
    const { transcript } = await run.result;
    const log = storage.runs.get("r") ?? [];
    expect(read(log).map(({ type }) => type)).toEqual([
      "head",
      "messages",
      "answer",
      "results",
      "step",
      "messages",
      "step",
      "end",
    ]);
    for (let length = 2; length < log.length; length += 1) {
      storage.runs.set("r", log.slice(0, length));
      const again = await (await resume(storage, ["[[call add {}]]", "Done.", "Fine."].slice(length < 3 ? 0 : 1)))
        .result;
      const said = (messages: typeof transcript.messages) =>
        JSON.stringify(messages.filter(({ role }) => role === "user"));
      const heard = length < 6 ? transcript.messages.slice(0, -2) : transcript.messages;
      expect(said(again.transcript.messages), `${length} lines`).toBe(said(heard));
    }
  });

  it("has each message once, so that it grows with the run", async () => {
    const storage = memoryRuns();
    const long = Array.from({ length: 40 }, (_, n) => `[[call add {"a":${n}}]]`);
    const agent = createAgent({ ...base, model: scriptedModel([...long, "Done."]), storage, limits: { turns: 99 } });
    await agent.run("A long question.", { runId: "r" }).result;
    const sizes = (storage.runs.get("r") ?? []).map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThan(1500);
    expect(storage.runs.get("r")?.filter((line) => line.includes("A long question."))).toHaveLength(1);
  });

  it("should be refused w/ its line when it is damaged anywhere else", async () => {
    const damages: [number, (log: string[]) => string[]][] = [
      [1, () => ["{}", ""]],
      [1, ([, ...rest]) => rest],
      [2, (log) => log.with(1, "no JSON")],
      [3, (log) => log.with(2, "{}")],
      [3, (log) => log.filter((_, index) => index !== 2)],
      [4, (log) => log.with(3, log[3]?.replace(/"type":"[a-z-]+"/, '"type":"unheard-of"') ?? "")],
      [2, (log) => log.with(1, log[1]?.replace('"actions"', '"action"') ?? "")],
    ];
    for (const [line, damage] of damages) {
      const storage = await cutLog();
      const snapshot = { version: 1 as const, runId: "r", lines: damage(storage.runs.get("r") ?? []) };
      storage.runs.set("r", snapshot.lines);
      for (const saved of ["r", snapshot]) {
        const error = await createAgent({ ...base, model: scriptedModel([]), storage })
          .resume(saved)
          .catch((thrown: unknown) => thrown);
        expect(ToolglotError.isInstance(error) && [error.code, error.data.line], String(damage)).toEqual([
          "agent/session-invalid",
          line,
        ]);
      }
    }
    await expect(createAgent({ ...base, model: scriptedModel([]) }).resume({} as never)).rejects.toMatchObject({
      code: "agent/session-invalid",
    });
  });
});

describe("two that go on with one run", () => {
  it("are one too many", async () => {
    const storage = await cutLog();
    const ends = await Promise.allSettled([resume(storage, turns.slice(1)), resume(storage, turns.slice(1))]);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(ends.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "agent/session-busy" } });
  });

  it("from one snapshot: the second gets busy or ended", async () => {
    const storage = memoryRuns();
    const executor = recordingExecutor();
    const waiting = createAgent({ ...base, executor, model: scriptedModel(["[[call remove {}]]"]), storage });
    const run = waiting.run("Go", { runId: "r" });
    await run.result;
    const snapshot = await cutLog(3).then(({ runs }) => ({
      version: 1 as const,
      runId: "s",
      lines: runs.get("r") ?? [],
    }));
    storage.runs.set("r", [...snapshot.lines]);
    const agent = createAgent({ ...base, model: scriptedModel(["[[call store {}]]", "Done."]), storage });
    const first = await agent.resume(snapshot);
    await expect(agent.resume(snapshot)).rejects.toMatchObject({ code: "agent/session-busy" });
    await first.result;
    await expect(agent.resume(snapshot)).rejects.toMatchObject({ code: "agent/session-ended" });
  });

  it("stop the one that had it before, at its next effect", async () => {
    const storage = memoryRuns();
    const made: string[] = [];
    let goOn: () => void = () => {};
    const stopped = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { toolkit, stock } = openShop();
    const order = (id: string) => [
      { type: "call" as const, call: { id, name: "order", input: { article: "pear", amount: 1 }, protocol: "native" } },
    ];
    const agentOf = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({ model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit, storage });
    const old = agentOf(
      scriptedModel([
        order("a"),
        async () => {
          await stopped;
          return order("b");
        },
      ]),
    ).run("Go", { runId: "r" });
    while ((storage.runs.get("r") ?? []).length < 6) await new Promise((resolve) => setTimeout(resolve, 1));
    const newer = await agentOf(scriptedModel(["Done."])).resume("r");
    expect(await newer.result).toMatchObject({ status: "answered", results: [{ callId: "a" }] });
    goOn();
    expect(await old.result).toMatchObject({ status: "error", error: { code: "agent/session-busy" } });
    expect(stock.get("pear")).toBe(3);
    expect(made).toEqual([]);
  });
});

describe("a storage that fails", () => {
  /** A storage whose n-th write fails. */
  const failing = (at: number): Storage & { tried: number } => {
    const inner = memoryRuns();
    const append: LogStore["append"] = async (...given) => {
      storage.tried += 1;
      if (storage.tried === at) throw new Error("disk full");
      return await inner.logs.append(...given);
    };
    const storage = { ...inner, tried: 0, logs: { ...inner.logs, append } };
    return storage;
  };

  it("ends the run, whichever write it is, and nothing takes effect after it; so does a replay", async () => {
    for (let at = 1; ; at += 1) {
      const { toolkit, stock } = openShop();
      const storage = failing(at);
      const order = [
        {
          type: "call" as const,
          call: { id: "a", name: "order", input: { article: "pear", amount: 1 }, protocol: "native" },
        },
      ];
      const model = scriptedModel([order, "Done."]);
      const run = recordRun(
        { model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit, storage },
        "Go",
      );
      const result = await run.result;
      const events = await collect(run);
      const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
      expect(await collect(played), `write ${at}`).toEqual(events);
      expect(played.divergence, `write ${at}`).toBeUndefined();
      if (result.status === "answered") {
        expect(at).toBe(8);
        break;
      }
      expect(result, `write ${at}`).toMatchObject({ status: "error", error: { code: "agent/session-failed" } });
      expect(result.error?.message).toContain("disk full");
      expect(storage.tried).toBe(at);
      expect(stock.get("pear")).toBe(at <= 3 ? 2 : 3);
      expect(model.requests.length).toBe(at === 1 ? 0 : at <= 6 ? 1 : 2);
      expect(only(events, "run-end")).toHaveLength(1);
    }
  });

  it("should be a storage", () => {
    const options = { ...base, model: scriptedModel([]) };
    expect(() => createAgent({ ...options, storage: {} as never })).toThrow("folderStorage(dir)");
  });
});
