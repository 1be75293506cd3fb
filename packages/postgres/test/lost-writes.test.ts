import type { RouterStore } from "@toolglot/trp-core/store";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimRequest } from "../../trp-core/src/store-suite/fixtures.ts";
import { acceptPostgres, openPostgres, type PostgresOptions } from "../src/index.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import { faultOf, newSchema, query, skip, why } from "./stores.ts";

// The database has forgotten what it had acknowledged: as if a backup had been restored. And what only looks so.

describe.skipIf(skip)(`a database that forgets${why}`, () => {
  const proxy = new CuttingProxy();
  const opened: RouterStore[] = [];
  let url: string;
  let schema: string;
  beforeAll(async () => {
    url = await proxy.listen();
  });
  beforeEach(() => {
    schema = newSchema();
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => proxy.close());

  async function open(more: Partial<PostgresOptions> = {}): Promise<RouterStore> {
    const store = await openPostgres({ url, schema, ...more });
    opened.push(store);
    return store;
  }
  const sql = (text: string): Promise<unknown> => query((client) => client.query(text.replaceAll("@", `${schema}.`)));
  const reconnect = (): void => {
    proxy.down();
    proxy.up();
  };
  async function begun(store: RouterStore, key: string, more = {}) {
    const found = await store.operations.start(claimRequest({ key, leaseMs: 60_000, ...more }), {});
    if (found.status !== "claimed") throw new Error(found.status);
    return found.claim;
  }

  it.each([
    ["an operation that runs", "DELETE FROM @operations WHERE key = 'runs'", /expected \d+ operations, found/],
    ["an operation that is done", "DELETE FROM @operations WHERE key = 'done'", /expected \d+ operations, found/],
    ["a claim", "DELETE FROM @operations WHERE key = 'claimed'", /expected \d+ operations, found/],
    ["fences", "SELECT setval('@fences', 1)", /expected fence \d+, found fence 1/],
    ["its cluster", "UPDATE @meta SET value = '7' WHERE name = 'system_identifier'", /expected cluster 7/],
  ])("should be noticed, and stop all until somebody accepts it: %s", async (_name, forget, message) => {
    const errors: Error[] = [];
    const store = await open({ onError: (error) => void errors.push(error) });
    const other = await open();
    await begun(store, "runs");
    await store.operations.claim(claimRequest({ key: "claimed", leaseMs: 60_000 }));
    await store.operations.finish(await begun(store, "done"), { state: "done", outcome: 1 });
    await sql(forget);
    reconnect();
    const fault = await faultOf(store.ping());
    expect(fault).toMatch(/^trp\/store-lost-writes: .*acceptPostgres/);
    expect(fault).toMatch(message);
    expect(errors.map((error) => (error as { code?: string }).code)).toContain("trp/store-lost-writes");
    const methods = [
      store.operations.start(claimRequest({ key: "new" }), {}),
      store.audit.append([]).then(() => store.audit.read()),
      store.logs.append("log", ["line"], 0),
      // Another process finds what the first one has noted, and so does one that starts.
      other.operations.claim(claimRequest({ key: "new" })),
      open(),
    ];
    for (const one of await Promise.all(methods.map(faultOf))) expect(one).toMatch(/^trp\/store-lost-writes/);
    await acceptPostgres({ url, schema });
    for (const one of [store, other]) {
      while ((await faultOf(one.ping())) !== "nothing") await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await one.operations.start(claimRequest({ key: `after ${opened.indexOf(one)}` }), {})).status).toBe(
        "claimed",
      );
    }
    reconnect();
    await (await open()).ping();
    expect(await faultOf(store.ping())).toBe("nothing");
  });

  it("should only be reported when that is wanted", async () => {
    const errors: unknown[] = [];
    const onError = (error: Error): void => void errors.push((error as { code?: string }).code);
    const store = await open({ onLostWrites: "report", onError });
    await begun(store, "runs");
    await sql("DELETE FROM @operations");
    reconnect();
    expect((await store.operations.start(claimRequest({ key: "runs" }), {})).status).toBe("claimed");
    expect(errors).toContain("trp/store-lost-writes");
    await sql("UPDATE @meta SET value = '7' WHERE name = 'system_identifier'");
    errors.length = 0;
    await (await open({ onLostWrites: "report", onError })).ping();
    expect(errors).toEqual(["trp/store-lost-writes"]);
  });

  it("should not be suspected when nothing is missing", async () => {
    let time = 1_760_000_000_000;
    const errors: Error[] = [];
    const store = await open({ now: () => time, onError: (error) => void errors.push(error) });
    const other = await open({ now: () => time });
    await store.operations.finish(await begun(store, "released"), { state: "released" });
    const abandoned = await store.operations.claim(claimRequest({ key: "abandoned", leaseMs: 60_000 }));
    if (abandoned.status === "claimed") await store.operations.abandon(abandoned.claim);
    const doubted = await begun(store, "doubted", { ttlMs: 1_000 });
    await store.operations.doubt(doubted, "why");
    await other.operations.settle(doubted, { state: "released" }, "boss");
    await begun(store, "taken over", { leaseMs: 5, abandoned: "reclaim" });
    await store.operations.finish(await begun(store, "done", { ttlMs: 5 }), { state: "done", outcome: 1 });
    await begun(store, "runs");
    // The time of what may go passes for the database and, a little later, for this process.
    time += 10_000;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const taken = await other.operations.start(
      claimRequest({ key: "taken over", owner: "router-b", leaseMs: 60_000, abandoned: "reclaim" }),
      {},
    );
    expect(taken.status).toBe("claimed");
    await other.prune();
    for (const of of ["released", "doubted", "done"]) {
      expect(await other.operations.read(claimRequest({ key: of })), of).toBeUndefined();
    }
    reconnect();
    expect(await faultOf(store.ping())).toBe("nothing");
    expect((await store.operations.read(claimRequest({ key: "runs" })))?.state).toBe("started");
    expect(errors.filter((error) => (error as { code?: string }).code === "trp/store-lost-writes")).toEqual([]);
  });
});
