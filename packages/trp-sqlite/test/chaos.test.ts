import { isThorough, leftToCi, rounds } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleProcesses } from "./chaos/bundle.ts";
import { chaos } from "./chaos/chaos.ts";

// Four routers as processes on one file, killed and stopped without end, and clients that send everything twice: not in a plain run.
const operations = rounds(150, 150, 2000);
let scripts: Awaited<ReturnType<typeof bundleProcesses>>;

beforeAll(async () => {
  scripts = await bundleProcesses("ledger", "router");
});
afterAll(() => scripts?.remove());

it(`should have no effect twice and lose nothing that was acknowledged, over ${operations} operations`, async (context) => {
  leftToCi(context);
  const report = await chaos(scripts, { variant: "fence", operations });
  console.log(JSON.stringify(report));
  expect(report.kills).toBeGreaterThan(0);
  expect(report.stops).toBeGreaterThan(0);
  expect(report.duplicates).toEqual([]);
  expect(report.lost).toEqual([]);
  expect(report.hidden).toEqual([]);
  expect(report.unrecorded).toEqual([]);
  expect(report.gaveUp).toEqual([]);
  expect(report.told.failed).toBe(0);
  expect(report.audit.ok).toBe(true);
}, 900_000);

it.each(isThorough ? (["lease", "naive"] as const) : [])(
  "should notice duplicates of a router that guards its effects the %s way",
  async (variant) => {
    // Where a kill falls is chance: what is wrong shows within nine rounds, or the test is blind.
    const duplicates: string[] = [];
    for (let round = 0; round < 9 && duplicates.length === 0; round++) {
      duplicates.push(...(await chaos(scripts, { variant, operations: 100, kinds: [2] })).duplicates);
    }
    expect(duplicates.length).toBeGreaterThan(0);
  },
  600_000,
);
