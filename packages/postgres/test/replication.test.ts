import { describe, expect, it } from "vitest";
import { startPostgres } from "../../../scripts/lib/postgres.mjs";
import { openPostgres } from "../src/index.ts";
import { query, skip, why } from "./stores.ts";

const request = { scope: "shop", key: "order-7", fingerprint: "f", owner: "a", leaseMs: 60_000 };

describe.skipIf(skip)(`a synchronous standby that is gone${why}`, () => {
  it("should acknowledge nothing that no standby has, though the server does so when its time is over", async () => {
    const server = await startPostgres();
    const standbys = (names: string): Promise<unknown> =>
      query(async (client) => {
        await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
        await client.query("SELECT pg_reload_conf()");
      }, server.url);
    const store = await openPostgres({ url: server.url, statementTimeoutMs: 300, retryForMs: 500 });
    try {
      await standbys("nobody");
      const unsettled = { code: "trp/store-unsettled" };
      await expect.poll(() => waiting(server.url)).toBe("nobody");
      await expect(store.operations.start(request, {})).rejects.toMatchObject(unsettled);
      await expect(store.logs.append("visits", ["ann"], 0)).rejects.toMatchObject(unsettled);
      await standbys("");
      await expect.poll(() => waiting(server.url)).toBe("");
      // It was begun, and nobody was told so: its lease decides.
      expect(await store.operations.start(request, {})).toMatchObject({ status: "busy" });
      expect(await store.logs.read("visits")).toEqual(["ann"]);
    } finally {
      await store.close();
      await server.stop();
    }
  });
});

const waiting = (url: string): Promise<unknown> =>
  query(
    async (client) => (await client.query("SHOW synchronous_standby_names")).rows[0].synchronous_standby_names,
    url,
  );
