// @ts-check
// The process that computes queries. A query cannot be trusted to end, and the engine's threads cannot be trusted to stop
// when they are interrupted: the parent kills the whole process instead.
import Database from "libsql/promise";

/** No query may make the engine hold more, in bytes. */
const memoryLimit = 256 * 1024 * 1024;

/** How often is looked how long a query has computed, in milliseconds. */
const lookEveryMs = 50;

// Nobody is left to kill it.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", async (/** @type {import("./query-processes.ts").Question} */ question) => {
  const stopLooking = endAfter(question.processorMs);
  const answer = await answerTo(question).catch((/** @type {unknown} */ error) => ({
    error: error instanceof Error ? error.message : String(error),
  }));
  stopLooking();
  process.send?.(answer);
});

/**
 * Reports that the query took too long, and ends, once this process has computed for that many milliseconds from now on. The engine computes
 * in other threads, so this thread has time to check. Time that a busy machine takes away from a query does not count.
 * @param {number} processorMs
 */
function endAfter(processorMs) {
  const before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 < processorMs) return;
    clearInterval(timer);
    process.send?.({ tooLong: true }, () => process.kill(process.pid, "SIGKILL"));
  }, lookEveryMs);
  return () => clearInterval(timer);
}

/**
 * Each query has its own connection: an EXPLAIN stays open in the engine and would hold the lock of the next query.
 * @param {import("./query-processes.ts").Question} question
 * @returns {Promise<import("./query-processes.ts").Answer>}
 */
async function answerTo({ path, sql, only }) {
  const name = encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23");
  const db = new Database(`file:${name}?mode=ro`, {});
  try {
    await db.exec("PRAGMA query_only = ON");
    await db.exec(`PRAGMA hard_heap_limit = ${memoryLimit}`);
    const statement = await db.prepare(sql);
    if (only === "rows") return { rows: await statement.all() };
    return { columns: statement.columns().map((/** @type {{ name: string }} */ column) => column.name) };
  } finally {
    db.close();
  }
}
