import type { JsonObject } from "@toolglot/core";
import { columnText } from "@toolglot/internal";
import type { CatalogStore } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";

/** Epochs and alias views in PostgreSQL. */
export function postgresCatalog(database: Database): CatalogStore {
  return {
    async epoch(digest, atLeast) {
      return database.write(async (tx) => {
        const sql = "SELECT epoch FROM @epochs WHERE digest = $1 AND epoch >= $2 ORDER BY epoch LIMIT 1";
        const found = await tx.get(sql, columnText(digest), atLeast);
        if (found) return Number(found.epoch);
        // Two processes that start with one catalog get one number.
        await tx.get("SELECT n FROM @heads WHERE name = 'epochs' FOR UPDATE");
        const now = await tx.get(sql, columnText(digest), atLeast);
        if (now) return Number(now.epoch);
        const highest = Number((await tx.get("SELECT max(epoch) AS epoch FROM @epochs"))?.epoch ?? 0);
        const next = Math.max(highest + 1, atLeast);
        await tx.change("INSERT INTO @epochs (epoch, digest) VALUES ($1, $2)", next, columnText(digest));
        return next;
      });
    },
    async highestEpoch() {
      const [row] = await database.statement({ sql: "SELECT max(epoch) AS epoch FROM @epochs", values: [] });
      return Number(row?.epoch ?? 0);
    },
    async putView(id, view) {
      const text = JSON.stringify(view);
      await database.write(async (tx) => {
        const sql = "INSERT INTO @views (id, view) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
        await tx.change(sql, columnText(id), text);
      });
    },
    async readView(id) {
      return database.read(async (reader) => {
        const row = await reader.get("SELECT view FROM @views WHERE id = $1", columnText(id));
        return row && reader.parse<JsonObject>(row.view, "views", id, () => true);
      });
    },
  };
}
