import type { OperationKey, OperationRecord } from "@toolglot/core";
import { rememberedOperation, renewOperation } from "@toolglot/core/operation-log";
import { columnText } from "@toolglot/internal";
import type { NewPart, PartStore } from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";
import { findRecord } from "./operation-rows.ts";

/** Partial results of operations in SQLite. */
export function sqliteParts(commits: GroupCommit): PartStore {
  return {
    async add(claim, parts, { keep, skipped = 0 }) {
      const held = { ...claim };
      const texts = parts.map((part) => JSON.stringify(part));
      return commits.write((tx) => {
        const kept = renewOperation(findRecord(tx, held)?.kept, held, 1, tx.now());
        if (kept === undefined) return undefined;
        const where = placeOf(kept.record);
        const first = boundsOf(tx, kept.record).last + skipped;
        for (const [index, text] of texts.entries()) {
          // An earlier operation with this key may have left parts.
          const sql = "INSERT OR REPLACE INTO parts (scope, key, id, at, part) VALUES (?, ?, ?, ?, ?)";
          tx.run(sql, ...where, first + index + 1, tx.now(), text);
        }
        const last = first + texts.length;
        const oldest = "SELECT id FROM parts WHERE scope = ? AND key = ? ORDER BY id DESC LIMIT 1 OFFSET ?";
        tx.run(`DELETE FROM parts WHERE scope = ? AND key = ? AND id <= (${oldest})`, ...where, ...where, keep);
        return last;
      });
    },
    async read({ scope, key }, { after, limit }) {
      return commits.read((tx) => {
        const kept = findRecord(tx, { scope, key })?.kept;
        const record = kept && rememberedOperation(kept, tx.now());
        if (record === undefined) return { parts: [], first: 0, last: 0 };
        const bounds = boundsOf(tx, record);
        if (bounds.last <= after) return { parts: [], ...bounds };
        const sql = `SELECT id, at, part FROM parts WHERE scope = ? AND key = ? AND id > ? AND at >= ?
          ORDER BY id LIMIT ?`;
        const rows = tx.all(sql, ...placeOf(record), after, startOf(record), limit);
        const parts = rows.map((row) => {
          const part = tx.parse<NewPart>(row.part, "parts", key, ({ kind }) => typeof kind === "string");
          return { ...part, id: Number(row.id), at: Number(row.at) };
        });
        return { parts, ...bounds };
      });
    },
  };
}

function boundsOf(tx: Transaction, record: OperationRecord): { first: number; last: number } {
  const sql = "SELECT min(id) AS first, max(id) AS last FROM parts WHERE scope = ? AND key = ? AND at >= ?";
  const row = tx.get(sql, ...placeOf(record), startOf(record));
  return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
}

function placeOf({ scope, key }: OperationKey): [string, string] {
  return [columnText(scope), columnText(key)];
}

/** Drops the parts of an earlier operation with this key. */
function startOf({ startedAt = Number.MAX_SAFE_INTEGER }: OperationRecord): number {
  return startedAt;
}
