import { isLong, isThorough, leftToCi } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { naiveVariants } from "../src/simulation/mistakes.ts";
import { reportOf } from "../src/simulation/report.ts";
import { simulate } from "../src/simulation/simulate.ts";

// Routers, agents, people and one database in virtual time; docs/simulation.md says what is simulated. It takes the clocks of its
// thread, so this file has a process of its own.

const all = isLong ? 20_000 : 2_000;
const count = isThorough ? all : 150;
const left = count < all ? `, of ${all} that .ci/run plays` : "";

it(`holds in what follows from ${count} seeds${left}`, { timeout: 30 * 60_000 }, async () => {
  const failed: string[] = [];
  const effects = { done: 0, doubtful: 0, unsettled: 0, lost: 0 };
  for (let seed = 1; seed <= count; seed++) {
    const outcome = await simulate(seed);
    const { counts, wrong } = outcome;
    effects.done += counts.effects ?? 0;
    effects.doubtful += counts["told unknown"] ?? 0;
    effects.unsettled += counts["trp/store-unsettled"] ?? 0;
    effects.lost += counts["trp/store-lost-writes"] ?? 0;
    if (wrong.length > 0) failed.push(reportOf(outcome));
  }
  expect(failed.join("\n")).toBe("");
  // Each kind of trouble that matters has come up.
  for (const often of Object.values(effects)) expect(often).toBeGreaterThan(0);
});

it("plays a seed in the same way every time, whatever was played before", async () => {
  const seeds = [3, 17, 42, 99, 4_711];
  const first = new Map<number, string>();
  for (const seed of seeds) first.set(seed, (await simulate(seed)).digest);
  expect(new Set(first.values()).size).toBe(seeds.length);
  for (const seed of seeds.toReversed())
    expect((await simulate(seed, { isTraced: true })).digest).toBe(first.get(seed));
});

/** Of this one it takes more seeds than a plain run has time for; of this hundreds, which `npm run test:long` has. */
const rare = "takes a commit without an answer for failed";
const rarest = "looks for cancelled calls before the start alone";

describe("notices a store that", () => {
  for (const [name, mistakes] of Object.entries(naiveVariants)) {
    if (name === rarest && !isLong) continue;
    it(name, { timeout: 10 * 60_000 }, async (context) => {
      leftToCi(context, name !== rare);
      for (let seed = 1; seed <= 1_000; seed++) if ((await simulate(seed, { mistakes })).wrong.length > 0) return;
      expect.fail("1,000 seeds have shown nothing");
    });
  }
});
