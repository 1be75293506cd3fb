import type { AgentEvent } from "@toolglot/agent";
import type { ModelPart } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { setUp } from "./support/set-up.ts";
import { recordingExecutor } from "./support/tools.ts";

const turns: ModelPart[][] = [
  ["Let me ", "store that. ", "[[call remove ", '{"a":1}]]', { type: "finish", reason: "stop" }],
  ["Do", "ne."],
];

function aborting(at: (event: AgentEvent, index: number) => boolean) {
  const controller = new AbortController();
  let index = 0;
  const set = setUp(turns, {
    approve: () => true,
    onEvent: (event) => {
      if (at(event, index++)) controller.abort();
    },
  });
  return { ...set, run: set.agent.run("Go", { signal: controller.signal }) };
}

describe("abort", () => {
  it("at any event ends the run once, with one result per started call", async () => {
    const all = await collect(aborting(() => false).run);
    expect(all.at(-1)).toMatchObject({ result: { status: "answered" } });
    for (let position = 0; position < all.length - 1; position += 1) {
      const { run } = aborting((_event, index) => index === position);
      const result = await run.result;
      const events = await collect(run);
      const after = all[position]?.type;
      expect(only(events, "run-end"), after).toHaveLength(1);
      expect(events.at(-1)?.type, after).toBe("run-end");
      expect(result.status, `${position} ${after}`).toBe("aborted");
      expect(only(events, "run-abort").length, after).toBe(1);
      expect(only(events, "action-end").length, after).toBe(only(events, "action-start").length);
      expect(result.results.length, after).toBe(only(events, "action-start").length);
      expect(JSON.parse(JSON.stringify(events)), after).toEqual(events);
    }
  });

  it("before the start asks no model", async () => {
    const { agent, model } = setUp(turns);
    const run = agent.run("Go", { signal: AbortSignal.abort() });
    expect(await run.result).toMatchObject({ status: "aborted", turns: 0 });
    expect(model.requests).toEqual([]);
    expect((await collect(run)).map((event) => event.type)).toEqual(["run-start", "run-abort", "run-end"]);
  });

  it("does not wait for a model that hangs, and keeps what it had said", async () => {
    const controller = new AbortController();
    let closed = false;
    const { agent } = setUp([], {
      model: () => ({
        [Symbol.asyncIterator]: () => {
          let asked = 0;
          return {
            next: () => {
              asked += 1;
              if (asked === 1) return Promise.resolve({ done: false, value: "One moment" });
              controller.abort();
              return new Promise<never>(() => undefined);
            },
            return: () => {
              closed = true;
              return Promise.resolve({ done: true as const, value: undefined });
            },
          };
        },
      }),
    });
    const result = await agent.run("Go", { signal: controller.signal }).result;
    expect(result).toMatchObject({ status: "aborted", text: "One moment" });
    expect(result.transcript.messages.at(-1)).toMatchObject({ role: "assistant", parts: [{ text: "One moment" }] });
    expect(closed).toBe(true);
  });

  it("takes the results of an executor that stops when it is told to", async () => {
    const controller = new AbortController();
    const executor = recordingExecutor((_call, { signal }) => {
      setImmediate(() => controller.abort());
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("half of it")));
    });
    const { agent } = setUp(["[[call store {}]]"], { executor });
    const result = await agent.run("Go", { signal: controller.signal }).result;
    expect(result).toMatchObject({ status: "aborted", results: [{ status: "ok", data: "half of it" }] });
    expect(result.transcript.messages.at(-1)).toMatchObject({ role: "tool", parts: [{ type: "result" }] });
  });

  it("answers a pending approval with a denial that does not count as one", async () => {
    const controller = new AbortController();
    const { agent, executor } = setUp(["[[call remove {}]]"], {
      approve: () => {
        setImmediate(() => controller.abort());
        return new Promise<never>(() => undefined);
      },
    });
    const run = agent.run("Go", { signal: controller.signal });
    expect(await run.result).toMatchObject({ status: "aborted", denied: 0, results: [{ status: "denied" }] });
    expect(only(await collect(run), "approval-response")).toMatchObject([{ decision: { approved: false } }]);
    expect(executor.ran).toHaveLength(1);
  });

  it("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    await setUp(["Hello."]).agent.run("Hi", { signal }).result;
    expect(listeners).toBe(0);
  });
});
