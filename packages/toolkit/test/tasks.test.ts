import { describe, expect, it } from "vitest";
import { EventBus, type TaskEvent, Tasks, Toolkit, ToolResponse } from "../src/index.ts";

type Event = { type: "a"; n: number } | { type: "b" };

describe("EventBus", () => {
  it("should tell all listeners, or those of one type, in order, until they end", () => {
    const bus = new EventBus<Event>();
    const heard: string[] = [];
    const end = bus.subscribe((event) => heard.push(`all ${event.type}`));
    bus.subscribe("a", ({ n }) => heard.push(`a ${n}`));
    bus.publish({ type: "a", n: 1 });
    bus.publish({ type: "b" });
    end();
    end();
    bus.publish({ type: "a", n: 2 });
    expect(heard).toEqual(["all a", "a 1", "all b", "a 2"]);
  });

  it("should end with its signal, and never begin after it", () => {
    const bus = new EventBus<Event>();
    const heard: string[] = [];
    const controller = new AbortController();
    bus.subscribe((event) => heard.push(event.type), { signal: controller.signal });
    bus.publish({ type: "b" });
    controller.abort();
    bus.subscribe("b", () => heard.push("late"), { signal: controller.signal });
    bus.publish({ type: "b" });
    expect(heard).toEqual(["b"]);
    expect(() => bus.subscribe("a", undefined as never)).toThrow(TypeError);
  });

  it("should spare others a listener that throws", () => {
    const errors: unknown[] = [];
    const bus = new EventBus<Event>({ onListenerError: (error) => errors.push(error) });
    const heard: string[] = [];
    bus.subscribe(() => {
      throw new Error("x");
    });
    bus.subscribe((event) => heard.push(event.type));
    bus.publish({ type: "b" });
    expect([errors.length, heard]).toEqual([1, ["b"]]);
  });

  it("should keep events for a loop from the moment it is asked for", async () => {
    const bus = new EventBus<Event>();
    const events = bus.events();
    for (const n of [1, 2]) bus.publish({ type: "a", n });
    const waiting = [events.next(), events.next(), events.next()];
    bus.publish({ type: "a", n: 3 });
    expect(await Promise.all(waiting)).toEqual([1, 2, 3].map((n) => ({ done: false, value: { type: "a", n } })));
    const open = events.next();
    await events.return?.();
    expect([await open, await events.next()]).toEqual(Array(2).fill({ done: true, value: undefined }));
  });

  it("should end a loop with its signal, and leave no listener on it", async () => {
    const bus = new EventBus<Event>();
    const controller = new AbortController();
    const seen: Event[] = [];
    const loop = (async () => {
      for await (const event of bus.events({ signal: controller.signal })) seen.push(event);
    })();
    bus.publish({ type: "b" });
    await new Promise((resolve) => setTimeout(resolve));
    controller.abort();
    await loop;
    expect(seen).toEqual([{ type: "b" }]);
    expect(await bus.events({ signal: controller.signal }).next()).toEqual({ done: true, value: undefined });
  });
});

describe("Tasks", () => {
  const call = { id: "c", name: "t", input: {}, protocol: "test" };
  const toResult = (response: ToolResponse) => ({ callId: "c", status: response.status, content: response.content });

  it("should end a task once, whatever its run does", async () => {
    const tasks = new Tasks();
    const told: TaskEvent[] = [];
    tasks.events.subscribe((event) => told.push(event));
    const runs = [
      async function* () {},
      async function* (): AsyncGenerator<ToolResponse, void, undefined> {
        yield new ToolResponse({ content: "part", isLast: false });
        throw new Error("broke");
      },
    ];
    const ids = runs.map((run) => tasks.start({ call, run, toResult }));
    await tasks.idle();
    expect(ids.map((id) => tasks.get(id)?.status)).toEqual(["error", "error"]);
    expect(told.filter(({ type }) => type === "task-failed")).toHaveLength(2);
    expect((await tasks.result(ids[1] as string))?.error).toMatchObject({ message: "broke" });
  });

  it("should remember so many ended tasks", async () => {
    const tasks = new Tasks({ keepEnded: 1 });
    const run = async function* () {
      yield new ToolResponse({ content: "x" });
    };
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push(tasks.start({ call, run, toResult }));
      await tasks.idle();
    }
    expect(tasks.list().map(({ taskId }) => taskId)).toEqual(ids.slice(-1));
    expect(await tasks.result(ids[0] as string)).toBeUndefined();
    expect([tasks.cancel(ids[2] as string), tasks.cancel("none")]).toEqual([false, false]);
    expect(() => new Tasks({ keepEnded: -1 })).toThrow(TypeError);
  });

  it("should stop all when closed, tools that ignore their signal too", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction(() => new Promise(() => {}), { name: "t", description: "d" });
    const tasks = new Tasks();
    const id = tasks.start({ call, run: (signal) => kit.callToolFunction(call, { signal }), toResult });
    await tasks.close();
    expect(tasks.get(id)).toMatchObject({ status: "cancelled", result: { status: "interrupted" } });
  });
});
