import { type Plan, ToolError, type ToolStatus } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type AnyToolFunction,
  type RegisterFunctionOptions,
  Toolkit,
  type ToolMiddleware,
  ToolResponse,
  toolkitExecutor,
} from "../src/index.ts";
import { collect, kitWith, lastOf, sleep } from "./support.ts";

/** One thing a tool does on its way. */
type Deed =
  | { do: "yield"; value: () => unknown }
  | { do: "wait"; ms: number }
  | { do: "throw"; value: () => unknown }
  | { do: "hang" }
  | { do: "return"; value: () => unknown };

const unreadable = (): never => {
  throw new Error("no");
};

/** What no tool should give; made afresh each time. */
const oddities: (() => unknown)[] = [
  () => Symbol("s"),
  () => () => 1,
  () => new ToolResponse({ content: "r", isLast: false, status: "interrupted" }),
  () => Promise.resolve(1),
  () => new Proxy({}, { get: unreadable, ownKeys: unreadable }),
  // biome-ignore lint/suspicious/noThenProperty: a broken thenable is what is tested.
  () => ({ then: 5 }),
  // biome-ignore lint/suspicious/noThenProperty: a broken thenable is what is tested.
  () => ({ then: unreadable }),
  () => ({ type: "text", text: 5 }),
  () => ({ [Symbol.asyncIterator]: () => ({}) }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: () => 5 }) }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: () => ({ value: 1 }) }) }),
  () => ({ next: () => 5, [Symbol.iterator]: () => ({ next: () => 5 }) }),
];
const nonsense: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true })
    .map((value) => () => value),
  fc.constantFrom(...oddities),
);
/** Thrown, it would be the tool's own loose end. */
const rejected = fc.constant(() => Promise.reject(new Error("rejected")));
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("yield" as const),
      value: fc.oneof({ weight: 9, arbitrary: nonsense }, rejected),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("throw" as const),
      value: fc.oneof(
        fc.constantFrom(
          () => new ToolError("told"),
          () => new Error("x"),
        ),
        nonsense,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "hang" as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("return" as const), value: nonsense }) },
);

function execution(deeds: Deed[], style: string): AnyToolFunction {
  const hang = (): Promise<never> => new Promise<never>(() => {});
  const stream = async function* () {
    for (const one of deeds) {
      if (one.do === "yield") yield one.value();
      else if (one.do === "wait") await sleep(one.ms);
      else if (one.do === "throw") throw one.value();
      else if (one.do === "hang") await hang();
      else return one.value();
    }
    return undefined;
  };
  const syncStream = function* () {
    for (const one of deeds) {
      if (one.do === "yield") yield one.value();
      else if (one.do === "wait") yield sleep(one.ms);
      else if (one.do === "throw") throw one.value();
      else if (one.do === "hang") yield hang();
      else return one.value();
    }
    return undefined;
  };
  const single = async () => {
    for (const one of deeds) {
      if (one.do === "wait") await sleep(one.ms);
      else if (one.do === "throw") throw one.value();
      else if (one.do === "hang") await hang();
      else return one.value();
    }
    return undefined;
  };
  const first = deeds[0];
  const sync = () => {
    if (first?.do === "throw") throw first.value();
    return first !== undefined && "value" in first ? first.value() : undefined;
  };
  return { stream, syncStream, single, sync, promised: async () => stream() }[style] as AnyToolFunction;
}

const settings = fc.record({
  deeds: fc.array(deed, { maxLength: 5 }),
  style: fc.constantFrom("stream", "syncStream", "single", "sync", "promised"),
  chunks: fc.constantFrom("cumulative" as const, "incremental" as const),
  post: fc.constantFrom("none", "same", "other", "throws", "hangs", "nonsense"),
  retries: fc.integer({ min: 0, max: 1 }),
  abortAfter: fc.integer({ min: 0, max: 8 }),
  timeoutMs: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
});

function optionsOf(given: {
  chunks: "cumulative" | "incremental";
  post: string;
  retries: number;
  timeoutMs: number | undefined;
}): RegisterFunctionOptions {
  const post: Record<string, RegisterFunctionOptions["postprocess"]> = {
    same: () => undefined,
    other: async (_call, response) => response.with({ content: "other" }),
    throws: () => {
      throw new Error("post");
    },
    hangs: () => new Promise<never>(() => {}),
    nonsense: (() => Symbol("x")) as never,
  };
  const postprocess = post[given.post];
  return {
    chunks: given.chunks,
    retries: given.retries,
    annotations: { readOnlyHint: true },
    ...(postprocess === undefined ? {} : { postprocess }),
    ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
  };
}

