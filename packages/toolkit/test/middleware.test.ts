import { expect, it } from "vitest";
import { defineTool, Toolkit, type ToolMiddleware, ToolResponse } from "../src/index.ts";

function kit() {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "add",
      description: "d",
      args: { a: "number", b: "number = 1" },
      execute: ({ a, b }) => a + b,
    }),
  );
  toolkit.registerToolFunction(
    async function* () {
      yield "one";
      yield "two";
    },
    { name: "stream", description: "d" },
  );
  toolkit.registerToolFunction(
    () => {
      throw new RangeError("broken");
    },
    { name: "broken", description: "d" },
  );
  return toolkit;
}

async function collect(toolkit: Toolkit, name: string, input: unknown = {}, onError?: "throw") {
  const responses: ToolResponse[] = [];
  let thrown: unknown;
  try {
    for await (const response of toolkit.callToolFunction({ name, input }, onError ? { onError } : {}))
      responses.push(response);
  } catch (error) {
    thrown = error;
  }
  return { responses, finals: responses.filter(({ isLast }) => isLast), last: responses.at(-1), thrown };
}

it("should stand around calls in the order of registration, the first one outermost", async () => {
  const toolkit = kit();
  const order: string[] = [];
  const named = (name: string): ToolMiddleware =>
    async function* (call, next) {
      order.push(`+${name} ${call.name}`);
      yield* next();
      order.push(`-${name}`);
    };
  toolkit.registerMiddleware(named("outer"));
  const remove = toolkit.registerMiddleware(named("inner"));
  expect((await collect(toolkit, "add", { a: 1 })).last?.data).toBe(2);
  expect(order).toEqual(["+outer add", "+inner add", "-inner", "-outer"]);
  remove();
  order.length = 0;
  await collect(toolkit, "add", { a: 1 });
  expect(order).toEqual(["+outer add", "-outer"]);
});

it("should let a middleware change responses, keep chunks, and answer without calling on", async () => {
  const toolkit = kit();
  toolkit.registerMiddleware(async function* (call, next) {
    if (call.name === "add") yield new ToolResponse({ content: "cached" });
    else for await (const response of next()) yield response.with({ metadata: { seen: true } });
  });
  expect((await collect(toolkit, "add", { a: 1 })).last?.content).toEqual([{ type: "text", text: "cached" }]);
  const { responses, finals } = await collect(toolkit, "stream");
  expect(responses.map(({ isLast, metadata }) => [isLast, metadata?.seen])).toEqual([
    [false, true],
    [false, true],
    [true, true],
  ]);
  expect(finals).toHaveLength(1);
});

it("should validate a changed call again", async () => {
  const toolkit = kit();
  toolkit.registerMiddleware(async function* (call, next) {
    yield* next({ ...call, input: { a: "3", b: call.id === "bad" ? "x" : 4 } });
  });
  expect((await collect(toolkit, "add", { a: 1 })).last?.data).toBe(7);
  const bad: ToolResponse[] = [];
  for await (const response of toolkit.callToolFunction({ id: "bad", name: "add", input: { a: 1 } }))
    bad.push(response);
  expect(bad.at(-1)?.error?.type).toBe("InvalidInput");
});

it.each<[string, ToolMiddleware]>([
  ["gives nothing", async function* () {}],
  [
    "throws at once",
    () => {
      throw new Error("no");
    },
  ],
  [
    "throws after chunks",
    async function* (_call, next) {
      yield* next();
      throw new Error("late");
    },
  ],
  [
    "gives no final response",
    async function* (_call, next) {
      for await (const response of next()) yield response.with({ isLast: false });
    },
  ],
  [
    "gives two final responses",
    async function* (_call, next) {
      yield* next();
      yield* next();
    },
  ],
  [
    "gives nonsense",
    async function* () {
      yield "text" as unknown as ToolResponse;
    },
  ],
])("should end with exactly one final response when a middleware %s", async (_, middleware) => {
  const toolkit = kit();
  toolkit.registerMiddleware(middleware);
  for (const name of ["add", "stream", "broken"]) {
    const { finals, last, thrown } = await collect(toolkit, name, { a: 1 });
    expect(finals).toHaveLength(1);
    expect(last).toBe(finals[0]);
    expect(thrown).toBeUndefined();
  }
});

it("should throw a tool's error after its final response when asked to", async () => {
  const toolkit = kit();
  toolkit.registerMiddleware((_call, next) => next());
  const { finals, thrown } = await collect(toolkit, "broken", {}, "throw");
  expect(finals.map(({ status }) => status)).toEqual(["error"]);
  expect(thrown).toBeInstanceOf(RangeError);
});

it("should see calls that programs and executors make", async () => {
  const toolkit = kit();
  const seen: string[] = [];
  toolkit.registerMiddleware(async function* (call, next) {
    seen.push(call.name);
    yield* next();
  });
  const [add] = toolkit.tools();
  const context = { signal: new AbortController().signal, callId: "c" };
  expect(await add?.execute({ a: 1 }, context)).toBe(2);
  expect(seen).toEqual(["add"]);
});

it("should let middleware and tool clean up, from the inside out, when the caller stops reading", async () => {
  const toolkit = new Toolkit();
  const seen: string[] = [];
  toolkit.registerToolFunction(
    async function* (_input: unknown, { signal }: { signal: AbortSignal }) {
      signal.addEventListener("abort", () => seen.push("told"));
      try {
        for (;;) yield "chunk";
      } finally {
        seen.push("tool");
      }
    },
    { name: "t", description: "d" },
  );
  for (const name of ["outer", "inner"]) {
    toolkit.registerMiddleware(async function* (_call, next) {
      try {
        yield* next();
      } finally {
        seen.push(name);
      }
    });
  }
  for await (const _ of toolkit.callToolFunction({ name: "t" })) break;
  expect(seen.slice(-2)).toEqual(["inner", "outer"]);
  expect([...seen.slice(0, 2)].sort()).toEqual(["told", "tool"]);
});

it("should give up on middleware that yields on and on after an abort", async () => {
  const toolkit = kit();
  toolkit.registerMiddleware(async function* (_call, next) {
    yield* next();
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield new ToolResponse({ content: "more", isLast: false });
    }
  });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const responses: ToolResponse[] = [];
  const call = toolkit.callToolFunction({ name: "add", input: { a: 1 } }, { signal: controller.signal });
  for await (const response of call) responses.push(response);
  expect(responses.filter(({ isLast }) => isLast)).toHaveLength(1);
  expect(responses.at(-1)).toMatchObject({ isLast: true, status: "interrupted" });
});

it("should leave no listener on the signal", async () => {
  const toolkit = kit();
  toolkit.registerMiddleware((_call, next) => next());
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    },
    removeEventListener: (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    },
  });
  for await (const _ of toolkit.callToolFunction({ name: "stream" }, { signal }));
  expect(listeners).toBe(0);
});
