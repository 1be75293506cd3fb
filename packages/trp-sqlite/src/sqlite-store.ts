import type { RouterStore } from "@toolglot/trp-core/store";
import { openFile, type SqliteOptions } from "./open.ts";
import { prune } from "./prune.ts";
import { sqliteApprovals } from "./tables/approvals.ts";
import { sqliteArtifacts } from "./tables/artifacts.ts";
import { sqliteAudit } from "./tables/audit.ts";
import { sqliteCatalog } from "./tables/catalog.ts";
import { sqliteOperations } from "./tables/operations.ts";
import { sqliteParts } from "./tables/parts.ts";
import { sqliteSessions } from "./tables/sessions.ts";
import type { Transaction } from "./transaction.ts";

function pulse(tx: Transaction): void {
  tx.checkIdentity();
  tx.run("UPDATE counters SET value = value + 1 WHERE name = 'pulse'");
}

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
  const { name, durability, commits, now } = await openFile(options);
  return {
    name,
    durability,
    sessions: sqliteSessions(commits),
    operations: sqliteOperations(commits, durability),
    parts: sqliteParts(commits),
    approvals: sqliteApprovals(commits),
    audit: sqliteAudit(commits),
    artifacts: sqliteArtifacts(commits),
    catalog: sqliteCatalog(commits),
    now,
    ping: () => commits.pulse(pulse),
    prune: () => prune(commits),
    close: () => commits.close(),
  };
}
