import { sleep } from "@toolglot/internal";
import { isCollision, isGone, sqlStateOf, storeError } from "../errors.ts";
import type { Settings } from "../options.ts";
import { type Migration, migrations } from "./migrations.ts";
import type { Client, Connections } from "./pool.ts";

/** The version of the tables, and the oldest version of this package that may write to them. */
interface Version {
  version: number;
  minWriter: number;
}

/** For how long the tables are tried to be brought up to date, while others do the same or use them. Milliseconds. */
const tryForMs = 60_000;
/** What two processes that make the same thing at once get: duplicate key, schema, table, and a row that changed. */
const races = new Set(["23505", "42P06", "42P07", "XX000"]);

/** Brings the tables up to date, or looks whether they are, as `migrate` of the options says. Returns the version that they had. */
export async function migrate(connections: Connections, { schema, migrate: how }: Settings): Promise<number> {
  if (how === "off") return migrations.length;
  const until = performance.now() + tryForMs;
  for (;;) {
    const client = await connections.take(Math.max(connections.deadline(), until));
    try {
      const from = await step(client, schema, how, connections.database);
      client.release();
      return from;
    } catch (error) {
      client.release(true);
      const again = isCollision(error) || isGone(error) || races.has(sqlStateOf(error) ?? "");
      if (!again || performance.now() >= until) throw opened(error, connections.database, schema);
      await sleep(20 + Math.random() * 180);
    }
  }
}

/** Returns what there is to do, without doing it. */
export async function pendingMigrations(
  connections: Connections,
  { schema }: Settings,
): Promise<{ from: number; to: number; statements: string[] }> {
  const client = await connections.take(connections.deadline());
  try {
    const { version } = await readVersion(client, schema);
    const first = version === 0 ? beginning(schema) : [];
    const steps = migrations.slice(version).map((one) => textOf(one, schema));
    return { from: version, to: Math.max(version, migrations.length), statements: [...first, ...steps] };
  } finally {
    client.release(true);
  }
}

async function step(client: Client, schema: string, how: "auto" | "check", database: string): Promise<number> {
  const known = migrations.length;
  const found = await readVersion(client, schema);
  if (found.minWriter > known) {
    const text = `The tables of ${database} are of version ${found.version}, which needs a newer @toolglot/postgres (it knows ${known}): update the package.`;
    throw storeError("trp/store-version", text, { database, version: found.version, known });
  }
  if (found.version >= known) return found.version;
  if (how === "check") {
    const text = `The tables of ${database} (schema ${schema}) are of version ${found.version}, and ${known} is needed: run migratePostgres, or \`toolglot gateway migrate\`.`;
    throw storeError("trp/store-version", text, { database, version: found.version, known });
  }
  const [createSchema, createLock] = beginning(schema) as [string, string];
  const isThere = (await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).rows.length > 0;
  if (!isThere) await client.query(createSchema);
  await client.query(createLock);
  for (const [index, migration] of migrations.entries()) {
    await client.query("BEGIN; SET LOCAL lock_timeout = 2000");
    await client.query(`LOCK TABLE "${schema}".migrating IN EXCLUSIVE MODE`);
    // Another process may have been quicker.
    const { version, minWriter } = await readVersion(client, schema);
    if (version === index) {
      await client.query(textOf(migration, schema));
      const writer = migration.keepsWriters && version > 0 ? minWriter : index + 1;
      const write = `INSERT INTO "${schema}".meta VALUES ('version', $1), ('min_writer', $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
      await client.query(write, [String(index + 1), String(writer)]);
    }
    await client.query("COMMIT");
  }
  return found.version;
}

/** What comes before the first step. The table is never written: its lock lets one process at a time do the steps. */
function beginning(schema: string): string[] {
  return [
    `CREATE SCHEMA IF NOT EXISTS "${schema}"`,
    `CREATE TABLE IF NOT EXISTS "${schema}".migrating (nothing boolean)`,
  ];
}

function textOf({ sql }: Migration, schema: string): string {
  return sql.replace(/@(?=[a-z])/g, `"${schema}".`);
}

async function readVersion(client: Client, schema: string): Promise<Version> {
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS found", [`"${schema}".meta`]);
  if (rows[0]?.found !== true) return { version: 0, minWriter: 0 };
  const { rows: found } = await client.query(`SELECT name, value FROM "${schema}".meta`);
  const values = new Map(found.map(({ name, value }) => [String(name), Number(value)]));
  return { version: values.get("version") ?? 0, minWriter: values.get("min_writer") ?? 0 };
}

/** A right that is missing is a matter of the address or of the database. */
function opened(error: unknown, database: string, schema: string): unknown {
  if (sqlStateOf(error) !== "42501") return error;
  const text = `${database} can't be opened: the user may not make the tables in the schema ${schema}. Let another user run migratePostgres, and grant the rights in the README.`;
  return storeError("trp/store-open", text, { database }, error);
}
