import type { RouterStore } from "@toolglot/trp-core/store";
import { checkOptions, type SqliteOptions } from "./options.ts";
import type { SqliteOperationLog } from "./sqlite-operation-log.ts";
import type { SteppedStore } from "./sqlite-store.ts";
import { operationsBySteps } from "./tables/operation-steps.ts";
import { sessionsBySteps } from "./tables/session-steps.ts";
import { expectingSessions } from "./thread/expecting-sessions.ts";
import { openInThread } from "./thread/store-thread.ts";

/**
 * Opens a router's store in one SQLite file; several processes of one machine may share it. The name says the binding:
 * `sqlite (libsql)`. Methods that are called together share one transaction; their promises are fulfilled after its
 * COMMIT.
 *
 * Rejects with `TypeError` for options that can't be, and with `ToolglotError`: `trp/store-open` when the file can't be
 * opened or is another database, `trp/store-version` when a newer version of this package wrote it, `trp/store-busy` when
 * other processes held it locked for `lockTimeoutMs`. Methods reject with `trp/store-busy`, `trp/store-failed` (nothing was
 * written, with either), `trp/store-damaged` and `trp/store-closed`.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<RouterStore> {
  const { now } = options;
  const { steps, ...store } = await openInThread<SteppedStore>("store", checkOptions(options), now);
  const clock = now ?? Date.now;
  return {
    ...store,
    sessions: expectingSessions({ ...store.sessions, ...sessionsBySteps(steps) }, clock),
    operations: { ...store.operations, ...operationsBySteps(steps) },
    now: clock,
  };
}

/**
 * Opens core's `OperationLog` in a SQLite file: "do this once" that outlives the process, for a toolkit's plans or
 * for anything else. The file is a store's: a router may use it as well. Options and errors are those of
 * {@link openSqliteStore}.
 */
export async function openSqliteOperationLog(options: SqliteOptions): Promise<SqliteOperationLog> {
  return await openInThread<SqliteOperationLog>("log", checkOptions(options), options.now);
}
