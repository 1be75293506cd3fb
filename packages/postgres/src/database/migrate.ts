import { ToolglotError } from "@toolglot/core";
import { errorText, ignoreRejection, sleep } from "@toolglot/internal";
import { busy, isCollision, isGone, isReadOnly, readOnly, sqlStateOf, storeError } from "../errors.ts";
import type { Settings } from "../options.ts";
import { changeIndexes, indexStatements } from "./indexes.ts";
import { type Migration, migrations } from "./migrations.ts";
import { type Client, Connections } from "./pool.ts";

/** For how long the tables are tried to be brought up to date, while others do the same or use them. Milliseconds. */
const tryForMs = 60_000;
/** How long an index may take, and what is waited for meanwhile: large tables, and transactions of others. Milliseconds. */
const indexMs = 24 * 60 * 60 * 1000;

/** Brings the tables up to date, or looks whether they are, as `migrate` of the options says. `steps`: for tests. */
export async function migrate(
  connections: Connections,
  settings: Settings,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  if (settings.migrate === "off") return;
  const begun = performance.now();
  for (let until = connections.deadline(); ; until = Math.max(until, begun + tryForMs)) {
    const client = await connections.take(until);
    try {
      await bringUp(client, settings, steps, connections.database);
      client.release();
      return;
    } catch (error) {
      client.release(true);
      const again = (isCollision(error) || isGone(error)) && !isReadOnly(error);
      if (!again || performance.now() >= begun + tryForMs)
        throw notOpened(error, connections.database, settings.schema);
      await sleep(20 + Math.random() * 180);
    }
  }
}

/** Returns what there is to do, without doing it. */
export async function pendingMigrations(
  connections: Connections,
  { schema }: Pick<Settings, "schema">,
): Promise<{ from: number; to: number; statements: string[] }> {
  const client = await connections.take(connections.deadline());
  try {
    const { version } = await readVersion(client, schema, migrations.length, connections.database);
    const isNew = version === 0;
    const first = isNew ? beginning(schema) : [];
    const steps = migrations.flatMap((one, index) =>
      index < version ? [] : [...(isNew ? [] : concurrent(one, schema)), textOf(one, index + 1, schema, isNew)],
    );
    return { from: version, to: Math.max(version, migrations.length), statements: [...first, ...steps] };
  } catch (error) {
    throw notOpened(error, connections.database, schema);
  } finally {
    client.release(true);
  }
}

async function bringUp(
  client: Client,
  settings: Settings,
  steps: readonly Migration[],
  database: string,
): Promise<void> {
  const { schema } = settings;
  const known = steps.length;
  const { version } = await readVersion(client, schema, known, database);
  if (version >= known) return;
  if (settings.migrate === "check") {
    const text = `The tables of ${database} (schema ${schema}) are of version ${version}, and ${known} is needed: run migratePostgres, or \`toolglot gateway migrate\`.`;
    throw storeError("trp/store-version", text, { database, version, known });
  }
  const { rowCount } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  // One transaction, also through a pooler. IF NOT EXISTS does not keep two apart that create the same thing at the same time.
  const alone = `SELECT pg_advisory_xact_lock(hashtextextended('toolglot ${schema}', 0))`;
  await client.query([alone, ...beginning(schema).slice(rowCount ?? 0)].join(";"));
  const isNew = version === 0;
  for (const [index, migration] of steps.entries()) {
    await client.query("BEGIN; SET LOCAL lock_timeout = 2000");
    await client.query(`LOCK TABLE "${schema}".migrating IN EXCLUSIVE MODE`);
    // Another process may have been quicker.
    const { version } = await readVersion(client, schema, known, database);
    if (version === index) {
      if ("makes" in migration && !isNew) {
        const change = (other: Client) => changeIndexes(client, other, migration, (sql) => named(sql, schema));
        await onPatient(settings, client, change);
      }
      await client.query(textOf(migration, index + 1, schema, isNew)).catch((error: unknown) => {
        // It holds the lock, so nobody of ours has made them.
        throw sqlStateOf(error) === "42P07" ? foreign(error, database, schema) : error;
      });
    }
    await client.query("COMMIT");
  }
}

