import {
  type AuditCheckpoint,
  type AuditEntry,
  type AuditRow,
  type AuditStore,
  checkCheckpoint,
  follows,
} from "@toolglot/trp-core/store";
import type { Row } from "../drivers/types.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";
import { sameTransactionText, writeSameTransaction } from "./answers.ts";

/** Creates the audit log in SQLite, and its checkpoints. Only {@link pruneAudit} takes rows out of it. */
export function sqliteAudit(commits: GroupCommit): AuditStore {
  return {
    async append(audit, together) {
      const texts = sameTransactionText({ ...together, audit });
      return commits.write((tx) => writeSameTransaction(tx, texts));
    },
    async read({ after = 0, limit } = {}) {
      return commits.read((tx) => {
        const sql = "SELECT n, at, entry, prev_hash, hash FROM audit WHERE n > ? ORDER BY n LIMIT ?";
        return tx.all(sql, after, limit ?? -1).map((row): AuditRow => {
          const index = Number(row.n);
          const entry = tx.parse<AuditEntry>(row.entry, "audit", String(index), () => true);
          return { index, at: Number(row.at), entry, prevHash: String(row.prev_hash), hash: String(row.hash) };
        });
      });
    },
    async head() {
      return commits.read((tx) => {
        const row = tx.get("SELECT n, hash FROM audit ORDER BY n DESC LIMIT 1");
        const checkpoint = newest(tx);
        return {
          ...(row && { row: { index: Number(row.n), hash: String(row.hash) } }),
          ...(checkpoint && { checkpoint }),
        };
      });
    },
    async addCheckpoint(given) {
      const checkpoint = checkCheckpoint(given);
      const { index, hash, from } = checkpoint;
      return commits.write((tx) => {
        const row = tx.get("SELECT hash FROM audit WHERE n = ?", index);
        if (row?.hash !== hash || !follows(checkpoint, newest(tx))) return false;
        const sql = "INSERT OR REPLACE INTO checkpoints (n, first_row, checkpoint) VALUES (?, ?, ?)";
        tx.run(sql, index, from, JSON.stringify(checkpoint));
        return true;
      });
    },
    async checkpoints({ after = 0, limit } = {}) {
      return commits.read((tx) => {
        const sql = "SELECT n, checkpoint FROM checkpoints WHERE n > ? ORDER BY n LIMIT ?";
        return tx.all(sql, after, limit ?? -1).map((row) => checkpointOf(tx, row));
      });
    },
  };
}

/** Drops some of the rows before `from` of the newest checkpoint. Returns whether there may be more to drop. */
export function pruneAudit(tx: Transaction, atOnce: number): boolean {
  const from = Number(tx.get("SELECT first_row FROM checkpoints ORDER BY n DESC LIMIT 1")?.first_row ?? 1);
  const first = Number(tx.get("SELECT n FROM audit ORDER BY n LIMIT 1")?.n ?? from);
  const upTo = Math.min(from, first + atOnce);
  if (first < upTo) tx.run("DELETE FROM audit WHERE n < ?", upTo);
  const old = tx.all("SELECT n FROM checkpoints WHERE n < ? ORDER BY n LIMIT ?", upTo, atOnce);
  const end = old.at(-1)?.n;
  if (end !== undefined) tx.run("DELETE FROM checkpoints WHERE n <= ?", end);
  return upTo < from || old.length === atOnce;
}

function newest(tx: Transaction): AuditCheckpoint | undefined {
  const row = tx.get("SELECT n, checkpoint FROM checkpoints ORDER BY n DESC LIMIT 1");
  return row && checkpointOf(tx, row);
}

function checkpointOf(tx: Transaction, { n, checkpoint }: Row): AuditCheckpoint {
  return tx.parse<AuditCheckpoint>(checkpoint, "checkpoints", String(n), ({ index }) => typeof index === "number");
}
