import type { OperationLog } from "@toolglot/core";
import { openFile, type SqliteOptions } from "./open.ts";
import { prune } from "./prune.ts";
import { sqliteOperations } from "./tables/operations.ts";

/** Core's operation log on a file, without a router. */
export interface SqliteOperationLog extends OperationLog {
  /** For people: `sqlite (libsql)`. */
  readonly name: string;
  readonly durability: "process" | "disk";
  /** Drops what is past its time. */
  prune(): Promise<void>;
  /** Finishes what was asked for and closes the file; later calls reject with `trp/store-closed`. */
  close(): Promise<void>;
}

/**
 * Opens core's `OperationLog` in a SQLite file: "do this once" that outlives the process, for a toolkit's plans or
 * for anything else. The file is a store's: a router may use it as well. Options and errors are those of
 * {@link openSqliteStore}.
 */
export async function openSqliteOperationLog(options: SqliteOptions): Promise<SqliteOperationLog> {
  const { name, durability, commits } = await openFile(options);
  const { claim, renew, begin, finish, doubt, read } = sqliteOperations(commits, durability);
  return {
    ...{ name, durability, claim, renew, begin, finish, doubt, read },
    prune: () => prune(commits),
    close: () => commits.close(),
  };
}
