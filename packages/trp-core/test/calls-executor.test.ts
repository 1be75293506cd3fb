import { ToolError } from "@toolglot/core";
import { expect, it, vi } from "vitest";
import { createExecutor, type ExecutorOptions } from "../src/calls/running/executor.ts";
import type { Execution } from "../src/calls/types.ts";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import type { AnyCapability, ExecuteContext } from "../src/catalog/types.ts";
import { gate } from "./calls-rig.ts";
import { capability, context } from "./rules-rig.ts";

const run = async (
  execute: NonNullable<AnyCapability["execute"]>,
  given: {
    timeoutMs?: number;
    context?: Partial<ExecuteContext>;
    more?: Partial<AnyCapability>;
    options?: ExecutorOptions;
  } = {},
): Promise<Execution> => {
  const { signal, ...rest } = context(given.context);
  const stop = { aborted: signal.aborted, signal };
  const one = capability({ ...given.more, execute });
  return createExecutor(given.options).run(one, { a: 1 }, rest, stop, given.timeoutMs ?? 5_000);
};

// Linters fear the word in a definition.
const thenName = "then";
const never = (): Promise<never> => new Promise(() => {});

it.each<[string, NonNullable<AnyCapability["execute"]>, unknown]>([
  ["a value", () => 5, 5],
  ["nothing", () => undefined, undefined],
  ["a promise", async () => ({ a: 1 }), { a: 1 }],
  ["a thenable", () => ({ [thenName]: (resolve: (value: number) => void) => resolve(7) }), 7],
  [
    "an async generator",
    async function* () {
      yield 1;
      yield 2;
    },
    2,
  ],
  [
    "a generator that returns something",
    function* () {
      yield 1;
      return "all";
    },
    "all",
  ],
  [
    "a promise of an async iterable",
    async () =>
      (async function* () {
        yield "a";
      })(),
    "a",
  ],
  ["an empty stream", async function* () {}, undefined],
  ["a stream of bytes", () => new Blob(["hel", "lo"]).stream(), new TextEncoder().encode("hello")],
])("%s is done", async (_name, execute, value) => {
  expect(await run(execute)).toEqual({ kind: "done", value });
});

it("gives arguments and context on", async () => {
  const execute = vi.fn();
  await run(execute, { context: { operationKey: "op", attempt: 3, fence: 7 } });
  const [args, got] = execute.mock.calls[0] ?? [];
  expect(args).toEqual({ a: 1 });
  expect(got).toMatchObject({ operationKey: "op", attempt: 3, fence: 7, callId: "call_1", traceId: "trc_1" });
  expect({ ...got }.signal).toBeInstanceOf(AbortSignal);
});

it("knows ToolError and CapabilityError, and tells their messages word for word", async () => {
  const throwing = (error: unknown) => () => {
    throw error;
  };
  const url = "no such file: https://a.example/x/y.txt";
  expect(await run(throwing(new ToolError(url)))).toEqual({ kind: "failed", message: url, transient: false });
  expect(await run(throwing(new CapabilityError("busy", { outcome: "failed", transient: true })))).toEqual({
    kind: "failed",
    message: "busy",
    transient: true,
  });
  expect(await run(throwing(new CapabilityError("rolled back", { outcome: "not-applied" })))).toEqual({
    kind: "not-applied",
    message: "rolled back",
  });
  expect(await run(throwing(new CapabilityError("secret", { outcome: "unknown" })))).toEqual({
    kind: "unknown",
    message: "cap.test.read.v1 ended with an exception (CapabilityError)",
    timedOut: false,
  });
  const long = (await run(throwing(new ToolError("x".repeat(10_000))))) as { message: string };
  expect(long.message).toHaveLength(4_000);
  const silent = await run(throwing(new ToolError(" ")));
  expect(silent).toEqual({ kind: "failed", message: "it failed, and does not say why", transient: false });
});

class SecretError extends Error {
  override name = "Secret /etc/passwd";
  code = "host=10.0.0.1";
}
const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("hostile");
    },
  },
);
const withCode = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:5432"), { code: "ECONNREFUSED" });

it.each<[string, unknown, string]>([
  ["an error", new TypeError("password=hunter2"), "TypeError"],
  ["an error with a code", withCode, "Error, ECONNREFUSED"],
  ["an error with a name of its own", new SecretError("hunter2"), "Error"],
  ["a text", "hunter2", "a thrown string"],
  ["nothing", undefined, "a thrown undefined"],
  ["null", null, "a thrown null"],
  ["what throws when it is read", hostile, "Error"],
])("tells class and code of %s, and never its message", async (_name, thrown, kind) => {
  const expected = {
    kind: "unknown",
    message: `cap.test.read.v1 ended with an exception (${kind})`,
    timedOut: false,
  };
  const throws = (): never => {
    throw thrown;
  };
  expect(await run(throws)).toEqual(expected);
  expect(await run(async () => throws())).toEqual(expected);
});

it("ends when the time is up, whether the capability listens or not", async () => {
  const expected = { kind: "unknown", message: "cap.test.read.v1 did not end within 10 ms", timedOut: true };
  expect(await run(never, { timeoutMs: 10 })).toEqual(expected);
  expect(
    await run(
      async function* () {
        yield 1;
        await never();
      },
      { timeoutMs: 10 },
    ),
  ).toEqual(expected);
  expect(await run(never, { timeoutMs: 60_000, more: { maxTimeoutMs: 10 } })).toEqual(expected);
});

