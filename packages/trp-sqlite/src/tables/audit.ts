import { type AuditEntry, type AuditRow, type AuditStore, entryText } from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";

/** The audit log in SQLite. Nothing takes rows out of it. */
export function sqliteAudit(commits: GroupCommit): AuditStore {
  return {
    async append(entries) {
      const texts = entries.map(entryText);
      return commits.write((tx) => tx.audit(texts));
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
  };
}
