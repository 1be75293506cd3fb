import { drawn, share } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { memoryRuns } from "../support/memory-runs.ts";
import { beginOrGoOn, flaws, keys, resultsIn, type World } from "./forty-effects.ts";

const never = new Promise<never>(() => {});

/** Lives one process, which dies at a moment; undefined then. A run that had ended before has nothing more to do. */
async function live(
  storage: ReturnType<typeof memoryRuns>,
  effects: string[],
  diesAt: number,
): Promise<{ end: string | undefined; moments: number }> {
  let moment = 0;
  let die: () => void = () => {};
  const died = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined);
  });
  const world: World = {
    async moment() {
      if (moment < diesAt) moment += 1;
      if (moment < diesAt) return;
      die();
      await never;
    },
    effect: (key) => void effects.push(key),
  };
  const living = beginOrGoOn(world, storage, "run").then(
    async (run) => (await run.result).status,
    (error: { code: string }) => error.code,
  );
  return { end: await Promise.race([died, living]), moments: moment };
}

const log = memoryRuns();
const made: string[] = [];
const whole = await live(log, made, Number.POSITIVE_INFINITY);
const some = share("moments", 20, whole.moments);
const resultsOf = ({ runs }: ReturnType<typeof memoryRuns>) => resultsIn(runs.get("run") ?? []);

describe("a run of forty keyed effects whose process is killed", () => {
  it("has all of them when it is not", () => {
    expect([whole.end, made]).toEqual(["answered", keys]);
    expect(flaws(made, resultsOf(log))).toEqual([]);
    expect(whole.moments).toBeGreaterThan(250);
  });

  it(`at any point, and resumed until it ends, has no effect twice and loses none (${some.told})`, async () => {
    const moments = drawn(
      Array.from({ length: whole.moments }, (_, index) => index + 1),
      some.count,
    );
    let inDoubt = 0;
    for (const diesAt of moments) {
      const storage = memoryRuns();
      const effects: string[] = [];
      const { end: none } = await live(storage, effects, diesAt);
      expect(none).toBeUndefined();
      const { end } = await live(storage, effects, Number.POSITIVE_INFINITY);
      expect(end).toBe(diesAt === whole.moments ? "agent/session-ended" : "answered");
      const results = resultsOf(storage);
      expect(flaws(effects, results), `killed at ${diesAt}`).toEqual([]);
      const doubts = results.filter(({ status }) => status === "in-doubt").length;
      expect(doubts).toBeLessThanOrEqual(1);
      inDoubt += doubts;
    }
    expect(inDoubt).toBeGreaterThan(0);
  });

  it("again and again, comes to its end", async () => {
    for (const every of [9, 14, 23]) {
      const storage = memoryRuns();
      const effects: string[] = [];
      let lives = 0;
      for (;;) {
        lives += 1;
        const { end } = await live(storage, effects, every);
        if (end === undefined) continue;
        expect(["answered", "agent/session-ended"]).toContain(end);
        expect(flaws(effects, resultsOf(storage))).toEqual([]);
        break;
      }
      expect(lives).toBeGreaterThan(5);
    }
  });
});
