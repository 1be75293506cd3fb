import { describe, expect, it } from "vitest";
import { type JsonValue, ToolError } from "../../src/index.ts";
import { MemoryOperationLog } from "../../src/memory-operation-log.ts";
import { OnceError, type OnceOptions, once, settleOnce } from "../../src/once-layer.ts";
import { brokenAt, codeOf, log, options } from "./support.ts";

const scope = "shop/refund";

describe("once", () => {
  it("should do it once, and give the value to whoever asks again", async () => {
    let now = 1_000;
    const own = new MemoryOperationLog({ now: () => now });
    let effects = 0;
    const work = () => ({ refund: ++effects });
    const first = await once(own, { ...options(), now: () => now }, work);
    now = 5_000;
    const again = await once(own, options(), work);
    expect(first).toEqual({ value: { refund: 1 }, replayed: false, key: "k", at: 1_000 });
    expect(again).toEqual({ value: { refund: 1 }, replayed: true, key: "k", at: 1_000 });
    expect(effects).toBe(1);
  });

  it("should keep a value that is undefined, and tell it from null", async () => {
    const own = log();
    await once(own, options({ key: "undefined" }), () => undefined);
    await once(own, options({ key: "null" }), () => null);
    expect((await once(own, options({ key: "undefined" }), () => 1 as JsonValue)).value).toBeUndefined();
    expect((await once(own, options({ key: "null" }), () => 1 as JsonValue)).value).toBeNull();
  });

  it("should name an operation by its input, in whatever order the input has its names", async () => {
    const own = log();
    const made = await once(own, { scope, input: { a: 1, b: [2] }, allowVolatile: true }, () => 1);
    // printf '{"a":1,"b":[2]}' | sha256sum
    expect(made.key).toBe("fx1:0855bfc20eb6cfaa4be7d6b510c63dd22997718bddadcb1a4915cec3a16145b9");
    const again = await once(own, { scope, input: { b: [2], a: 1 }, allowVolatile: true }, () => 2 as number);
    expect(again).toMatchObject({ value: 1, replayed: true, key: made.key });
    expect((await once(own, { scope, input: { a: 1, b: [3] }, allowVolatile: true }, () => 2)).replayed).toBe(false);
    expect((await once(own, { scope: "other", input: { a: 1, b: [2] }, allowVolatile: true }, () => 2)).value).toBe(2);
  });

  it("should refuse a key that was used with another input", async () => {
    const own = log();
    await once(own, options({ input: 1 }), () => 1);
    expect(await codeOf(once(own, options({ input: 2 }), () => 2))).toBe("once/conflict");
  });

  it("should write in this order: claim, begin, notes, the effect, the end", async () => {
    const steps: string[] = [];
    const own = log();
    const seen = new Proxy(own, {
      get: (of, name: "claim") => {
        const method: unknown = of[name];
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          const result: unknown = await (method as (...all: unknown[]) => unknown).apply(of, given);
          steps.push(name);
          return result;
        };
      },
    });
    const { value } = await once(seen, options(), async ({ note, fence, key, signal }) => {
      await note({ request: 1 });
      steps.push("effect");
      return { fence, key, aborted: signal.aborted };
    });
    expect(steps).toEqual(["claim", "begin", "begin", "effect", "finish"]);
    expect(value).toEqual({ fence: 1, key: "k", aborted: false });
    expect(await own.read({ scope, key: "k" })).toMatchObject({ state: "done", data: { request: 1 } });
  });

  it("should do it once for many callers at a time", async () => {
    const own = log();
    let effects = 0;
    const work = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return ++effects;
    };
    const all = await Promise.all(Array.from({ length: 20 }, () => once(own, options(), work)));
    expect(effects).toBe(1);
    expect(all.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it("should wait no longer than it is told to, and not at all with 0", async () => {
    const own = log();
    let end = (): void => {};
    const first = once(own, options(), () => new Promise<number>((resolve) => (end = () => resolve(1))));
    const late = () => 2 as JsonValue;
    expect(await codeOf(once(own, options({ waitMs: 0 }), late))).toBe("once/busy");
    expect(await codeOf(once(own, options({ waitMs: 30 }), late))).toBe("once/busy");
    const stop = new AbortController();
    const waiting = once(own, options({ signal: stop.signal }), late);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    end();
    await first;
    expect((await once(own, options({ waitMs: 0 }), late)).value).toBe(1);
  });

  it("should remember a value for its time, and the key for longer", async () => {
    let now = 0;
    const own = new MemoryOperationLog({ now: () => now });
    const times = options({ ttlMs: 100, keepMs: 50 });
    await once(own, times, () => 1);
    now = 99;
    expect((await once(own, times, () => 2)).replayed).toBe(true);
    now = 100;
    expect(await codeOf(once(own, times, () => 2))).toBe("once/expired");
    now = 150;
    expect((await once(own, times, () => 2)).value).toBe(2);
  });
});

describe("once, when the work fails", () => {
  const failing =
    (message = "no") =>
    (): never => {
      throw new Error(message);
    };
  const judged = (verdict: unknown): Partial<OnceOptions> => ({ judge: () => verdict as "failed" });

  it.each(["not-applied", "failed"])(
    "should pass the error on and free the key when it is judged %s",
    async (verdict) => {
      const own = log();
      await expect(once(own, options(judged(verdict)), failing())).rejects.toThrow(/^no$/);
      expect((await once(own, options({ input: "repaired" }), () => 1)).value).toBe(1);
    },
  );

  it("should throw a failure again that is to be remembered, but run again what was not applied", async () => {
    const own = log();
    const remembering = options({ ...judged("failed"), remember: "failures" });
    const thrown = new ToolError("no such order");
    const tool = (): never => {
      throw thrown;
    };
    await expect(once(own, remembering, tool)).rejects.toBe(thrown);
    const again = await once(own, remembering, () => 1 as JsonValue).catch((error: unknown) => error);
    expect(again).not.toBe(thrown);
    expect(again).toMatchObject({ message: "no such order", code: "tool-error" });
    const other = { ...remembering, key: "other" };
    await expect(once(own, { ...other, judge: () => "not-applied" }, failing())).rejects.toThrow("no");
    await expect(once(own, other, failing("really"))).rejects.toThrow("really");
    await expect(once(own, other, () => 1)).rejects.toMatchObject({ message: "really", name: "Error" });
  });

  it.each([
    ["without a judge", {}],
    ["when a judge throws", { judge: failing("judge") }],
    ["when a judge says something else", judged("perhaps")],
    ["when a judge promises something", { judge: (async () => failing("late")()) as never }],
  ])("should be in doubt %s, and never run it again", async (_, more) => {
    const own = log();
    const error = await once(own, options(more), failing("socket hang up")).catch((error: unknown) => error);
    expect(OnceError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "once/in-doubt",
      cause: { message: "socket hang up" },
      data: { scope, key: "k" },
    });
    expect((error as Error).message).toContain("socket hang up");
    for (const effect of ["opaque", "idempotent"] as const) {
      const again = once(own, options({ effect }), () => 1 as JsonValue);
      await expect(again).rejects.toMatchObject({ code: "once/in-doubt", data: { record: { state: "in-doubt" } } });
    }
  });

  it("should run again what is idempotent, after an error that says nothing", async () => {
    const own = log();
    const idempotent = options({ effect: "idempotent" });
    const error = await once(own, idempotent, failing()).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "once/lost", cause: { message: "no" } });
    expect((await once(own, idempotent, () => 1)).value).toBe(1);
  });

  it("should call an abort after the beginning unknown, without asking the judge", async () => {
    const own = log();
    const stop = new AbortController();
    const asked: unknown[] = [];
    const failed = (error: unknown): "failed" => {
      asked.push(error);
      return "failed";
    };
    const run = once(own, options({ signal: stop.signal, judge: failed }), async ({ signal }) => {
      stop.abort(new Error("stopped"));
      signal.throwIfAborted();
      return 1;
    });
    await expect(run).rejects.toMatchObject({ code: "once/in-doubt", cause: { message: "stopped" } });
    expect(asked).toEqual([]);
  });

  it("should do nothing after an abort before the beginning", async () => {
    const own = log();
    await expect(once(own, options({ signal: AbortSignal.abort(new Error("early")) }), () => 1)).rejects.toThrow(
      "early",
    );
    expect(await own.read({ scope, key: "k" })).toBeUndefined();
    const stop = new AbortController();
    const slow = brokenAt(own, "claim", async (run) => {
      const result = await run();
      stop.abort(new Error("meanwhile"));
      return result;
    });
    await expect(once(slow, options({ signal: stop.signal }), () => 1)).rejects.toThrow("meanwhile");
    expect((await once(own, options(), () => 2)).value).toBe(2);
  });

  it("should keep what an aborted work gives all the same", async () => {
    const own = log();
    const stop = new AbortController();
    const run = once(own, options({ signal: stop.signal }), () => {
      stop.abort();
      return 1;
    });
    expect((await run).value).toBe(1);
    expect((await once(own, options(), () => 2 as number)).value).toBe(1);
  });

  it.each([
    ["a function", () => () => 1],
    ["a date", () => new Date(0)],
    ["not a number", () => Number.NaN],
    ["a circle", () => Object.assign([] as unknown[], { 0: undefined })],
    [
      "an object around itself",
      () => {
        const value: Record<string, unknown> = {};
        value.self = value;
        return value;
      },
    ],
  ])("should say what to do when the value is no JSON: %s", async (_, work) => {
    const own = log();
    const error = await once(own, options(), work as () => JsonValue).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "once/lost" });
    expect((error as Error).message).toContain("no JSON");
    expect(await codeOf(once(own, options(), () => 1))).toBe("once/in-doubt");
  });
});

