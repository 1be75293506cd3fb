import { ToolglotError } from "@toolglot/core";
import { randomHex } from "@toolglot/internal";
import type { RouterStore } from "@toolglot/trp-core/store";
import { Client } from "pg";
import { postgresForTests } from "../../../scripts/lib/postgres.mjs";
import type { PostgresOptions } from "../src/index.ts";
import { openStore } from "../src/open-postgres.ts";

/** The server that the tests share, or why there is none. */
export const { url, skip } = await postgresForTests();
/** What the name of a group of tests ends with. */
export const why: string = skip === undefined ? "" : ` (skipped: ${skip})`;

/** Returns the name of a schema that no other test uses: a process runs several files, and a server outlives a run. */
export function newSchema(): string {
  return `test_${randomHex(8)}`;
}

/** The schema of {@link emptyStore}. */
export const shared: string = newSchema();
let isMade = false;

/** Opens a store that is empty, in a schema that is made once: to make one takes a tenth of a second. For one store at a time. */
export async function emptyStore(options: Partial<PostgresOptions> = {}, isFast = true): Promise<RouterStore> {
  if (isMade) await emptied(shared);
  isMade = true;
  return await openStore({ url, schema: shared, ...options }, isFast);
}

/** Deletes everything in a schema that no store is open on. */
export async function emptied(schema: string): Promise<void> {
  await query(async (client) => {
    const sql = "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('meta', 'heads')";
    const { rows } = await client.query(sql, [schema]);
    const drops = rows.map(({ tablename }) => `DELETE FROM "${schema}".${tablename};`).join("");
    await client.query(`${drops} UPDATE "${schema}".heads SET n = 0, hash = NULL, dropped = 0`);
  });
}

/** Does something on a connection of its own. */
export async function query<T>(act: (client: Client) => Promise<T>, connectionString: string = url): Promise<T> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** The code and the message of what a promise rejects with. */
export async function faultOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return ToolglotError.isInstance(error) ? `${error.code}: ${error.message}` : String(error);
  }
  return "nothing";
}
