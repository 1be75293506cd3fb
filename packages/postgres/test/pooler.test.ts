import { isLong } from "@toolglot/internal/testing";
import { storeSuite } from "@toolglot/trp-core/store-suite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgres } from "../src/index.ts";
import { noPooler, startPooler } from "./pgbouncer.ts";
import { emptyStore, faultOf, newSchema, skip, url } from "./stores.ts";

const why = skip ?? noPooler;
// Each case is the same through a pooler; the others are left to CI.
const cases = isLong ? storeSuite : storeSuite.filter((_, at) => at % 8 === 0);

describe.skipIf(why)(`a store behind PgBouncer in transaction mode${why ? ` (skipped: ${why})` : ""}`, () => {
  let pooler: Awaited<ReturnType<typeof startPooler>>;
  beforeAll(async () => {
    pooler = await startPooler(url);
  });
  afterAll(() => pooler.stop());

  it.each(cases)("$name", async ({ run }) => run(({ now }) => emptyStore({ now, url: pooler.url })));

  it("should go on when the pooler ends, and another one comes in its place", async () => {
    const schema = newSchema();
    const store = await openPostgres({ url: pooler.url, schema, retryForMs: 50 });
    await store.logs.append("log", ["one"], 0);
    const { port } = new URL(pooler.url);
    await pooler.stop();
    expect(await faultOf(store.logs.append("log", ["two"], 1))).toMatch(/^trp\/store-unavailable/);
    pooler = await startPooler(url, Number(port));
    expect(await store.logs.append("log", ["two"], 1)).toBe(true);
    expect(await store.logs.read("log")).toEqual(["one", "two"]);
    await store.close();
  });
});