describe("a mistake in the options", () => {
  it.each<[string, () => Promise<unknown>]>([
    ['no option "scpoe". Did you mean "scope"', () => once(log(), { scpoe: "a" } as never, () => 1)],
    ["needs a key, or an input", () => once(log(), { scope, allowVolatile: true }, () => 1)],
    ["1 to 512 characters", () => once(log(), options({ key: "k".repeat(513) }), () => 1)],
    ["input must be JSON", () => once(log(), options({ input: (() => 1) as never }), () => 1)],
    ["waitMs", () => once(log(), options({ waitMs: Number.NaN }), () => 1)],
    ["leaseMs", () => once(log(), options({ leaseMs: 0 }), () => 1)],
    ["allowVolatile: true", () => once(log(), { scope, key: "k" }, () => 1)],
    ["settleOnce takes", () => settleOnce(log(), { scope, key: "k" }, {} as never, "ann")],
    ["who knows", () => settleOnce(log(), { scope, key: "k" }, { happened: false }, "")],
    ["no option", () => settleOnce(log(), { scope, kye: "k" } as never, { happened: false }, "ann")],
  ])("should be a TypeError with the cure: %s", async (text, call) => {
    const error = await call().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(text);
  });

  it("should allow a log that forgets for what may happen twice, and a durable one for all", async () => {
    expect((await once(log(), { scope, key: "k", effect: "idempotent" }, () => 1)).value).toBe(1);
    const durable = Object.assign(Object.create(log()) as MemoryOperationLog, {});
    Object.defineProperty(durable, "durability", { value: "disk" });
    expect(durable.durability).toBe("disk");
  });
});
