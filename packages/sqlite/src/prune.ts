import { approvalMemoryMs, checkRetention, type Retention } from "@toolglot/trp-core/store";
import type { GroupCommit } from "./group-commit.ts";
import { pruneApprovals } from "./tables/approvals.ts";
import { pruneAudit } from "./tables/audit.ts";
import { pruneOperations } from "./tables/operation-rows.ts";
import { pruneOutbox } from "./tables/outbox.ts";
import type { Transaction } from "./transaction.ts";

const keepEpochs = 1024;

/** One small part of the work, because other methods wait meanwhile. Returns whether there may be more to drop. */
const pieces: readonly ((tx: Transaction, retention: Retention) => boolean)[] = [
  (tx) => pruneAudit(tx, 200),
  (tx, retention) => pruneOutbox(tx, 200, retention),
  (tx) => pruneOperations(tx, 200),
  (tx) => pruneApprovals(tx, 200),
  (tx) => {
    const sql = "SELECT n FROM sessions WHERE expires_at <= ? LIMIT 4";
    const due = tx.all(sql, tx.now());
    for (const { n } of due) tx.run("DELETE FROM sessions WHERE n = ?", n as number);
    return due.length === 4;
  },
  (tx) => {
    const due = tx.all("SELECT n FROM artifacts WHERE expires_at <= ? LIMIT 20", tx.now());
    for (const { n } of due) tx.run("DELETE FROM artifacts WHERE n = ?", n as number);
    return due.length === 20;
  },
  (tx) => {
    const sql = "DELETE FROM rates WHERE key IN (SELECT key FROM rates WHERE at + filling_ms <= ? LIMIT 200)";
    return tx.change(sql, tx.now()) === 200;
  },
  (tx) => {
    const sql = "DELETE FROM tokens WHERE jti IN (SELECT jti FROM tokens WHERE expires_at <= ? LIMIT 200)";
    return tx.change(sql, tx.now() - approvalMemoryMs) === 200;
  },
  (tx) => {
    tx.run("DELETE FROM epochs WHERE epoch <= (SELECT max(epoch) FROM epochs) - ?", keepEpochs);
    return false;
  },
];

/** Drops expired records in many small transactions. */
export async function prune(commits: GroupCommit, retention?: Retention): Promise<void> {
  const kept = checkRetention(retention);
  for (const piece of pieces) while (await commits.write((tx) => piece(tx, kept))) {}
}
