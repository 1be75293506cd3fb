import { ToolError } from "@toolglot/core";
import Database from "libsql/promise";
import { checkInstructions, type Instruction, singleStatement } from "./sql-guard.ts";

/** What a query gave. */
export interface QueryResult {
  rows: Record<string, unknown>[];
  /** Rows returned, not counting those cut off. */
  row_count: number;
  /** More rows existed than the limit lets through. */
  truncated: boolean;
}

/** What the demo uses of a prepared statement; the package's own types say `any`. */
interface Statement {
  columns(): { name: string }[];
  all(): Promise<Record<string, unknown>[]>;
}

interface Connection {
  prepare(sql: string): Promise<Statement>;
  exec(sql: string): Promise<void>;
  interrupt(): void;
  close(): void;
}

/** The tables with their columns, for descriptions and error messages. */
export const tableList = [
  "customers(id, name, city, country, tier, joined_on)",
  "products(id, sku, name, name_zh, category, price, stock)",
  "orders(id, customer_id, ordered_on, promised_on, delivered_on, status, total)",
  "order_items(order_id, product_id, quantity, unit_price)",
  "refunds(id, order_id, requested_on, paid_on, reason, amount)",
  "tickets(id, title, body, priority, status, created_at)",
  "notifications(id, channel, message, sent_at)",
].join("; ");

/** A query may compute this long, in milliseconds. */
const timeLimitMs = 5000;
/** A query that was stopped is interrupted for so long after its promise has settled, in milliseconds. */
const lingerMs = 500;
/** And give this much, in characters of JSON. */
const sizeLimit = 1_000_000;

/**
 * Runs one SELECT. Whatever the text says, nothing is written and nothing but the file's tables is read: the file is opened
 * with `mode=ro` (the `readonly` option of the engine is without effect), the connection is `query_only`, the compiled
 * statement is checked before it runs, and it runs as a subquery, where only a SELECT can stand.
 */
export async function queryReadOnly(
  path: string,
  sql: string,
  options: { limit: number; signal?: AbortSignal; timeoutMs?: number },
): Promise<QueryResult> {
  const { limit, signal, timeoutMs = timeLimitMs } = options;
  const statement = singleStatement(sql);
  signal?.throwIfAborted();
  const stopper = new AbortController();
  const cancel = (): void => stopper.abort();
  signal?.addEventListener("abort", cancel, { once: true });
  const timer = setTimeout(cancel, timeoutMs);
  try {
    // A connection of its own: an EXPLAIN stays open in the engine and would hold the lock of what runs after it.
    const instructions = await connected(path, stopper.signal, async (db) =>
      (await db.prepare(`EXPLAIN ${statement}`)).all(),
    );
    checkInstructions(instructions as unknown as Instruction[]);
    return await connected(path, stopper.signal, (db) => runStatement(db, statement, limit));
  } catch (error) {
    signal?.throwIfAborted();
    if (stopper.signal.aborted) {
      throw new ToolError("The query took too long. Filter or group more, and avoid joins without a condition.");
    }
    throw explained(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Opens the file for reading, and interrupts the engine when the signal says so. */
async function connected<Value>(
  path: string,
  signal: AbortSignal,
  work: (db: Connection) => Promise<Value>,
): Promise<Value> {
  const name = encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23");
  signal.throwIfAborted();
  const db = new Database(`file:${name}?mode=ro`, {}) as Connection;
  let again: ReturnType<typeof setInterval> | undefined;
  // An interrupt between two statements is lost on the second: it is said until nothing runs any more.
  const stop = (): void => {
    db.interrupt();
    again = setInterval(() => db.interrupt(), 20);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    await db.exec("PRAGMA query_only = ON");
    return await work(db);
  } finally {
    signal.removeEventListener("abort", stop);
    // What was told to stop may still be at work in the engine's thread, although its promise is settled.
    if (again === undefined) db.close();
    else setTimeout(() => [clearInterval(again), db.close()], lingerMs);
  }
}

async function runStatement(db: Connection, statement: string, limit: number): Promise<QueryResult> {
  const columns = (await db.prepare(statement)).columns().map(({ name }) => name);
  requireDistinct(columns);
  const aliases = columns.map((_, index) => `c${index}`).join(", ");
  // One row of JSON: all work happens in the engine's thread, where it can be interrupted.
  const wrapped = await db.prepare(
    `WITH q(${aliases}) AS (\n${statement}\n), j(json) AS (
      SELECT json_group_array(json_array(${aliases})) FROM (SELECT * FROM q LIMIT ${limit + 1})
    ) SELECT iif(length(json) > ${sizeLimit}, NULL, json) AS json FROM j`,
  );
  const json = (await wrapped.all())[0]?.json;
  if (typeof json !== "string") throw new ToolError("The result is too large: select fewer columns or rows.");
  const values = JSON.parse(json) as unknown[][];
  const rows = values
    .slice(0, limit)
    .map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])));
  return { rows, row_count: rows.length, truncated: values.length > limit };
}

function requireDistinct(columns: readonly string[]): void {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) throw new ToolError(`Two columns are called "${twice}": give each its own name with AS.`);
}

/** The engine's errors, with what helps a model to write the next query. */
function explained(error: unknown): unknown {
  if (ToolError.isInstance(error) || !(error instanceof Error)) return error;
  const hint = /no such (?:table|column)/.test(error.message) ? ` Tables: ${tableList}.` : "";
  return new ToolError(`SQL error: ${error.message}.${hint}`, { cause: error });
}
