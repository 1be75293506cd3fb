import { approvalMemoryMs, checkRetention, type Retention } from "@toolglot/trp-core/store";
import type { Database } from "./database/database.ts";
import type { Transaction } from "./database/transaction.ts";
import { pruneApprovals } from "./tables/approvals.ts";
import { pruneAudit } from "./tables/audit.ts";
import { pruneBlobs } from "./tables/blobs.ts";
import { pruneOperations } from "./tables/operation-rows.ts";
import { pruneOutbox } from "./tables/outbox.ts";

const keepEpochs = 1024;

/** One small part of the work, since others wait for its locks. Returns whether there may be more to drop. */
const pieces = (): ((tx: Transaction, retention: Retention) => Promise<boolean>)[] => [
  (tx) => pruneAudit(tx, 1_000),
  (tx, retention) => pruneOutbox(tx, 1_000, retention),
  (tx) => pruneApprovals(tx, 500),
  (tx) => pruneOperations(tx, 500),
  (tx) => pruneSessions(tx, 20),
  (tx) => pruneArtifacts(tx, 20),
  (tx) => pruneBlobs(tx, 50),
  ratesPruner(1_000),
  oldPruner("@tokens", "jti", "expires_at", 1_000),
  oldPruner("@heartbeats", "router", "at", 1_000),
  oldPruner("@commits", "connection", "at", 1_000),
  async (tx) => {
    await tx.change("DELETE FROM @epochs WHERE epoch <= (SELECT max(epoch) FROM @epochs) - $1", keepEpochs);
    return false;
  },
];

/** Rows that are of no use once an approval is forgotten. */
function oldPruner(table: string, key: string, time: string, atOnce: number): (tx: Transaction) => Promise<boolean> {
  const sql = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${time} <= $1 LIMIT $2
    FOR UPDATE SKIP LOCKED)`;
  return async (tx) => (await tx.change(sql, (await tx.now()) - approvalMemoryMs, atOnce)) === atOnce;
}

/** Rates go in the order of their keys: an index by their end would be written anew by each call that is counted. */
function ratesPruner(atOnce: number): (tx: Transaction) => Promise<boolean> {
  let after = "";
  return async (tx) => {
    const sql = "SELECT key FROM @rates WHERE key > $1 ORDER BY key LIMIT $2";
    const keys = (await tx.all(sql, after, atOnce)).map(({ key }) => String(key));
    const last = keys.at(-1);
    if (last === undefined) return false;
    await tx.change("DELETE FROM @rates WHERE key = ANY($1) AND at + filling_ms <= $2", keys, await tx.now());
    after = last;
    return keys.length === atOnce;
  };
}

async function pruneSessions(tx: Transaction, atOnce: number): Promise<boolean> {
  const sql = `SELECT n FROM @sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED`;
  const due = (await tx.all(sql, await tx.now(), atOnce)).map(({ n }) => Number(n));
  if (due.length === 0) return false;
  for (const table of ["@frames", "@calls"]) await tx.change(`DELETE FROM ${table} WHERE session = ANY($1)`, due);
  await tx.change("DELETE FROM @sessions WHERE n = ANY($1)", due);
  return due.length === atOnce;
}

async function pruneArtifacts(tx: Transaction, atOnce: number): Promise<boolean> {
  const sql = `DELETE FROM @artifacts WHERE id IN (SELECT id FROM @artifacts WHERE expires_at <= $1
    ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`;
  const due = (await tx.write(sql, await tx.now(), atOnce)).map(({ id }) => String(id));
  if (due.length > 0) await tx.change("DELETE FROM @artifact_parts WHERE artifact = ANY($1)", due);
  return due.length === atOnce;
}

/** Drops expired records in many small transactions. Several processes may do so at once: each takes what no other has locked. */
export async function prune(database: Database, retention?: Retention): Promise<void> {
  const kept = checkRetention(retention);
  for (const piece of pieces()) {
    while (await database.write((tx) => piece(tx, kept), { isAsync: true })) {}
  }
}
