import type { RouterStore } from "@toolglot/trp-core/store";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { claimRequest } from "../../trp-core/src/store-suite/fixtures.ts";
import { migrate } from "../src/database/migrate.ts";
import { type Migration, migrations } from "../src/database/migrations.ts";
import { Connections } from "../src/database/pool.ts";
import { migratePostgres, openPostgres } from "../src/index.ts";
import { checkOptions } from "../src/options.ts";
import { faultOf, newSchema, query, skip, url, why } from "./stores.ts";

const sql = <T>(text: string): Promise<T[]> => query(async (client) => (await client.query(text)).rows as T[]);
const metaOf = async (schema: string): Promise<Record<string, string>> => {
  const rows = await sql<{ name: string; value: string }>(`SELECT name, value FROM ${schema}.meta`);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
};
const openAndClose = async (options: Parameters<typeof openPostgres>[0]): Promise<void> => {
  await (await openPostgres(options)).close();
};

const known = migrations.length;

/** Brings a schema up to date as another version of the package would. */
async function migrateTo(schema: string, steps: readonly Migration[], statementTimeoutMs = 10_000): Promise<void> {
  const settings = checkOptions({ url, schema, statementTimeoutMs });
  const connections = new Connections(settings);
  try {
    await migrate(connections, settings, steps);
  } finally {
    await connections.close();
  }
}

