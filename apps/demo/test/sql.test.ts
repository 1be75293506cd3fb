import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "@toolglot/core";
import { isLong } from "@toolglot/internal/testing";
import Database from "libsql";
import { expect, it, onTestFinished } from "vitest";
import { queryReadOnly } from "../src/shop/read-only-sql.ts";
import { singleStatement } from "../src/shop/sql-guard.ts";
import { freshStore } from "./support/store.ts";

async function failure(sql: string, path: string): Promise<string> {
  try {
    await queryReadOnly(path, sql, { limit: 10 });
  } catch (error) {
    expect(ToolError.isInstance(error)).toBe(true);
    return (error as Error).message;
  }
  return "no error";
}

it.each([
  ["SELECT COUNT(*) AS n FROM products", [{ n: 18 }]],
  ["select sku from products where stock < 9 order by sku;", [{ sku: "BPK-650" }, { sku: "CLO-044" }]],
  [
    "WITH cheap AS (SELECT sku, price FROM products WHERE price < 190) SELECT * FROM cheap ORDER BY price",
    [
      { sku: "LGT-710", price: 159 },
      { sku: "LGT-120", price: 189 },
    ],
  ],
  ["-- a comment; with a semicolon\nSELECT 'a;b' AS text, NULL AS none -- end", [{ text: "a;b", none: null }]],
  ["SELECT name_zh FROM products WHERE sku = 'TNT-200'", [{ name_zh: "山脊双人帐篷" }]],
  [
    "SELECT category, COUNT(DISTINCT sku) AS n FROM products GROUP BY category HAVING n > 2 ORDER BY category LIMIT 2",
    [
      { category: "backpacks", n: 3 },
      { category: "clothing", n: 3 },
    ],
  ],
  [
    "SELECT upper(substr(name, 1, 3)) AS s, round(price / 7, 2) AS p FROM products WHERE id = 1",
    [{ s: "RID", p: 185.57 }],
  ],
  ["SELECT sku, rank() OVER (ORDER BY price DESC) AS r FROM products ORDER BY r LIMIT 1", [{ sku: "TNT-410", r: 1 }]],
  ["VALUES (1), (2)", [{ column1: 1 }, { column1: 2 }]],
])("should run %s", async (sql, rows) => {
  expect(await queryReadOnly(freshStore().database, sql, { limit: 10 })).toEqual({
    rows,
    row_count: rows.length,
    truncated: false,
  });
});

it("should cut at the limit and say so", async () => {
  const result = await queryReadOnly(freshStore().database, "SELECT id FROM orders ORDER BY id", { limit: 3 });
  expect(result).toEqual({ rows: [{ id: 1001 }, { id: 1002 }, { id: 1003 }], row_count: 3, truncated: true });
});