/** What stands around a call. Those that are stuck are so only while the call can be aborted. */
const middlewares: Record<string, ToolMiddleware> = {
  passing: (_call, next) => next(),
  twice: async function* (_call, next) {
    yield* next();
    yield* next();
  },
  silent: async function* () {},
  answering: async function* () {
    yield new ToolResponse({ content: "cached" });
  },
  unfinished: async function* (_call, next) {
    for await (const response of next()) yield response.with({ isLast: false });
  },
  throwing: async function* (_call, next) {
    yield* next();
    throw new Error("middleware");
  },
  early: () => {
    throw new Error("middleware");
  },
  nonsense: async function* () {
    yield 5 as never;
  },
  leaving: async function* (_call, next) {
    for await (const response of next()) {
      yield response;
      return;
    }
  },
  stuck: async function* (_call, next) {
    yield* next();
    await new Promise(() => {});
  },
  stuckBefore: async function* (_call, next) {
    await new Promise(() => {});
    yield* next();
  },
  changing: (call, next) => next({ ...call, input: { extra: 1 } }),
};
const around = fc.record({
  middleware: fc.array(fc.constantFrom(...Object.keys(middlewares)), { maxLength: 3 }),
  tracing: fc.boolean(),
  extended: fc.constantFrom("none", "fits", "fails"),
});

/** Puts middleware, tracing and an extended model around the tool `t`. */
function surround(kit: Toolkit, given: { middleware: string[]; extended: string }): void {
  for (const name of given.middleware) kit.registerMiddleware(middlewares[name] as ToolMiddleware);
  if (given.extended === "fits") kit.setExtendedModel("t", { "note?": "string" });
  if (given.extended === "fails") kit.setExtendedModel("t", { note: "string" });
}

it("should end every call with exactly one final response, whatever stands around it", async () => {
  const loose: unknown[] = [];
  const note = (reason: unknown): void => void loose.push(reason);
  process.on("unhandledRejection", note);
  await fc.assert(
    fc.asyncProperty(settings, around, fc.boolean(), async (given, outside, throwing) => {
      const kit = new Toolkit({ tracing: outside.tracing && { recordInputs: true, recordOutputs: true } });
      const execute = execution(given.deeds, given.style);
      const options = { name: "t", description: "d", jsonSchema: { type: "object" }, ...optionsOf(given) };
      kit.registerToolFunction(execute, options);
      surround(kit, outside);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), given.abortAfter);
      const responses: ToolResponse[] = [];
      try {
        const call = kit.callToolFunction(
          { name: "t", input: {} },
          { signal: controller.signal, onError: throwing ? "throw" : "respond" },
        );
        for await (const response of call) responses.push(response);
      } catch (error) {
        // What a tool throws may be anything; it comes after the final response, and only when asked for.
        if (!throwing) throw error;
      }
      clearTimeout(timer);
      const last = lastOf(responses);
      const { middleware, extended } = outside;
      if (last.status === "ok" && extended === "fits" && middleware.every((name) => name === "passing")) {
        expect(last.metadata).toMatchObject({ structured_output: {}, response_msg: expect.any(String) });
      }
      if (extended === "fails") expect(last.metadata?.structured_output).toBeUndefined();
    }),
    { numRuns: 150 },
  );
  await sleep(5);
  process.off("unhandledRejection", note);
  expect(loose).toEqual([]);
}, 60_000);

