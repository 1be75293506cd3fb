import type { JsonObject } from "@toolglot/core";
import { columnText } from "@toolglot/internal";
import type { CatalogStore } from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";

/** Catalog epochs and alias views in SQLite. */
export function sqliteCatalog(commits: GroupCommit): CatalogStore {
  return {
    async epoch(digest, atLeast) {
      return commits.write((tx) => {
        const sql = "SELECT epoch FROM epochs WHERE digest = ? AND epoch >= ? ORDER BY epoch LIMIT 1";
        const found = tx.get(sql, columnText(digest), atLeast);
        if (found) return Number(found.epoch);
        const highest = Number(tx.get("SELECT max(epoch) AS epoch FROM epochs")?.epoch ?? 0);
        const next = Math.max(highest + 1, atLeast);
        tx.run("INSERT INTO epochs (epoch, digest) VALUES (?, ?)", next, columnText(digest));
        return next;
      });
    },
    async highestEpoch() {
      return commits.read((tx) => Number(tx.get("SELECT max(epoch) AS epoch FROM epochs")?.epoch ?? 0));
    },
    async putView(id, view) {
      const text = JSON.stringify(view);
      return commits.write((tx) => {
        if (tx.get("SELECT 1 AS found FROM views WHERE id = ?", columnText(id))) return;
        tx.run("INSERT INTO views (id, view) VALUES (?, ?)", columnText(id), text);
      });
    },
    async readView(id) {
      return commits.read((tx) => {
        const row = tx.get("SELECT view FROM views WHERE id = ?", columnText(id));
        return row && tx.parse<JsonObject>(row.view, "views", id, () => true);
      });
    },
  };
}
