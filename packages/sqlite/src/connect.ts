import { errorText } from "@toolglot/internal";
import { backoff } from "./backoff.ts";
import { isBusy, isCorrupt, isNoDatabase } from "./driver.ts";
import type { Connection, Driver } from "./drivers/types.ts";
import { storeError } from "./errors.ts";
import { applicationId, migrations } from "./migrations.ts";
import { openFault } from "./store-file.ts";

export type Synchronous = "full" | "normal";

/** How long SQLite itself may wait for a lock, blocking the process. Everything beyond is waited for asynchronously. */
const busyTimeoutMs = 5;

/**
 * Of a new file, in bytes. A keyed call leaves about 4 KB in rows of up to 2 KB, which go into pages twice as long as
 * SQLite's default with less left over, and less to split: a sixth less CPU for a commit of many calls.
 */
const pageSize = 8192;

/**
 * Opens the file, with every setting checked as really set, and brings its tables up to date. Several processes may do
 * so at once: who comes second waits, up to `lockTimeoutMs`.
 */
export async function connect(
  driver: Driver,
  file: string,
  options: { synchronous: Synchronous; lockTimeoutMs: number },
): Promise<Connection> {
  const until = performance.now() + options.lockTimeoutMs;
  for (let attempt = 0; ; attempt++) {
    let connection: Connection | undefined;
    try {
      connection = driver.open(file);
      configure(connection, options.synchronous, file);
      migrate(connection, file);
      checkPages(connection, file);
      return connection;
    } catch (error) {
      closeQuietly(connection);
      if (!isBusy(error)) throw asOpenError(error, file);
      if (performance.now() >= until) {
        const data = { file, waitedMs: options.lockTimeoutMs };
        throw storeError("trp/store-busy", `${file} is locked by another process.`, data, error);
      }
      await backoff(attempt);
    }
  }
}

function configure(connection: Connection, synchronous: Synchronous, file: string): void {
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // This check comes before the first write, so that a foreign database stays unchanged.
  checkIsStore(connection, file);
  // Has no effect on a file that has tables already.
  connection.exec(`PRAGMA page_size = ${pageSize}`);
  const wanted = {
    journal_mode: { set: "WAL", is: "wal" },
    synchronous: { set: synchronous.toUpperCase(), is: synchronous === "full" ? 2 : 1 },
    foreign_keys: { set: "ON", is: 1 },
  };
  for (const [name, { set, is }] of Object.entries(wanted)) {
    if (pragma(connection, name) !== is) connection.prepare(`PRAGMA ${name} = ${set}`).all([]);
    const found = pragma(connection, name);
    if (found === is) continue;
    const text = `${file} can't be used: ${name} stays ${String(found)} where it must be ${set}.`;
    throw storeError("trp/store-open", text, { file });
  }
}

function checkIsStore(connection: Connection, file: string): void {
  const version = Number(pragma(connection, "user_version"));
  const empty = connection.prepare("SELECT count(*) AS n FROM sqlite_schema").get([])?.n === 0;
  if (!empty && pragma(connection, "application_id") !== applicationId) {
    throw storeError("trp/store-open", `${file} is a database, but no store of toolglot.`, { file });
  }
  if (version <= migrations.length) return;
  throw storeError(
    "trp/store-version",
    `${file} was written by a newer version of @toolglot/sqlite (tables ${version}, known ${migrations.length}): update the package.`,
    { file, version, known: migrations.length },
  );
}

function migrate(connection: Connection, file: string): void {
  if (pragma(connection, "user_version") === migrations.length) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have been quicker.
    checkIsStore(connection, file);
    const version = Number(pragma(connection, "user_version"));
    for (const step of migrations.slice(version)) connection.exec(step);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
    connection.exec("COMMIT");
  } catch (error) {
    connection.exec("ROLLBACK");
    throw error;
  }
}

/** Checks the file for damage, so that it is found when the store opens and not later by some call. */
function checkPages(connection: Connection, file: string): void {
  const rows = connection.prepare("PRAGMA quick_check").all([]);
  // A row may hold many lines, the first of which only names the database.
  const lines = rows.flatMap(({ quick_check: text }) => String(text).split("\n"));
  const problems = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("***"));
  const [first = "ok"] = problems;
  if (first === "ok") return;
  const more = problems.length > 1 ? `, the first of ${problems.length} problems` : "";
  const text = `${file} is damaged: ${first}${more}. Restore it from a backup.`;
  throw storeError("trp/store-corrupt", text, { file, problems });
}

function pragma(connection: Connection, name: string): unknown {
  return connection.prepare(`PRAGMA ${name}`).get([])?.[name];
}

function asOpenError(error: unknown, file: string): unknown {
  if (error instanceof TypeError || (error as { code?: unknown })?.code?.toString().startsWith("trp/")) return error;
  if (isCorrupt(error) && !isNoDatabase(error)) {
    return storeError(
      "trp/store-corrupt",
      `${file} is damaged: ${errorText(error)}. Restore it from a backup.`,
      { file },
      error,
    );
  }
  const why = isNoDatabase(error) ? "it is no SQLite database." : (openFault(file) ?? `${errorText(error)}.`);
  return storeError("trp/store-open", `${file} can't be opened: ${why}`, { file }, error);
}

function closeQuietly(connection: Connection | undefined): void {
  try {
    connection?.close();
  } catch {
    // What matters is why it is closed.
  }
}