it("should give a plan exactly one result and one pair of events per step, and every task one end", async () => {
  const steps = fc.array(
    fc.record({
      settings,
      name: fc.constantFrom("0", "1", "2", "3", "nope"),
      async: fc.boolean(),
      asks: fc.boolean(),
      onError: fc.constantFrom("stop" as const, "continue" as const),
      retry: fc.integer({ min: 0, max: 1 }),
      uri: fc.constantFrom(undefined, "data:,a", "data:;base64,*", "ftp://x"),
      broken: fc.boolean(),
    }),
    { maxLength: 4 },
  );
  const requestIds = fc.constantFrom(undefined, "same", "same");
  await fc.assert(
    fc.asyncProperty(
      steps,
      around,
      requestIds,
      fc.integer({ min: 0, max: 15 }),
      async (given, outside, requestId, abortAfter) => {
        const kit = new Toolkit({ tracing: outside.tracing });
        for (const name of outside.middleware) kit.registerMiddleware(middlewares[name] as ToolMiddleware);
        for (const [index, one] of given.entries()) {
          kit.registerToolFunction(execution(one.settings.deeds, one.settings.style), {
            ...optionsOf(one.settings),
            name: String(index),
            description: "d",
            includeRest: true,
            retries: 0,
            annotations: { async: one.async, requiresApproval: one.asks },
          });
        }
        const plan: Plan = {
          ...(requestId !== undefined && { requestId }),
          common: {},
          steps: given.map(({ name, onError, retry, uri, broken }, index) => ({
            index: index + 1,
            callId: `c${index}`,
            tool: name,
            params: {},
            uris: uri === undefined ? {} : { file: uri },
            onError,
            retry,
            errors: broken && index === 1 ? [{ type: "InvalidInput", message: "broken" }] : [],
            span: { start: 0, end: 0 },
          })),
        };
        const executor = toolkitExecutor(kit);
        const ends = new Map<string, number>();
        executor.tasks.events.subscribe((event) => {
          if (event.type === "task-started") ends.set(event.taskId, 0);
          if (event.type === "task-completed" || event.type === "task-failed")
            ends.set(event.taskId, (ends.get(event.taskId) ?? Number.NaN) + 1);
        });
        const controller = new AbortController();
        const timer = setTimeout(() => controller.abort(), abortAfter);
        const run = async (): Promise<ToolStatus[]> => {
          const open = new Set<string>();
          const seen: string[] = [];
          const results = await executor.execute(
            { kind: "plan", plan, span: { start: 0, end: 0 } },
            {
              signal: controller.signal,
              emit: (event) => {
                if (event.type === "tool-call-start") open.add(event.callId);
                if (event.type !== "tool-call-end") return;
                expect(open.delete(event.callId)).toBe(true);
                seen.push(`${event.callId} ${event.status}`);
              },
              approve: async ({ callId }) => ({ approved: callId !== "c1" }),
              runId: "r",
              stepIndex: 0,
            },
          );
          expect(results.map(({ callId }) => callId)).toEqual(plan.steps.map(({ callId }) => callId));
          expect(seen).toEqual(results.map(({ callId, status }) => `${callId} ${status}`));
          expect(open.size).toBe(0);
          return results.map(({ status }) => status);
        };
        // Twice at one time: with a request id both must be told the same, unless one was cancelled while it waited.
        const [first, second] = await Promise.all([run(), run()]);
        clearTimeout(timer);
        if (requestId !== undefined && !controller.signal.aborted) expect(second).toEqual(first);
        await executor.tasks.close();
        for (const count of ends.values()) expect(count).toBe(1);
      },
    ),
    { numRuns: 120 },
  );
}, 120_000);

it("should end every call with exactly one final response", async () => {
  const loose: unknown[] = [];
  const note = (reason: unknown): void => void loose.push(reason);
  process.on("unhandledRejection", note);
  await fc.assert(
    fc.asyncProperty(settings, async (given) => {
      const kit = kitWith(execution(given.deeds, given.style), optionsOf(given));
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), given.abortAfter);
      const responses = await collect(kit, {}, { signal: controller.signal });
      clearTimeout(timer);
      const last = lastOf(responses);
      expect(["ok", "error", "interrupted", "pending", "denied"]).toContain(last.status);
      expect(Array.isArray(last.content)).toBe(true);
      if (last.status === "error") expect(last.error?.message).toBeTruthy();
    }),
    { numRuns: 400 },
  );
  await sleep(5);
  process.off("unhandledRejection", note);
  expect(loose).toEqual([]);
});

it("should give an executor one result per call, in order, whatever the tools do", async () => {
  const calls = fc.array(
    fc.record({ settings, name: fc.constantFrom("0", "1", "2", "3", "nope"), readOnly: fc.boolean() }),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 0, max: 12 }), async (batch, abortAfter) => {
      const kit = new Toolkit();
      for (const [index, { settings: given, readOnly }] of batch.entries()) {
        kit.registerToolFunction(execution(given.deeds, given.style), {
          ...optionsOf(given),
          name: String(index),
          description: "d",
          annotations: { readOnlyHint: readOnly, requiresApproval: given.retries === 1 },
          retries: 0,
        });
      }
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), abortAfter);
      const open = new Set<string>();
      const results = await toolkitExecutor(kit, { maxConcurrency: 2 }).execute(
        {
          kind: "calls",
          calls: batch.map(({ name }, index) => ({ id: `c${index}`, name, input: {}, protocol: "test" })),
          span: { start: 0, end: 0 },
        },
        {
          signal: controller.signal,
          emit: (event) => {
            if (event.type === "tool-call-start") open.add(event.callId);
            if (event.type === "tool-call-end") expect(open.delete(event.callId)).toBe(true);
          },
          approve: async ({ callId }) => ({ approved: callId !== "c1" }),
          runId: "r",
          stepIndex: 0,
        },
      );
      clearTimeout(timer);
      expect(results.map(({ callId }) => callId)).toEqual(batch.map((_, index) => `c${index}`));
      expect(open.size).toBe(0);
    }),
    { numRuns: 150 },
  );
});
