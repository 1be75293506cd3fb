import { isThorough, leftToCi, rounds, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPostgres } from "../../../scripts/lib/postgres-server.mjs";
import type { Bundled } from "../../trp-core/test/chaos/bundle.ts";
import { chaos } from "../../trp-core/test/chaos/chaos.ts";
import { bundleProcesses, ledger } from "./bundle.ts";
import { allUnrest, stageOn, withServer } from "./chaos/stage.ts";
import { safetyFaultsOf, weak } from "./chaos/verdict.ts";

// Four routers as processes on a server of their own, both broken without end: `npm run chaos` has 2,000 operations of each effect, and
// counts doubts too. Not in a plain run.
const found = findPostgres();
const skip = "skip" in found ? found.skip : undefined;
const operations = rounds(50, 2000);
let scripts: Bundled;

describe.skipIf(skip)(`routers on one PostgreSQL${skip ? ` (${skip})` : ""}`, () => {
  beforeAll(async () => {
    scripts = await bundleProcesses([ledger, "processes/router"]);
  });
  afterAll(() => scripts?.remove());

  it(`should have no effect twice and lose nothing that was acknowledged, over ${operations} operations`, async (context) => {
    leftToCi(context);
    const report = await withServer((server) =>
      chaos(stageOn(scripts, { url: server.url, schema: "chaos" }, allUnrest(server, "chaos", 5_000)), {
        ...{ variant: "fence", operations, routers: 4, lease: 1_000, every: 1_000 },
      }),
    );
    const { evidence, ...figures } = report;
    console.log(JSON.stringify(figures));
    expect([...safetyFaultsOf(report), ...report.gaveUp], evidence.join("\n")).toEqual([]);
    expect(report.told.failed).toBe(0);
    for (const what of ["kills", "stops", "terminated", "locks held"]) expect(report.unrest[what]).toBeGreaterThan(0);
  }, 900_000);

  // That the test above would see a fault: one of them in `.ci/run`, all in test:long.
  const names = Object.keys(weak);
  const seen = isThorough ? someOf(names, 0, ["reads, runs, records"]) : [];
  it.each(seen)(
    "should notice what a router does wrong that guards its effects so: %s",
    async (name) => {
      expect((await (weak[name] as (typeof weak)[string])(scripts)).length).toBeGreaterThan(0);
    },
    600_000,
  );
});
