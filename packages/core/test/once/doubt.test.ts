import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/index.ts";
import { MemoryOperationLog } from "../../src/memory-operation-log.ts";
import { type OnceError, type OnceOptions, once, type ProbeAnswer, settleOnce } from "../../src/once-layer.ts";
import { brokenAt, codeOf, log, options } from "./support.ts";

const place = { scope: "shop/refund", key: "k" };
const unknown = (): never => {
  throw new Error("reset");
};

/** A log with one operation in doubt. */
async function inDoubt(more: Partial<OnceOptions> = {}): Promise<MemoryOperationLog> {
  const own = log();
  expect(await codeOf(once(own, options(more), unknown))).toBe("once/in-doubt");
  return own;
}

describe("settleOnce", () => {
  it("should give the value of what happened to whoever asks again", async () => {
    const own = await inDoubt();
    expect(await settleOnce(own, place, { happened: true, value: { refund: 1 } }, "ann")).toBe(true);
    expect(await once(own, options(), unknown)).toMatchObject({ value: { refund: 1 }, replayed: true });
    expect((await own.read(place))?.settled).toMatchObject({ by: "ann", happened: true });
  });

  it("should take the value undefined", async () => {
    const own = await inDoubt();
    await settleOnce(own, place, { happened: true, value: undefined }, "ann");
    expect((await once(own, options(), unknown)).value).toBeUndefined();
  });

  it("should let run again what did not happen, and keep who said so until it is done", async () => {
    const own = await inDoubt();
    expect(await settleOnce(own, place, { happened: false }, "bob")).toBe(true);
    expect(await own.read(place)).toMatchObject({ state: "released", settled: { by: "bob", happened: false } });
    expect(await codeOf(once(own, options(), unknown))).toBe("once/in-doubt");
    expect(await own.read(place)).toMatchObject({ state: "in-doubt", settled: { by: "bob" } });
    await settleOnce(own, place, { happened: false }, "bob");
    expect((await once(own, options(), () => 2)).value).toBe(2);
    expect((await own.read(place))?.settled).toBeUndefined();
  });

  it("should take the first of two words, and none on what is not in doubt", async () => {
    const own = await inDoubt();
    const words = await Promise.all([
      settleOnce(own, place, { happened: true, value: 1 }, "ann"),
      settleOnce(own, place, { happened: false }, "bob"),
    ]);
    expect(words).toEqual([true, false]);
    expect(await settleOnce(own, { ...place, key: "other" }, { happened: false }, "ann")).toBe(false);
    let settled: boolean | undefined;
    await once(own, options({ key: "live" }), async () => {
      settled = await settleOnce(own, { ...place, key: "live" }, { happened: false }, "ann");
      return 1;
    });
    expect(settled).toBe(false);
  });

  it("should not take a word about an earlier attempt for this one", async () => {
    const own = await inDoubt();
    const fence = (await own.read(place))?.fence ?? 0;
    await settleOnce(own, { ...place, fence }, { happened: false }, "ann");
    await codeOf(once(own, options(), unknown));
    expect(await settleOnce(own, { ...place, fence }, { happened: true, value: 1 }, "late")).toBe(false);
    expect(await settleOnce(own, place, { happened: true, value: 1 }, "ann")).toBe(true);
  });

  it("should settle what a process left behind that died, before anybody asks for it again", async () => {
    let now = 0;
    const own = new MemoryOperationLog({ now: () => now });
    const claimed = await own.claim({ ...place, fingerprint: "", owner: "dead", leaseMs: 1_000 });
    if (claimed.status === "claimed") await own.begin(claimed.claim);
    const word = (): Promise<boolean> => settleOnce(own, { ...place, fence: 1 }, { happened: true, value: 7 }, "ann");
    expect(await word()).toBe(false);
    now = 1_000;
    expect(await word()).toBe(true);
    expect((await once(own, options(), unknown)).value).toBe(7);
  });
});

