import { expectingFrames, type RouterStore } from "@toolglot/trp-core/store";
import { checkOptions, type SqliteOptions } from "./options.ts";
import { framesBySteps } from "./tables/frame-steps.ts";
import { listed } from "./tables/names.ts";
import { operationsBySteps } from "./tables/operation-steps.ts";
import { openInThread } from "./thread/store-thread.ts";

/**
 * Opens a storage in one SQLite file, in a separate thread: a `Storage` for agents, sandboxes and toolkits, and the store of
 * routers, in one. Several processes of one machine may share the file. `name` of the store includes the binding:
 * `sqlite (libsql)`. Methods that are called together share one transaction; their promises are fulfilled after its COMMIT.
 *
 * Rejects with `TypeError` for invalid options, and with `ToolglotError`: `trp/store-open` when the file can't be
 * opened or is another database, `trp/store-version` when a newer version of this package wrote it, `trp/store-busy`
 * when other processes held it locked for `lockTimeoutMs`. Methods reject with `trp/store-busy` or `trp/store-failed`,
 * where nothing was written, with `trp/store-damaged`, `trp/store-replaced`, `trp/store-closed`, and with
 * `trp/store-thread`, where the write may have happened or not.
 *
 * @example
 * ```ts
 * const store = await openSqlite({ file: "/var/lib/app/app.db" });
 * const router = createRouter({ capabilities, store });
 * await store.logs.append("app/visits", ["ann"], 0);
 * await router.close();
 * await store.close();
 * ```
 */
export async function openSqlite(options: SqliteOptions): Promise<RouterStore> {
  const { now } = options;
  const { steps, send, ...store } = await openInThread(checkOptions(options), now);
  const clock = now ?? Date.now;
  return {
    ...store,
    sessions: expectingFrames({ ...store.sessions, ...framesBySteps(steps) }, clock, send),
    operations: { ...store.operations, ...operationsBySteps(steps) },
    logs: listed(store.logs),
    blobs: listed(store.blobs),
    now: clock,
  };
}
