import { describe, expect, it } from "vitest";
import { claimRequest } from "../../trp-core/src/store-suite/fixtures.ts";
import { openPostgres } from "../src/index.ts";
import { newSchema, skip, url, why } from "./stores.ts";

describe.skipIf(skip)(`the clock of a store on PostgreSQL${why}`, () => {
  it("should decide by the database's clock, however wrong its own is", async () => {
    const schema = newSchema();
    const real = Date.now;
    Date.now = () => real() + 3_600_000;
    let skewed: Awaited<ReturnType<typeof openPostgres>>;
    try {
      skewed = await openPostgres({ url, schema });
      expect(Math.abs(skewed.now() - real())).toBeLessThan(60_000);
      const found = await skewed.operations.claim(claimRequest({ leaseMs: 600_000 }));
      expect(Math.abs(found.record.leaseUntil - real() - 600_000)).toBeLessThan(60_000);
    } finally {
      Date.now = real;
    }
    // Its own clock was set back by an hour.
    expect(Math.abs(skewed.now() - real())).toBeLessThan(60_000);
    const other = await openPostgres({ url, schema });
    expect((await other.operations.claim(claimRequest({ owner: "router-b" }))).status).toBe("busy");
    for (const store of [skewed, other]) await store.close();
  });
});
