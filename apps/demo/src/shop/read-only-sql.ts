import { ToolError } from "@toolglot/core";
import { type Answer, askQueryProcess, type Question } from "./query-processes.ts";
import { checkInstructions, type Instruction, singleStatement } from "./sql-guard.ts";

/** What a query gave. */
export interface QueryResult {
  rows: Record<string, unknown>[];
  /** Rows returned, not counting those cut off. */
  row_count: number;
  /** More rows existed than the limit lets through. */
  truncated: boolean;
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

/** A query may compute this long, in milliseconds of processor time: on a busy machine it takes longer to get as much. */
const processorLimitMs = 5000;
/** And give this much, in characters of JSON. */
const sizeLimit = 1_000_000;

/**
 * Runs one SELECT. Whatever the text says, nothing is written and nothing but the file's tables is read: the file is opened
 * with `mode=ro` (the `readonly` option of the engine is without effect), the connection is `query_only`, the compiled
 * statement is checked before it runs, and it runs as a subquery, where only a SELECT can stand. It is computed in a
 * separate process, which is killed when it has computed for longer than `processorMs` (default 5,000), when nothing has come after `waitMs`
 * (default ten times as long), or when the signal is aborted.
 */
export async function queryReadOnly(
  path: string,
  sql: string,
  options: { limit: number; signal?: AbortSignal; processorMs?: number; waitMs?: number },
): Promise<QueryResult> {
  const { limit, signal, processorMs = processorLimitMs, waitMs = 10 * processorMs } = options;
  const statement = singleStatement(sql);
  signal?.throwIfAborted();
  const stop = AbortSignal.any([AbortSignal.timeout(waitMs), ...(signal === undefined ? [] : [signal])]);
  const compute = async (sql: string, only: Question["only"]): Promise<Answer> => {
    const answer = await askQueryProcess({ path, sql, only, processorMs }, stop);
    if (answer.tooLong) throw tooLong(`it computed for more than ${processorMs / 1000} s`);
    return answer;
  };
  try {
    const explained = await compute(`EXPLAIN ${statement}`, "rows");
    checkInstructions(explained.rows as unknown as Instruction[]);
    return await runStatement(statement, limit, compute);
  } catch (error) {
    signal?.throwIfAborted();
    if (stop.aborted) throw tooLong(`nothing came within ${waitMs / 1000} s`);
    throw explained(error);
  }
}

const tooLong = (why: string): ToolError =>
  new ToolError(`The query took too long: ${why}. Filter or group more, and avoid joins without a condition.`);

async function runStatement(
  statement: string,
  limit: number,
  compute: (sql: string, only: Question["only"]) => Promise<Answer>,
): Promise<QueryResult> {
  const { columns = [] } = await compute(statement, "columns");
  requireDistinct(columns);
  const aliases = columns.map((_, index) => `c${index}`).join(", ");
  // One row of JSON: the engine says itself how much it would be, before anything is sent.
  const wrapped = `WITH q(${aliases}) AS (\n${statement}\n), j(json) AS (
      SELECT json_group_array(json_array(${aliases})) FROM (SELECT * FROM q LIMIT ${limit + 1})
    ) SELECT iif(length(json) > ${sizeLimit}, NULL, json) AS json FROM j`;
  const { rows: found } = await compute(wrapped, "rows");
  const json = found?.[0]?.json;
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
