import type { IndexStep } from "./migrations.ts";
import type { Client } from "./pool.ts";

/** Returns the statements of a step. `concurrently`: others read and write meanwhile; then each is on its own, outside of transactions. */
export function indexStatements({ makes, drops }: IndexStep, concurrently: boolean): string[] {
  const [how, ifMissing, ifThere] = concurrently ? ["CONCURRENTLY ", "IF NOT EXISTS ", "IF EXISTS "] : ["", "", ""];
  return [
    ...Object.entries(makes).map(([name, on]) => `CREATE INDEX ${how}${ifMissing}${name} ON ${on};`),
    ...drops.map((name) => `DROP INDEX ${how}${ifThere}@${name};`),
  ];
}

/**
 * Does a step while others read and write. Killed anywhere, the next one goes on. `alone` holds the lock of who migrates, so that no other
 * process does the same; `client` is in no transaction. `named` gives tables and indexes their schema.
 */
export async function changeIndexes(
  alone: Client,
  client: Client,
  step: IndexStep,
  named: (sql: string) => string,
): Promise<void> {
  for (const [name, on] of Object.entries(step.makes)) {
    const [table] = on.split(" ");
    // For a process that was killed the server may still be at work on it: then it holds this lock.
    await client.query(named(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE; COMMIT`));
    // Without parameters: with them its snapshot would stay, and CREATE INDEX CONCURRENTLY waits for each one that is older.
    const sql = `SELECT FROM pg_index WHERE indexrelid = to_regclass('@${name}') AND NOT indisvalid`;
    const { rowCount } = await alone.query(named(sql));
    if (rowCount !== 0) await client.query(named(`DROP INDEX CONCURRENTLY IF EXISTS @${name}`));
  }
  for (const statement of indexStatements(step, true)) await client.query(named(statement));
}