describe("a probe", () => {
  it("should be asked about a doubt with what was noted, and be believed", async () => {
    const own = log();
    const asked: unknown[] = [];
    await codeOf(
      once(own, options(), async ({ note }) => {
        await note({ request: "r1" });
        return unknown();
      }),
    );
    const probe: OnceOptions["probe"] = async ({ key, data, signal }) => {
      asked.push({ key, data, aborted: signal.aborted });
      return { happened: true, value: { found: 1 } };
    };
    expect(await once(own, options({ probe }), unknown)).toMatchObject({ value: { found: 1 }, replayed: true });
    expect(asked).toEqual([{ key: "k", data: { request: "r1" }, aborted: false }]);
    expect((await own.read(place))?.settled).toMatchObject({ by: "probe", happened: true });
  });

  it("should let it run again when it did not happen", async () => {
    const own = await inDoubt();
    const probe = async (): Promise<ProbeAnswer> => ({ happened: false });
    expect(await once(own, options({ probe }), () => 3)).toMatchObject({ value: 3, replayed: false });
  });

  it.each<[string, OnceOptions["probe"]]>([
    ["can't tell", async () => undefined],
    ["fails", async () => Promise.reject(new Error("down"))],
    ["throws at once", unknown],
    ["says something else", async () => ({ happened: "yes" }) as never],
    ["gives no JSON", async () => ({ happened: true, value: (() => 1) as never })],
  ])("should leave the doubt when it %s", async (_, probe) => {
    const own = await inDoubt();
    expect(await codeOf(once(own, options({ probe: probe as never }), () => 1))).toBe("once/in-doubt");
    expect(await own.read(place)).toMatchObject({ state: "in-doubt" });
  });

  it("should be asked by one caller at a time, and once", async () => {
    const own = await inDoubt();
    let asking = 0;
    let most = 0;
    let count = 0;
    const probe = async (): Promise<ProbeAnswer> => {
      count += 1;
      most = Math.max(most, ++asking);
      await new Promise((resolve) => setTimeout(resolve, 20));
      asking -= 1;
      return { happened: true, value: 1 };
    };
    const all = await Promise.all(Array.from({ length: 10 }, () => once(own, options({ probe }), unknown)));
    expect(all.map(({ value }) => value)).toEqual(Array.from({ length: 10 }, () => 1));
    expect([most, count]).toEqual([1, 1]);
  });

  it("should be asked at once when the outcome of the work itself is unknown", async () => {
    const happened = async (): Promise<ProbeAnswer> => ({ happened: true, value: 5 });
    expect(await once(log(), options({ probe: happened }), unknown)).toMatchObject({ value: 5, replayed: false });
    const own = log();
    const nothing = async (): Promise<ProbeAnswer> => ({ happened: false });
    await expect(once(own, options({ probe: nothing }), unknown)).rejects.toThrow(/^reset$/);
    expect((await once(own, options(), () => 6)).value).toBe(6);
  });

  it("should not be waited for longer than anything else", async () => {
    const own = await inDoubt();
    let answer = (_: undefined): void => {};
    const first = once(own, options({ probe: () => new Promise((resolve) => (answer = resolve)) }), unknown);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = once(own, options({ probe: async () => ({ happened: false }), waitMs: 0 }), () => 1 as JsonValue);
    expect(await codeOf(second)).toBe("once/busy");
    answer(undefined);
    expect(await codeOf(first)).toBe("once/in-doubt");
  });
});

it("should never do twice what may have happened, whatever fails and whoever asks", async () => {
  const step = fc.record({
    does: fc.constantFrom("value", "unknown", "failed", "crash", "late", "lost end", "no doubt", "no begin"),
    word: fc.constantFrom("none", "none", "true", "false"),
    wait: fc.constantFrom(0, 0, 500, 1_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      let now = 0;
      const own = new MemoryOperationLog({ now: () => now });
      /** Of the attempts since somebody said that nothing had happened. */
      let mayHaveHappened = false;
      let twice = false;
      let told: JsonValue | undefined;
      const never = new Promise<never>(() => {});
      for (const [index, { does, word, wait }] of steps.entries()) {
        now += wait;
        const work = (): number | Promise<number> => {
          // What is thrown here would be judged.
          twice ||= mayHaveHappened;
          if (does === "failed") throw new Error("refused");
          mayHaveHappened = true;
          if (does === "unknown" || does === "no doubt") throw new Error("reset");
          return does === "crash" ? never : index;
        };
        const broken: Record<string, [Parameters<typeof brokenAt>[1], Parameters<typeof brokenAt>[2]]> = {
          late: ["finish", async (run) => ((await run()) ? Promise.reject(new Error("no answer")) : false)],
          "lost end": ["finish", async () => false],
          "no doubt": ["doubt", async () => Promise.reject(new Error("down"))],
          "no begin": ["begin", async () => Promise.reject(new Error("down"))],
        };
        const [method, act] = broken[does] ?? [];
        const used = method && act ? brokenAt(own, method, act) : own;
        const judge = (error: unknown) => ((error as Error).message === "refused" ? "failed" : "unknown");
        const run = once(used, options({ judge: judge as never, leaseMs: 1_000, waitMs: 0 }), work);
        const outcome = await Promise.race([
          run.then(
            ({ value }) => ({ value }),
            (error: OnceError) => ({ error }),
          ),
          // A crash: its process says nothing any more.
          new Promise<undefined>((resolve) => setTimeout(resolve, does === "crash" ? 5 : 1_000)),
        ]);
        expect(twice).toBe(false);
        if (outcome && "value" in outcome) {
          expect(mayHaveHappened).toBe(true);
          told ??= outcome.value;
          expect(outcome.value).toBe(told);
        }
        if (word === "none") continue;
        const answer: ProbeAnswer = word === "true" ? { happened: true, value: 99 } : { happened: false };
        if (await settleOnce(own, place, answer, "ann")) {
          // What is in doubt was told to nobody.
          expect(told).toBeUndefined();
          mayHaveHappened = word === "true";
        }
      }
    }),
    { numRuns: 100 },
  );
});