it.each([
  ["DELETE FROM orders", /only reads/],
  ["INSERT INTO tickets (title) VALUES ('x')", /only reads/],
  ["PRAGMA query_only = OFF", /only reads/],
  ["ATTACH '/tmp/x.db' AS x", /only reads/],
  ["VACUUM INTO '/tmp/x.db'", /only reads/],
  ["EXPLAIN SELECT 1", /only reads/],
  ["WITH x AS (SELECT 1) DELETE FROM orders", /Only SELECT/],
  ["WITH x AS (SELECT 1) INSERT INTO tickets SELECT * FROM tickets", /Only SELECT/],
  ["WITH x AS (SELECT 1) UPDATE orders SET total = 0 RETURNING *", /Only SELECT/],
  ["SELECT 1; DELETE FROM orders", /One statement/],
  ["SELECT 1; SELECT 2", /One statement/],
  ["SELECT 1) UNION SELECT 2 --", /SQL error/],
  ["", /empty/],
  ["-- nothing", /empty/],
  ["SELECT * FROM orderz", /no such table: orderz.*Tables: customers\(/],
  ["SELECT totl FROM orders", /no such column: totl.*orders\(id, customer_id/],
  ["SELECT o.id, c.id FROM orders o JOIN customers c ON c.id = o.customer_id", /called "id".*AS/],
])("should refuse %s", async (sql, message) => {
  const { database } = freshStore();
  expect(await failure(sql, database)).toMatch(message);
  const { rows } = await queryReadOnly(database, "SELECT COUNT(*) AS n FROM orders", { limit: 1 });
  expect(rows).toEqual([{ n: 140 }]);
});

it.each([
  "SELECT readfile('%FILE%') AS x",
  "SELECT \"readfile\"('%FILE%') AS x",
  "SELECT `ReadFile`('%FILE%') AS x",
  "SELECT 1 AS x WHERE length(readfile('%FILE%')) > 0",
  "SELECT (SELECT max(readfile('%FILE%'))) AS x",
  "WITH a AS (SELECT readfile('%FILE%') AS y) SELECT hex(y) AS x FROM a",
  "SELECT id AS x FROM orders ORDER BY readfile('%FILE%') LIMIT 1",
  "SELECT CASE WHEN 0 THEN readfile('%FILE%') END AS x",
  "SELECT data AS x FROM fsdir('%FOLDER%')",
  "SELECT name AS x FROM fsdir WHERE path = '%FOLDER%'",
  "SELECT writefile('%FOLDER%/made', 'x') AS x",
  "SELECT id AS x FROM orders WHERE writefile('%FOLDER%/made', 'x')",
  "SELECT load_extension('%FOLDER%/x') AS x",
  "SELECT * FROM sqlite_dbpage",
  "SELECT * FROM pragma_query_only",
])("should not reach the host through %s", async (template) => {
  const folder = mkdtempSync(join(tmpdir(), "demo-sql-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "secret");
  writeFileSync(file, "top secret");
  const sql = template.replace("%FILE%", file).replace("%FOLDER%", folder);
  expect(await failure(sql, freshStore().database)).toMatch(/may not be used|Only SELECT|SQL error/);
  expect(readdirSync(folder)).toEqual(["secret"]);
});

const endless = [
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) AS n FROM c",
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c WHERE n = 5 OR n > 1e15",
];

it.each(endless)("should stop a query that does not end: %s", async (sql) => {
  const { database } = freshStore();
  await expect(queryReadOnly(database, sql, { limit: 5, processorMs: 200, waitMs: 100_000 })).rejects.toThrow(
    /too long: it computed for more than 0.2 s/,
  );
  await expect(queryReadOnly(database, sql, { limit: 5, waitMs: 200 })).rejects.toThrow(
    /too long: nothing came within 0.2 s/,
  );
  // Whenever it comes: while a connection is opened, between two statements, in the middle of one.
  for (const ms of isLong ? [100, 0, 1, 2, 4, 8, 16] : [100, 0, 4]) {
    const stopped = new AbortController();
    setTimeout(() => stopped.abort(new Error("cancelled")), ms);
    await expect(queryReadOnly(database, sql, { limit: 5, signal: stopped.signal })).rejects.toThrow("cancelled");
  }
});

function queryProcess(path: string): { child: ChildProcess; ask(sql: string): Promise<unknown> } {
  const program = fileURLToPath(new URL("../src/shop/query-process.mjs", import.meta.url));
  const child = fork(program, [], { execArgv: [] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    ask: (sql) => {
      child.send({ path, sql, only: "rows", processorMs: 1000 });
      return new Promise((resolve) => child.once("message", resolve));
    },
  };
}

it("should not count the time in which a busy machine gave a query nothing", async () => {
  const { child, ask } = queryProcess(freshStore().database);
  await ask("SELECT 1 AS one");
  const counts =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000) SELECT COUNT(*) AS n FROM c";
  const answer = ask(counts);
  child.kill("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 1500));
  child.kill("SIGCONT");
  expect(await answer).toEqual({ rows: [{ n: 300_000 }] });
});

it("should end a query whose own asker is gone, and start another process for the next", async () => {
  const { database } = freshStore();
  const { child, ask } = queryProcess(database);
  const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  await ask("SELECT 1 AS one");
  void ask(endless[0] as string);
  // As when the process that asked has died.
  child.disconnect();
  expect(await ended).toBe("SIGKILL");
  expect((await queryReadOnly(database, "SELECT 1 AS one", { limit: 1 })).rows).toEqual([{ one: 1 }]);
});

it("should not let a query fill the machine's memory", async () => {
  const grows =
    "WITH RECURSIVE c(n) AS (SELECT 'abcdefghij' UNION ALL SELECT n || n FROM c WHERE length(n) < 600000000) SELECT max(length(n)) AS x FROM c";
  expect(await failure(grows, freshStore().database)).toMatch(/SQL error: out of memory/);
});

it("should refuse a result that is too large", async () => {
  const sql =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200) SELECT group_concat(hex(randomblob(4000))) AS x FROM c";
  expect(await failure(sql, freshStore().database)).toMatch(/may not be used|too large/);
  const long =
    "WITH RECURSIVE c(n) AS (SELECT 'abcdefghij' UNION ALL SELECT n || n FROM c WHERE length(n) < 2000000) SELECT n FROM c ORDER BY length(n) DESC";
  expect(await failure(long, freshStore().database)).toMatch(/too large/);
});

it("should open the file for reading only: a locked writer does not matter, and a missing file is not made", async () => {
  const { database } = freshStore();
  const writer = new Database(database);
  writer.exec("BEGIN IMMEDIATE");
  expect((await queryReadOnly(database, "SELECT 1 AS one", { limit: 1 })).rows).toEqual([{ one: 1 }]);
  writer.exec("ROLLBACK");
  writer.close();
  await expect(queryReadOnly(`${database}.missing`, "SELECT 1 AS one", { limit: 1 })).rejects.toThrow();
});

it("should leave no lock behind for those who write", async () => {
  const { database } = freshStore();
  for (const sql of ["SELECT id FROM orders ORDER BY total", "SELECT COUNT(*) AS n FROM orders"]) {
    await queryReadOnly(database, sql, { limit: 2 });
    const writer = new Database(database, { timeout: 50 });
    writer.exec("UPDATE tickets SET priority = 'low' WHERE id = 1");
    writer.close();
  }
});

it("should take off one closing semicolon and keep the rest", () => {
  expect(singleStatement("SELECT 1 ; -- done")).toBe("SELECT 1 ");
  expect(singleStatement('SELECT \';\' AS [a;b], ";" AS "x;y"')).toBe('SELECT \';\' AS [a;b], ";" AS "x;y"');
});