describe.skipIf(skip)(`the tables of a store on PostgreSQL${why}`, () => {
  it("should be made once, by twenty that open an empty database at the same time", async () => {
    const schema = newSchema();
    await Promise.all(Array.from({ length: 20 }, () => openAndClose({ url, schema, pool: 1 })));
    expect(await metaOf(schema)).toMatchObject({ version: String(known), min_writer: "1" });
  }, 60_000);

  it("should be told without being made, as SQL that makes them", async () => {
    const schema = newSchema();
    expect(await faultOf(openAndClose({ url, schema, migrate: "check" }))).toMatch(
      new RegExp(`^trp/store-version: .*version 0, and ${known} is needed: run migratePostgres`),
    );
    const told = await migratePostgres({ url, schema, dryRun: true });
    expect(told).toMatchObject({ from: 0, to: known });
    expect(await sql(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
    await query(async (client) => {
      for (const statement of told.statements) await client.query(statement);
    });
    await openAndClose({ url, schema, migrate: "check" });
    expect(await migratePostgres({ url, schema })).toEqual({ from: known, to: known, statements: [] });
    await openAndClose({ url, schema, migrate: "off" });
  });

  it("should be used by a version that they are too new for only if they allow it", async () => {
    const schema = newSchema();
    await migratePostgres({ url, schema });
    await sql(`UPDATE ${schema}.meta SET value = '99' WHERE name = 'version'`);
    await openAndClose({ url, schema });
    expect(await migratePostgres({ url, schema })).toEqual({ from: 99, to: 99, statements: [] });
    await sql(`UPDATE ${schema}.meta SET value = '99' WHERE name = 'min_writer'`);
    const before = await metaOf(schema);
    for (const act of [openAndClose, migratePostgres]) {
      expect(await faultOf(act({ url, schema }))).toMatch(/^trp\/store-version: .*needs a newer @toolglot\/postgres/);
    }
    expect(await metaOf(schema)).toEqual(before);
  });

  it("should be brought up to date by the next one when a step is killed in the middle", async () => {
    const schema = newSchema();
    await migratePostgres({ url, schema });
    const slow = { sql: "CREATE TABLE @more (a int); SELECT pg_sleep(0.5);", keepsWriters: false };
    const migrating = migrateTo(schema, [...migrations, slow]);
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%CREATE TABLE "${schema}".more%'`;
    while ((await sql(kill)).length === 0) {}
    await migrating;
    expect(await metaOf(schema)).toMatchObject({ version: `${known + 1}`, min_writer: `${known + 1}` });
    expect(await sql(`SELECT * FROM ${schema}.more`)).toEqual([]);
    // This version does not know these tables.
    expect(await faultOf(openAndClose({ url, schema }))).toMatch(/^trp\/store-version/);
  });

  it("should say which right is missing", async () => {
    const schema = newSchema();
    await sql(`CREATE ROLE ${schema} LOGIN PASSWORD 'x'`);
    const at = new URL(url);
    [at.username, at.password] = [schema, "x"];
    const cure = /^trp\/store-open: .*lacks a right in the schema .*permission denied.*grant the rights in the README/;
    expect(await faultOf(openAndClose({ url: at.href, schema }))).toMatch(cure);
    await migratePostgres({ url, schema });
    expect(await faultOf(openAndClose({ url: at.href, schema }))).toMatch(cure);
    expect(await faultOf(migratePostgres({ url: at.href, schema }))).toMatch(cure);
    await sql(`DROP ROLE ${schema}`);
  });

  describe("whose indexes are made while others write", () => {
    const indexes = (schema: string): Promise<{ name: string; oid: number; valid: boolean }[]> =>
      sql(`SELECT relname AS name, indexrelid::int AS oid, indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid
        WHERE indrelid = '${schema}.operations'::regclass ORDER BY relname`);
    const names = [
      "operations_by_fence",
      "operations_by_lease",
      "operations_due",
      "operations_in_doubt",
      "operations_open",
    ];
    const done = [...names, "operations_pkey"].map((name) => ({ name, valid: true }));

    /** Tables of version 1, whose next step waits until `leave` was called. */
    async function begun() {
      const schema = newSchema();
      await migrateTo(schema, migrations.slice(0, 1));
      const holder = new Client({ connectionString: url });
      await holder.connect();
      await holder.query(`BEGIN; LOCK TABLE ${schema}.operations IN ROW EXCLUSIVE MODE`);
      const old = await openPostgres({ url, schema, migrate: "off", lockTimeoutMs: 1 });
      const write = async (key: string): Promise<void> => {
        expect((await old.operations.start(claimRequest({ key }), {})).status).toBe("claimed");
      };
      const sees = async (which: string): Promise<void> => {
        while (
          (await indexes(schema)).find(({ name, valid }) => name === "operations_by_lease" && !valid) === undefined
        ) {}
        await write(which);
      };
      const end = async (...all: Promise<unknown>[]): Promise<void> => {
        await holder.end();
        await Promise.all(all);
        await old.close();
        expect(await indexes(schema)).toMatchObject(done);
        expect(await metaOf(schema)).toMatchObject({ version: String(known), min_writer: "1" });
      };
      /** Ends the backends whose last statement is like this. */
      const kill = (statement: string) =>
        sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '${statement}'`,
        );
      return { schema, sees, end, kill };
    }

    it("should be so by two that start at once", async () => {
      const { schema, sees, end } = await begun();
      const both = [migrateTo(schema, migrations, 3_000), openAndClose({ url, schema })];
      await sees("meanwhile");
      // Whoever began it keeps at it for longer than a transaction may be idle.
      const alone = () => sql(`SELECT pid FROM pg_locks WHERE relation = '${schema}.migrating'::regclass AND granted`);
      const before = await alone();
      await new Promise((resolve) => setTimeout(resolve, 3_900));
      expect(await alone()).toEqual(before);
      await end(...both);
    });

    it("should lose an index that a kill left behind, and get it", async () => {
      const { schema, sees, end, kill } = await begun();
      const migrating = migrateTo(schema, migrations);
      await sees("before");
      const [cut] = await indexes(schema).then((all) => all.filter(({ valid }) => !valid));
      expect(await kill(`CREATE INDEX % ON "${schema}".operations%`)).toHaveLength(1);
      await end(migrating);
      expect((await indexes(schema)).map(({ oid }) => oid)).not.toContain(cut?.oid);
    });

    it("should not be made twice when who began it is gone, and the server goes on", async () => {
      const { schema, sees, end, kill } = await begun();
      const first = migrateTo(schema, migrations);
      await sees("before");
      const [made] = await indexes(schema).then((all) => all.filter(({ valid }) => !valid));
      // The lock of who migrates is free; the statement runs.
      expect(await kill("SELECT FROM pg_index WHERE indexrelid%")).toHaveLength(1);
      const second = openAndClose({ url, schema });
      while (
        (
          await sql(`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE "${schema}".operations IN SHARE%'
        AND wait_event_type = 'Lock'`)
        ).length === 0
      ) {}
      await end(first, second);
      expect(await indexes(schema)).toContainEqual({ ...made, valid: true });
    });

    it("should be told as statements that a person can run", async () => {
      const schema = newSchema();
      await migrateTo(schema, migrations.slice(0, 1));
      const { from, statements } = await migratePostgres({ url, schema, dryRun: true });
      expect([from, statements.filter((each) => each.includes("CONCURRENTLY")).length]).toEqual([1, 3]);
      for (const statement of statements) await sql(statement);
      expect(await indexes(schema)).toMatchObject(done);
      await openAndClose({ url, schema, migrate: "check" });
    });
  });

  it("should be upgraded under load, and refuse nothing of either version", async () => {
    const schema = newSchema();
    await migrateTo(schema, migrations.slice(0, 1));
    const old = await openPostgres({ url, schema, migrate: "off" });
    let isOver = false;
    let calls = 0;
    const load = async (store: RouterStore, name: string): Promise<void> => {
      for (let n = 0; !isOver || n < 5; n += 1) {
        const key = `${name} ${n}`;
        const begun = await store.operations.start(claimRequest({ key }), { effectId: name });
        if (begun.status !== "claimed") throw new Error(`${key} is ${begun.status}`);
        expect(await store.operations.finish(begun.claim, { state: "done", outcome: n })).toBe(true);
        calls += 1;
      }
    };
    const before = load(old, "before");
    const more = "ALTER TABLE @operations ADD COLUMN later text; CREATE INDEX operations_later ON @operations (later);";
    await migrateTo(schema, [...migrations, { sql: more, keepsWriters: true }]);
    // A process of the old version that starts now works on the new tables.
    const other = await openPostgres({ url, schema });
    const after = load(other, "after");
    isOver = true;
    await Promise.all([before, after]);
    expect(await metaOf(schema)).toMatchObject({ version: `${known + 1}`, min_writer: "1" });
    expect(await old.operations.list({ states: ["done"], limit: 1e6 })).toHaveLength(calls);
    await Promise.all([old.close(), other.close()]);
  });
});
