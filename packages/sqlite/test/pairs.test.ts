import type { JsonValue } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { drivers, newFile } from "./files.ts";

// Both sides of what belongs together: what one store writes, another one reads; what is taken, is given back.

const request = { scope: "s", fingerprint: "f", owner: "a", leaseMs: 60_000 };

async function taken(store: RouterStore, key: string, owner = "a") {
  const result = await store.operations.claim({ ...request, owner, key });
  if (result.status !== "claimed") throw new Error(`expected a claim, not ${result.status}`);
  return result.claim;
}

const values = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<JsonValue>;
const pairs = drivers.flatMap((one) => drivers.map((other) => [one, other] as const));

it.each(pairs)("what %s wrote / what %s reads, and a store in memory, whatever the value", async (one, other) => {
  const file = newFile();
  const [writer, reader, memory] = [
    await openSqlite({ file, driver: one }),
    await openSqlite({ file, driver: other }),
    new MemoryStore(),
  ];
  let count = 0;
  await fc.assert(
    fc.asyncProperty(values, fc.constantFrom("done", "failed"), async (outcome, state) => {
      const key = `k${++count}`;
      const records = [];
      for (const [store, from] of [
        [writer, reader],
        [memory, memory],
      ] as const) {
        const claim = await taken(store, key);
        expect(await store.operations.begin(claim, { of: outcome })).toBe(true);
        expect(await store.operations.finish(claim, { state, outcome } as never)).toBe(true);
        const {
          claimedAt: _,
          startedAt: __,
          finishedAt: ___,
          leaseUntil: ____,
          expiresAt: _____,
          fence,
          ...record
        } = { startedAt: 0, finishedAt: 0, ...(await from.operations.read({ scope: "s", key })) } as never as Record<
          string,
          number
        >;
        expect(fence).toBeGreaterThan(0);
        records.push(record);
      }
      const text = JSON.parse(JSON.stringify(outcome)) as JsonValue;
      expect(records[0]).toMatchObject({ state, outcome: text });
      expect(records[0]).toEqual(records[1]);
    }),
    { numRuns: rounds(25, 400) },
  );
  await writer.close();
  await reader.close();
});

describe.each(drivers)("a key on %s", (driver) => {
  it.each(["released", "abandoned", "finished"])(
    "that is taken / the same key, %s by its holder: the other store sees both",
    async (how) => {
      const file = newFile();
      const [one, other] = [await openSqlite({ file, driver }), await openSqlite({ file, driver })];
      const claim = await taken(one, "k");
      expect((await other.operations.claim({ ...request, owner: "b", key: "k" })).status).toBe("busy");
      const given =
        how === "released"
          ? one.operations.finish(claim, { state: "released" })
          : how === "abandoned"
            ? one.operations.abandon(claim)
            : one.operations.finish(claim, { state: "done", outcome: 1 });
      expect(await given).toBe(true);
      const again = await other.operations.claim({ ...request, owner: "b", key: "k" });
      if (how === "finished") expect(again).toMatchObject({ status: "replay", record: { state: "done", outcome: 1 } });
      else {
        expect(again.status).toBe("claimed");
        // What was given back is no longer its holder's.
        expect(await one.operations.begin(claim)).toBe(false);
        if (again.status === "claimed") expect(again.claim.fence).toBeGreaterThan(claim.fence);
      }
      await one.close();
      await other.close();
    },
  );
});
