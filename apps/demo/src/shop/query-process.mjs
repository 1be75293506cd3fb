// @ts-check
// The process that computes queries. A query cannot be trusted to end, and the engine's threads cannot be trusted to stop
// when they are interrupted: whoever asks kills the whole process instead.
import Database from "libsql/promise";

/** No query may make the engine hold more, in bytes. */
const memoryLimit = 256 * 1024 * 1024;

// Nobody is left to kill it.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", async (/** @type {import("./query-processes.ts").Question} */ question) => {
  const answer = await answerTo(question).catch((/** @type {unknown} */ error) => ({
    error: error instanceof Error ? error.message : String(error),
  }));
  process.send?.(answer);
});

/**
 * Each question has a connection of its own: an EXPLAIN stays open in the engine and would hold the lock of what runs next.
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
