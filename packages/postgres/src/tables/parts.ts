import type { OperationKey, OperationRecord } from "@toolglot/core";
import { rememberedOperation, renewOperation } from "@toolglot/core/operation-log";
import type { NewPart, PartStore } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Reader } from "../database/transaction.ts";
import { findOperation, knownAt, lockOperation, operationId } from "./operation-rows.ts";

/** Partial results of operations in PostgreSQL. */
export function postgresParts(database: Database): PartStore {
  return {
    async add(claim, parts, { keep, skipped = 0 }) {
      const held = { ...claim };
      const texts = parts.map((part) => JSON.stringify(part));
      return database.write(async (tx) => {
        const found = await lockOperation(tx, held);
        const now = await tx.now();
        const kept = renewOperation(knownAt(found, now)?.kept, held, 1, now);
        if (kept === undefined) return undefined;
        const id = operationId(held);
        const first = (await boundsOf(tx, kept.record)).last + skipped;
        // An earlier operation with this key may have left parts.
        const sql = `INSERT INTO @parts (operation, id, at, part)
          SELECT $1, $2 + n, $3, part FROM unnest($4::text[]) WITH ORDINALITY AS new (part, n)
          ON CONFLICT (operation, id) DO UPDATE SET at = excluded.at, part = excluded.part`;
        await tx.change(sql, id, first, now, texts);
        const oldest = "SELECT id FROM @parts WHERE operation = $1 ORDER BY id DESC LIMIT 1 OFFSET $2";
        await tx.change(`DELETE FROM @parts WHERE operation = $1 AND id <= (${oldest})`, id, Math.min(keep, 1e15));
        return first + texts.length;
      });
    },
    async read({ scope, key }, { after, limit }) {
      return database.read(async (reader) => {
        const found = await findOperation(reader, { scope, key });
        const now = await reader.now();
        const record = rememberedOperation(knownAt(found, now)?.kept, now);
        if (record === undefined) return { parts: [], first: 0, last: 0 };
        const bounds = await boundsOf(reader, record);
        if (bounds.last <= after) return { parts: [], ...bounds };
        const sql = `SELECT id, at, part FROM @parts WHERE operation = $1 AND id > $2 AND at >= $3 ORDER BY id LIMIT $4`;
        const rows = await reader.all(sql, operationId(record), after, startOf(record), limit);
        const parts = rows.map((row) => {
          const part = reader.parse<NewPart>(row.part, "parts", key, ({ kind }) => typeof kind === "string");
          return { ...part, id: Number(row.id), at: Number(row.at) };
        });
        return { parts, ...bounds };
      });
    },
  };
}

async function boundsOf(
  reader: Reader,
  record: OperationRecord & OperationKey,
): Promise<{ first: number; last: number }> {
  const sql = "SELECT min(id) AS first, max(id) AS last FROM @parts WHERE operation = $1 AND at >= $2";
  const row = await reader.get(sql, operationId(record), startOf(record));
  return { first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
}

/** Leaves out the parts of an earlier operation with this key. */
function startOf({ startedAt = Number.MAX_SAFE_INTEGER }: OperationRecord): number {
  return startedAt;
}
