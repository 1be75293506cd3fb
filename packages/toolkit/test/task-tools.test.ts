import type { ArtifactStore, ToolCall, ToolResult } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { describe, expect, it } from "vitest";
import { defineTool, Tasks, type TaskToolsOptions, Toolkit, taskTools, toolkitExecutor } from "../src/index.ts";

/** A toolkit with a tool that runs until it is told to end, and the tools that look after it. */
function setUp(options: TaskToolsOptions = {}) {
  const toolkit = new Toolkit();
  const tasks = new Tasks();
  const ends: ((value: unknown) => void)[] = [];
  const fails: ((error: Error) => void)[] = [];
  const work = defineTool({
    name: "work",
    description: "Works for long.",
    annotations: { async: true },
    async *execute() {
      yield "half done";
      const value: unknown = await new Promise((resolve, reject) => {
        ends.push(resolve);
        fails.push(reject);
      });
      return value;
    },
  });
  for (const tool of [work, ...taskTools(tasks, options)]) toolkit.registerToolFunction(tool);
  const executor = toolkitExecutor(toolkit, { tasks });
  let calls = 0;
  const call = async (name: string, input: unknown = {}, runId = "mine", signal = new AbortController().signal) => {
    calls += 1;
    const one: ToolCall = { id: `c${calls}`, name, input, protocol: "test" };
    const action = { kind: "calls" as const, calls: [one], span: { start: 0, end: 0 } };
    const [result] = await executor.execute(action, executorContext({ runId, signal }));
    return result as ToolResult;
  };
  const start = async (runId?: string): Promise<string> => {
    const { data } = await call("work", {}, runId);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return (data as { task_id: string }).task_id;
  };
  return { toolkit, tasks, ends, fails, call, start };
}

describe("view_task", () => {
  it("should tell status, age and newest progress, and without an id list the run's tasks", async () => {
    const { call, start } = setUp();
    const [first, other] = [await start(), await start("another")];
    expect((await call("view_task", { task_id: first })).data).toEqual({
      task_id: first,
      tool: "work",
      status: "running",
      age_ms: expect.any(Number),
      progress: "half done",
    });
    expect((await call("view_task")).data).toMatchObject({ tasks: [{ task_id: first, status: "running" }] });
    expect((await call("view_task", {}, "another")).data).toMatchObject({ tasks: [{ task_id: other }] });
    expect((await call("view_task", {}, "none")).data).toEqual({ tasks: [] });
  });

  it("should give a result once in full, then its length and artifact", async () => {
    const kept = new Map<string, string>();
    const artifacts: ArtifactStore = {
      put: (text, { runId }) => {
        kept.set(`${runId}:${text}`, "art_1");
        return "art_1";
      },
      read: () => undefined,
    };
    const { call, start, ends, tasks } = setUp({ artifacts });
    const id = await start();
    ends[0]?.({ pages: ["a", "b"] });
    await tasks.idle();
    expect((await call("view_task", { task_id: id })).data).toMatchObject({
      status: "ok",
      result: { pages: ["a", "b"] },
    });
    const { data } = await call("wait_task", { task_id: id });
    expect(data).toMatchObject({ status: "ok", note: expect.stringMatching(/of 19 characters.*art_1.*read_artifact/) });
    expect(data).not.toHaveProperty("result");
    expect([...kept.keys()]).toEqual(['mine:{"pages":["a","b"]}']);
  });

  it("should give it to one of two views side by side, whatever the store does", async () => {
    const artifacts = { put: () => Promise.reject(new Error("full")), read: () => undefined };
    const { call, start, ends, tasks } = setUp({ artifacts });
    const id = await start();
    ends[0]?.("done");
    await tasks.idle();
    const views = await Promise.all([1, 2].map(() => call("view_task", { task_id: id })));
    expect(views.map(({ data }) => (data as { result?: unknown }).result)).toEqual(["done", undefined]);
    expect(views[1]?.data).toMatchObject({ note: expect.not.stringContaining("artifact") });
  });

  it.each([
    ["unknown", "task-0"],
    ["of another run", undefined],
  ])("should be an error with the nearest ids for a task that is %s", async (_, given) => {
    const { call, start } = setUp();
    const [mine, other] = [await start(), await start("another")];
    for (const name of ["view_task", "wait_task", "cancel_task"]) {
      const { status, error } = await call(name, { task_id: given ?? other });
      expect([status, error?.type]).toEqual(["error", "UnknownTask"]);
      expect(error?.message).toContain(mine);
      expect(error?.message.split("Tasks of this run")[1]).not.toContain(other);
    }
    expect((await call("view_task", { task_id: mine }, "none")).error?.message).toContain("has started no tasks");
  });
});

