import { columnText } from "@toolglot/internal";
import { checkRate, type RateStore, rateRoundingMs, rateUsedUp } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { timed } from "../database/transaction.ts";
import { newWriteId } from "../database/write-id.ts";

const filling = "least(greatest(r.filling_ms - (excluded.at - r.at), 0), $4)";

/** `takeRate` as one statement. Who comes second waits for the row, and then sees it as the first one left it. */
const take = `WITH ${timed} INSERT INTO @rates AS r (key, at, filling_ms, taken, write_id) SELECT $2, now, $3, true, $6 FROM t
  ON CONFLICT (key) DO UPDATE SET
    at = excluded.at,
    filling_ms = ${filling} + CASE WHEN ${filling} <= $5 THEN excluded.filling_ms ELSE 0 END,
    taken = ${filling} <= $5,
    write_id = excluded.write_id
  RETURNING filling_ms, taken`;

/**
 * Rates in PostgreSQL, which all routers on the database share. When the connection ended before the answer came, and others have
 * taken tokens of the same key since, a token may be counted twice.
 */
export function postgresRates(database: Database): RateStore {
  return {
    async take(key, rate) {
      checkRate(key, rate);
      const { limit, windowMs } = rate;
      const price = windowMs / limit;
      const most = windowMs - price + rateRoundingMs;
      const writeId = newWriteId();
      const values = [database.now(), columnText(key), price, windowMs, most, writeId];
      const [row] = await database.statement({
        sql: take,
        values,
        async recover(reader) {
          const taken = "SELECT filling_ms, taken FROM @rates WHERE key = $1 AND write_id = $2";
          const rows = await reader.all(taken, columnText(key), writeId);
          return rows.length > 0 ? rows : undefined;
        },
      });
      return row?.taken === true ? { ok: true } : rateUsedUp(Number(row?.filling_ms), rate);
    },
  };
}