/** What comes before the first step. The table is never written: its lock lets one process at a time do the steps. */
function beginning(schema: string): string[] {
  return [
    `CREATE SCHEMA IF NOT EXISTS "${schema}"`,
    `CREATE TABLE IF NOT EXISTS "${schema}".migrating (nothing boolean)`,
  ];
}

/**
 * Does something on a connection whose statements may take long: past a pooler, if its address is known. Meanwhile the transaction of
 * `alone` is kept up, which the server ends when this process stops.
 */
async function onPatient(settings: Settings, alone: Client, act: (client: Client) => Promise<void>): Promise<void> {
  const url = settings.listenUrl || settings.url;
  const patience = { pool: 1, statementTimeoutMs: indexMs, lockTimeoutMs: indexMs };
  const connections = new Connections({ ...settings, url, ...patience });
  const beat = setInterval(() => ignoreRejection(alone.query("SELECT 1")), settings.statementTimeoutMs / 3);
  try {
    const client = await connections.take(connections.deadline());
    await act(client).finally(() => client.release(true));
  } finally {
    clearInterval(beat);
    await connections.close();
  }
}

/** The statements of a step that come before its transaction. */
const concurrent = (step: Migration, schema: string): string[] =>
  "makes" in step ? indexStatements(step, true).map((sql) => named(sql, schema)) : [];

/** The SQL of a step's transaction, which notes the version of the tables that it makes. `isNew`: nobody uses them yet. */
function textOf(step: Migration, version: number, schema: string, isNew: boolean): string {
  const notes = [`('version', '${version}')`];
  if (version === 1 || ("sql" in step && !step.keepsWriters)) notes.push(`('min_writer', '${version}')`);
  const note = `INSERT INTO @meta (name, value) VALUES ${notes.join(", ")} ON CONFLICT (name) DO UPDATE SET value = excluded.value;`;
  const before = "sql" in step ? [step.sql.trim(), ""] : isNew ? indexStatements(step, false) : [];
  return named([...before, note, ""].join("\n"), schema);
}

const named = (sql: string, schema: string): string => sql.replace(/@(?=[a-z])/g, `"${schema}".`);

/** Rejects with `trp/store-version` when the tables need a newer writer. */
async function readVersion(
  client: Client,
  schema: string,
  known: number,
  database: string,
): Promise<{ version: number }> {
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS found", [`"${schema}".meta`]);
  if (rows[0]?.found !== true) return { version: 0 };
  const { rows: found } = await client.query(`SELECT name, value FROM "${schema}".meta`);
  const values = new Map(found.map(({ name, value }) => [String(name), Number(value)]));
  const [version = 0, minWriter = 0] = [values.get("version"), values.get("min_writer")];
  if (minWriter > known) {
    const text = `The tables of ${database} are of version ${version}, which needs a newer @toolglot/postgres (it knows ${known}): update the package.`;
    throw storeError("trp/store-version", text, { database, version, known });
  }
  return { version };
}

/** The error for a schema that has tables of something else. */
function foreign(error: unknown, database: string, schema: string): unknown {
  const text = `${database} can't be opened: the schema ${schema} has tables of something else (${errorText(error)}). Give the option schema another name.`;
  return storeError("trp/store-open", text, { database }, error);
}

function notOpened(error: unknown, database: string, schema: string): unknown {
  if (ToolglotError.isInstance(error)) return error;
  if (isReadOnly(error)) return readOnly(database, error);
  if (isCollision(error)) return busy(database, error);
  // A table of ours has all the columns that it is asked for.
  if (sqlStateOf(error) === "42703") return foreign(error, database, schema);
  const why =
    sqlStateOf(error) === "42501"
      ? `the user lacks a right in the schema ${schema}: ${errorText(error)}. Let another user run migratePostgres, and grant the rights in the README.`
      : `${errorText(error)}.`;
  return storeError("trp/store-open", `${database} can't be opened: ${why}`, { database }, error);
}