describe("wait_task", () => {
  it("should give the result as soon as there is one, or the error", async () => {
    const { call, start, ends, fails } = setUp();
    const [good, bad] = [await start(), await start()];
    const waits = [good, bad].map((task_id) => call("wait_task", { task_id }));
    ends[0]?.("good");
    fails[1]?.(new Error("bad"));
    const [first, second] = (await Promise.all(waits)).map(({ data }) => data);
    expect(first).toMatchObject({ status: "ok", result: "good" });
    expect(second).toMatchObject({ status: "error", error: { message: "bad" } });
  });

  it("should wait no longer than it is allowed to, and say that the task is still running", async () => {
    const { call, start } = setUp({ maxWaitMs: 5 });
    const task_id = await start();
    for (const more of [{}, { timeout_ms: 1_000_000 }, { timeout_ms: 1 }, { timeout_ms: -1 }]) {
      const { data } = await call("wait_task", { task_id, ...more });
      expect(data).toMatchObject({
        status: "running",
        progress: "half done",
        note: expect.stringContaining("still running"),
      });
    }
  });

  it("should end with the run, and leave the task", async () => {
    const { call, start, tasks } = setUp();
    const task_id = await start();
    const controller = new AbortController();
    const waiting = call("wait_task", { task_id }, "mine", controller.signal);
    setTimeout(() => controller.abort(), 1);
    expect((await waiting).status).toBe("interrupted");
    expect(tasks.get(task_id)?.status).toBe("running");
  });
});

describe("cancel_task", () => {
  it("should ask the task to stop, which is cancelled once it ended", async () => {
    const { call, start, tasks, ends } = setUp();
    const [id, done] = [await start(), await start()];
    expect((await call("cancel_task", { task_id: id })).data).toMatchObject({ note: "It was asked to stop." });
    ends[1]?.("done");
    await tasks.idle();
    expect(tasks.get(id)).toMatchObject({ status: "cancelled", result: { status: "interrupted" } });
    expect((await call("view_task", { task_id: id })).data).toMatchObject({
      status: "cancelled",
      error: { type: "Interrupted" },
    });
    expect((await call("cancel_task", { task_id: done })).data).toMatchObject({
      status: "ok",
      note: "It had ended before.",
    });
    expect(tasks.cancel(done)).toBe(false);
    expect(tasks.get(done)?.status).toBe("ok");
  });
});

describe("taskTools", () => {
  it("should be two tools that read, and one that does not", () => {
    const hints = taskTools(new Tasks()).map(({ name, annotations }) => [name, annotations?.readOnlyHint === true]);
    expect(hints).toEqual([
      ["view_task", true],
      ["wait_task", true],
      ["cancel_task", false],
    ]);
  });

  it("should show all tasks where there is no run", async () => {
    const { start, tasks } = setUp();
    await start();
    await start("another");
    const [view] = taskTools(tasks);
    const found = (await view?.execute({}, { callId: "c", signal: new AbortController().signal })) as {
      tasks: unknown[];
    };
    expect(found.tasks).toHaveLength(2);
  });

  it("should refuse what makes no sense", () => {
    const tasks = new Tasks();
    for (const make of [
      () => taskTools(undefined as never),
      () => taskTools(tasks, { maxWaitMs: -1 }),
      () => taskTools(tasks, { maxWait: 1 } as never),
      () => taskTools(tasks, { artifacts: {} as never }),
    ]) {
      expect(make).toThrow(TypeError);
    }
  });
});
