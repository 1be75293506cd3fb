import type { RouterStore } from "@toolglot/trp-core/store";
import { checkOptions, type SqliteOptions } from "./options.ts";
import type { SqliteOperationLog } from "./sqlite-operation-log.ts";
import type { SteppedStore } from "./sqlite-store.ts";
import { operationsBySteps } from "./tables/operation-steps.ts";
import { sessionsBySteps } from "./tables/session-steps.ts";
import { expectingSessions } from "./thread/expecting-sessions.ts";
import { openInThread } from "./thread/store-thread.ts";

/**
 * Opens a router's store in one SQLite file, in a separate thread. Several processes of one machine may share the file.
 * `name` of the store includes the binding: `sqlite (libsql)`. Methods that are called together share one transaction;
 * their promises are fulfilled after its COMMIT.
 *
 * Rejects with `TypeError` for invalid options, and with `ToolglotError`: `trp/store-open` when the file can't be
 * opened or is another database, `trp/store-version` when a newer version of this package wrote it, `trp/store-busy`
 * when other processes held it locked for `lockTimeoutMs`. Methods reject with `trp/store-busy` or `trp/store-failed`,
 * where nothing was written, with `trp/store-damaged`, `trp/store-replaced`, `trp/store-closed`, and with
 * `trp/store-thread`, where the write may have happened or not.
 *
 * @example
 * ```ts
 * const store = await openSqliteStore({ file: "/var/lib/app/router.db" });
 * const router = createRouter({ capabilities, store });
 * await router.close();
 * await store.close();
 * ```
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
 * Opens core's `OperationLog` in a SQLite file. It makes sure that an operation runs once, also after a crash of the
 * process: for example a call in a toolkit's plan. The file has the format of a store, so a router may use it as well.
 * Options and errors are those of {@link openSqliteStore}.
 *
 * @example
 * ```ts
 * const log = await openSqliteOperationLog({ file: "/var/lib/app/plans.db" });
 * ```
 */
export async function openSqliteOperationLog(options: SqliteOptions): Promise<SqliteOperationLog> {
  return await openInThread<SqliteOperationLog>("log", checkOptions(options), options.now);
}
