import type { RouterStore } from "@toolglot/trp-core/store";
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
async function migrateTo(schema: string, steps: readonly Migration[]): Promise<void> {
  const connections = new Connections(checkOptions({ url, schema }));
  try {
    await migrate(connections, { schema, migrate: "auto" }, steps);
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