it("aborts the capability's signal with the time, and takes what it says to that", async () => {
  const onAbort =
    (answer: (reason: unknown) => unknown) =>
    (_args: unknown, { signal }: ExecuteContext): Promise<unknown> =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => {
          try {
            resolve(answer(signal.reason));
          } catch (error) {
            reject(error);
          }
        });
      });
  const rolledBack = onAbort(() => {
    throw new CapabilityError("rolled back", { outcome: "not-applied" });
  });
  expect(await run(rolledBack, { timeoutMs: 10 })).toEqual({ kind: "not-applied", message: "rolled back" });
  expect(
    await run(
      onAbort(() => "made it"),
      { timeoutMs: 10 },
    ),
  ).toEqual({ kind: "done", value: "made it" });
  const rethrown = await run(
    onAbort((reason) => {
      expect((reason as Error).name).toBe("TimeoutError");
      throw reason;
    }),
    { timeoutMs: 10 },
  );
  expect(rethrown).toMatchObject({ kind: "unknown", timedOut: true });
});

it("does not take the part of a stream that came before the time was up for the whole", async () => {
  const ended = vi.fn();
  const stream = async function* (_args: unknown, { signal }: ExecuteContext): AsyncGenerator<number> {
    try {
      yield 1;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield 2;
    } finally {
      ended();
    }
  };
  expect(await run(stream, { timeoutMs: 10 })).toMatchObject({ kind: "unknown", timedOut: true });
  expect(ended).toHaveBeenCalledOnce();
});

it("ends when its own signal is aborted, and hands the reason on", async () => {
  const controller = new AbortController();
  let reason: unknown;
  const ended = run(
    (_args, { signal }: ExecuteContext) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return never();
    },
    { context: { signal: controller.signal } },
  );
  controller.abort("lease lost");
  expect(await ended).toEqual({
    kind: "unknown",
    message: "cap.test.read.v1 was stopped before it ended",
    timedOut: false,
  });
  expect(reason).toBe("lease lost");
});

it("does not begin what is cancelled already", async () => {
  const execute = vi.fn();
  expect(await run(execute, { context: { signal: AbortSignal.abort() } })).toMatchObject({ kind: "not-applied" });
  expect(execute).not.toHaveBeenCalled();
});

it("hands an aborted signal to a capability that asks for it late", async () => {
  const over = gate();
  let aborted: boolean | undefined;
  const looked = gate();
  await run(
    async (_args, given: ExecuteContext) => {
      await over.passed;
      aborted = given.signal.aborted;
      looked.open();
    },
    { timeoutMs: 5 },
  );
  over.open();
  await looked.passed;
  expect(aborted).toBe(true);
});

it("leaves no listener behind, and no rejection unhandled", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  // What ends at once needs none.
  await run(async () => 1, { context: { signal } });
  expect(added).not.toHaveBeenCalled();
  await run(never, { context: { signal }, timeoutMs: 5 });
  await run(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 15));
      throw new Error("late");
    },
    { context: { signal }, timeoutMs: 5 },
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  expect(added).toHaveBeenCalledTimes(2);
  expect(removed).toHaveBeenCalledTimes(2);
});

it("stops at once what looks at its signal, however soon that is aborted", async () => {
  const stop = new AbortController();
  const ended = run(
    (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("told"))),
    {
      context: { signal: stop.signal },
    },
  );
  stop.abort();
  expect(await ended).toEqual({ kind: "done", value: "told" });
});

it("stops what does not look at its signal, also when that is aborted before it is listened to", async () => {
  const stop = new AbortController();
  const ended = run(() => new Promise(() => undefined), { context: { signal: stop.signal } });
  stop.abort();
  expect(await ended).toMatchObject({ kind: "unknown", timedOut: false });
});

it("tells runs apart that begin together and end in any order", async () => {
  const executor = createExecutor();
  const waits = [0, 20, undefined, 3, 0, undefined, 10, 0];
  const runs = waits.map((ms, index) =>
    executor.run(
      capability({
        execute: async () => {
          if (ms === undefined) await new Promise(() => undefined);
          else if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
          return index;
        },
      }),
      {},
      context({}),
      { aborted: false, signal: new AbortController().signal },
      60,
    ),
  );
  const ends = await Promise.all(runs);
  expect(ends.map((end) => (end.kind === "done" ? end.value : end.kind))).toEqual(
    waits.map((ms, index) => (ms === undefined ? "unknown" : index)),
  );
});

it("gives the host what was thrown, and takes no harm from it", async () => {
  const error = new Error("hunter2");
  const onError = vi.fn(() => {
    throw new Error("log is full");
  });
  const throws = (): never => {
    throw error;
  };
  expect(await run(throws, { options: { onError } })).toMatchObject({ kind: "unknown" });
  expect(onError).toHaveBeenCalledWith(error, { capId: "cap.test.read.v1", callId: "call_1", traceId: "trc_1" });
});

it("gives up on a stream without end", async () => {
  const endless = async function* (): AsyncGenerator<number> {
    for (let index = 0; ; index++) yield index;
  };
  expect(await run(endless, { timeoutMs: 15_000 })).toEqual({
    kind: "unknown",
    message: "cap.test.read.v1 ended with an exception (RangeError)",
    timedOut: false,
  });
});
