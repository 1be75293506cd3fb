import { ToolError } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type AnyToolFunction,
  type RegisterFunctionOptions,
  Toolkit,
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
  const post: Record<string, RegisterFunctionOptions["postprocessFunc"]> = {
    same: () => undefined,
    other: async (_call, response) => response.with({ content: "other" }),
    throws: () => {
      throw new Error("post");
    },
    hangs: () => new Promise<never>(() => {}),
    nonsense: (() => Symbol("x")) as never,
  };
  const postprocessFunc = post[given.post];
  return {
    chunks: given.chunks,
    retries: given.retries,
    annotations: { readOnlyHint: true },
    ...(postprocessFunc === undefined ? {} : { postprocessFunc }),
    ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
  };
}

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
      const results = await toolkitExecutor(kit, { maxParallel: 2 }).execute(
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
