import { isThorough, leftToCi, rounds, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChaosOptions, type ChaosReport, chaos } from "../../trp-core/test/chaos/chaos.ts";
import { openSqlite } from "../src/index.ts";
import { bundleProcesses, ledger } from "./bundle.ts";
import { newFile } from "./files.ts";

// Two routers as processes on one file, killed and stopped without end, and clients that send everything twice, half of it
// ASYNC with partial results, and cancel a quarter: not in a plain run.
const operations = rounds(100, 2000);
let scripts: Awaited<ReturnType<typeof bundleProcesses>>;

beforeAll(async () => {
  scripts = await bundleProcesses(ledger, "processes/router");
});
afterAll(() => scripts?.remove());

const onFile = (options: ChaosOptions): Promise<ChaosReport> =>
  chaos({ scripts, store: newFile(), open: (file) => openSqlite({ file }) }, options);

it(`should have no effect twice and lose nothing that was acknowledged, over ${operations} operations`, async (context) => {
  leftToCi(context);
  const report = await onFile({ variant: "fence", operations });
  console.log(JSON.stringify(report));
  expect(report.unrest.kills).toBeGreaterThan(0);
  expect(report.unrest.stops).toBeGreaterThan(0);
  expect(report.duplicates).toEqual([]);
  expect(report.lost).toEqual([]);
  expect(report.hidden).toEqual([]);
  expect(report.unrecorded).toEqual([]);
  expect(report.contradictions).toEqual([]);
  expect(report.ghosts).toEqual([]);
  expect(report.parts).toEqual([]);
  expect(report.gaveUp).toEqual([]);
  expect(report.told["not-run"]).toBeGreaterThan(0);
  expect(report.told.failed).toBe(0);
  expect(report.audit).toMatchObject({ ok: true });
  expect(report.outbox).toEqual([]);
}, 900_000);

// What is wrong in each: an effect that happened twice; or a call that was told that nothing was executed, and ran.
const sync = [{}];
const weak = {
  lease: { kinds: [2], ways: sync, slow: 200 },
  naive: { kinds: [2], ways: sync },
  // Whose router is gone is run again.
  orphans: { kinds: [2], ways: [{ mode: "ASYNC" }] },
  // A call that is cancelled may be started all the same.
  unmarked: { kinds: [0], ways: [{ cancels: true }], slow: 200 },
} as const;

// That the test above would see a fault: one of them in `.ci/run`, all in test:long.
const seen: readonly (keyof typeof weak)[] = isThorough
  ? someOf(Object.keys(weak) as (keyof typeof weak)[], 0, ["naive"])
  : [];

it.each(seen)(
  "should notice what a router does wrong that guards its effects the %s way",
  async (variant) => {
    const { kinds, ways, ...slow } = weak[variant];
    // Where a kill falls is chance: what is wrong shows within nine rounds, or the test is blind.
    const wrong: string[] = [];
    for (let round = 0; round < 9 && wrong.length === 0; round++) {
      const options = { variant, operations: 60, kinds: [...kinds], ways: [...ways], ...slow };
      const { duplicates, ghosts, contradictions } = await onFile(options);
      wrong.push(...(variant === "unmarked" ? [...ghosts, ...contradictions] : duplicates));
    }
    expect(wrong.length).toBeGreaterThan(0);
  },
  600_000,
);
