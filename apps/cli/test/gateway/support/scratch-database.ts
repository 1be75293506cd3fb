import { Client } from "pg";
import { onTestFinished } from "vitest";
import { postgresForTests } from "../../../../../scripts/lib/postgres.mjs";

const { url, skip } = await postgresForTests();

/** Why there is no PostgreSQL here. */
export { skip as noPostgres };

let count = 0;

/** Makes a database for one test. Returns its address. */
export async function scratchDatabase(): Promise<string> {
  const name = `toolglot_cli_${process.pid}_${++count}`;
  await ask(url, `CREATE DATABASE ${name}`);
  onTestFinished(() => ask(url, `DROP DATABASE ${name} WITH (FORCE)`).then(() => {}));
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** Runs one statement. */
export async function ask(address: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
