import type { RouterStore } from "@toolglot/trp-core/store";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { auditEntry, claimRequest } from "../../trp-core/src/store-suite/fixtures.ts";
import { openPostgres, type PostgresOptions } from "../src/index.ts";
import { openStore } from "../src/open-postgres.ts";
import { CuttingProxy, commits } from "./cutting-proxy.ts";
import { faultOf, newSchema, query, skip, url, why } from "./stores.ts";

// The database goes away for longer than a method may wait, or an old backend still works on what the store asks about.

describe.skipIf(skip)(`a database that goes away${why}`, () => {
  const proxy = new CuttingProxy();
  const schema = newSchema();
  const opened: RouterStore[] = [];
  let address: string;
  beforeAll(async () => {
    address = await proxy.listen();
  });
  afterEach(async () => {
    proxy.up();
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => proxy.close());

  async function open(more: Partial<PostgresOptions> = {}, isFast = true): Promise<RouterStore> {
    const store = await openStore({ url: address, schema, retryForMs: 100, ...more }, isFast);
    opened.push(store);
    return store;
  }
  const rows = async (store: RouterStore): Promise<string[]> =>
    (await store.audit.read()).map(({ entry }) => entry.call_id);
  const append = (store: RouterStore, id: string): Promise<void> => store.audit.append([auditEntry(id)]);

  it.each([true, false])("should say that nothing was written when nothing was sent (fast: %s)", async (isFast) => {
    const store = await open({}, isFast);
    proxy.down();
    const faults = await Promise.all([
      faultOf(store.operations.start(claimRequest({ key: `away ${isFast}` }), {})),
      faultOf(append(store, "away")),
      faultOf(store.operations.read(claimRequest())),
      faultOf(store.ping()),
    ]);
    for (const fault of faults)
      expect(fault).toMatch(/^trp\/store-unavailable: .* can't be reached: .*Nothing was written/);
    proxy.up();
    // It goes on by itself.
    expect((await store.operations.start(claimRequest({ key: `away ${isFast}` }), {})).status).toBe("claimed");
    expect(await rows(store)).not.toContain("away");
  });

  it.each([
    ["start", true],
    ["start", false],
    ["append", false],
  ] as const)(
    "should say that it does not know when the answer to a %s is lost (fast: %s)",
    async (what, isFast) => {
      const store = await open({}, isFast);
      proxy.cut("after", commits);
      const key = `unsettled ${what} ${isFast}`;
      const writing = faultOf(
        what === "append" ? append(store, key) : store.operations.start(claimRequest({ key }), {}),
      );
      await proxy.wasCut();
      proxy.down();
      expect(await writing).toMatch(/^trp\/store-unsettled: .*whether it was committed is not known/);
      proxy.up();
      if (what === "append") expect((await rows(store)).filter((id) => id === key)).toEqual([key]);
      else expect(await store.operations.read(claimRequest({ key }))).toMatchObject({ state: "started" });
    },
    20_000,
  );

  it.each([true, false])("should do nothing again that may arrive late (fast: %s)", async (isFast) => {
    const store = await open({ retryForMs: 5_000 }, isFast);
    const key = `late ${isFast}`;
    proxy.cut("late", commits);
    const result = await store.operations.start(claimRequest({ key }), { audit: [auditEntry(key)] });
    expect(result.status).toBe("claimed");
    // What was sent before arrives now, at a backend that has ended.
    proxy.deliver();
    expect(await rows(store)).toEqual(expect.arrayContaining([key]));
    expect((await rows(store)).filter((id) => id === key)).toHaveLength(1);
    expect(await store.operations.read(claimRequest({ key }))).toMatchObject({
      fence: "claim" in result ? result.claim.fence : 0,
    });
  });

  it("should end a statement that waits for a row before it sends it again", async () => {
    const store = await open({ retryForMs: 5_000 });
    const found = await store.operations.start(claimRequest({ key: "waits" }), {});
    if (found.status !== "claimed") throw new Error(found.status);
    await query(async (holder) => {
      await holder.query(`BEGIN; SELECT 1 FROM ${schema}.operations WHERE key = 'waits' FOR UPDATE`);
      const finishing = store.operations.finish(
        found.claim,
        { state: "done", outcome: 1 },
        { audit: [auditEntry("waits")] },
      );
      await waiting(1);
      const pids = await blocked();
      // Its connection ends, and it goes on waiting for the row.
      proxy.down();
      proxy.up();
      await waiting(1, pids);
      await holder.query("COMMIT");
      expect(await finishing).toBe(true);
    });
    expect(await store.operations.read(claimRequest({ key: "waits" }))).toMatchObject({ state: "done", outcome: 1 });
    expect((await rows(store)).filter((id) => id === "waits")).toHaveLength(1);
  });

  it("should run a transaction again whose backend is terminated", async () => {
    const store = await open({ retryForMs: 5_000 });
    await store.audit.append([auditEntry("before")]);
    await query(async (holder) => {
      await holder.query(`BEGIN; LOCK TABLE ${schema}.audit_new IN ACCESS EXCLUSIVE MODE`);
      const appending = append(store, "terminated");
      await waiting(1);
      for (const pid of await blocked()) await holder.query("SELECT pg_terminate_backend($1)", [pid]);
      await holder.query("COMMIT");
      await appending;
    });
    expect((await rows(store)).filter((id) => id === "terminated")).toHaveLength(1);
  });

  it("should answer that rows are busy when they are locked for too long", async () => {
    const store = await open({ lockTimeoutMs: 20 });
    const found = await store.operations.start(claimRequest({ key: "busy" }), {});
    if (found.status !== "claimed") throw new Error(found.status);
    await query(async (holder) => {
      await holder.query(`BEGIN; SELECT 1 FROM ${schema}.operations WHERE key = 'busy' FOR UPDATE`);
      const fault = await faultOf(store.operations.finish(found.claim, { state: "done", outcome: 1 }));
      expect(fault).toMatch(/^trp\/store-busy: .*Nothing was written/);
      await holder.query("COMMIT");
    });
    expect(await store.operations.finish(found.claim, { state: "done", outcome: 1 })).toBe(true);
  });

  it("should know what happened when it is closed meanwhile, or say that it does not", async () => {
    const store = await open({ retryForMs: 5_000 });
    proxy.cut("after", commits);
    const appending = faultOf(append(store, "closed"));
    await proxy.wasCut();
    await store.close();
    expect(await appending).toMatch(/^(nothing|trp\/store-unsettled)/);
    expect(await rows(await open())).toContain("closed");
  });

  it("should leave connections that take no writes, and go on as soon as others do", async () => {
    const [role, schema] = [newSchema(), newSchema()];
    const set = (setting: string) => query((client) => client.query(`ALTER ROLE ${role} ${setting}`));
    const end = () =>
      query((client) =>
        client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`),
      );
    await query((client) => client.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD 'x'`));
    const at = new URL(url);
    [at.username, at.password] = [role, "x"];
    const store = await openPostgres({ url: at.href, schema, retryForMs: 400 });
    // However long a busy machine takes to connect.
    const patient = await openPostgres({ url: at.href, schema, retryForMs: 60_000 });
    await set("SET default_transaction_read_only = on");
    await end();
    expect(await faultOf(store.logs.append("log", ["one"], 0))).toMatch(/^trp\/store-readonly/);
    const writing = patient.logs.append("log", ["one"], 0);
    await set("RESET default_transaction_read_only");
    expect(await writing).toBe(true);
    await set("SET synchronous_commit = off");
    await end();
    expect(await faultOf(store.ping())).toMatch(/^trp\/store-open: .*synchronous_commit is off/);
    await set("RESET ALL");
    await patient.ping();
    await Promise.all([store.close(), patient.close()]);
    await query((client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  });

  /** Backends of this schema's stores that wait for a lock. */
  const blocked = (): Promise<number[]> =>
    query(async (client) => {
      const sql = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
      return (await client.query(sql)).rows.map(({ pid }) => Number(pid));
    });
  /** Resolves when so many wait, others than these. */
  async function waiting(count: number, others: readonly number[] = []): Promise<void> {
    for (;;) {
      const pids = (await blocked()).filter((pid) => !others.includes(pid));
      if (pids.length >= count) return;
    }
  }
});
