import { columnText } from "@toolglot/internal";
import { checkRate, type RateStore, rateRoundingMs, rateUsedUp } from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";

const filling = "min(max(filling_ms - (excluded.at - at), 0), ?)";

/** `takeRate` as one statement. */
const take = `INSERT INTO rates (key, at, filling_ms, taken) VALUES (?, ?, ?, 1)
  ON CONFLICT (key) DO UPDATE SET
    at = excluded.at,
    filling_ms = ${filling} + iif(${filling} <= ?, excluded.filling_ms, 0),
    taken = ${filling} <= ?
  RETURNING filling_ms, taken`;

/** Rates in SQLite, which all routers on the file share. */
export function sqliteRates(commits: GroupCommit): RateStore {
  return {
    async take(key, rate) {
      checkRate(key, rate);
      const { limit, windowMs } = rate;
      const price = windowMs / limit;
      const most = windowMs - price + rateRoundingMs;
      return commits.write((tx) => {
        const row = tx.write(take, columnText(key), tx.now(), price, windowMs, windowMs, most, windowMs, most);
        return Number(row?.taken) === 1 ? { ok: true } : rateUsedUp(Number(row?.filling_ms), rate);
      });
    },
  };
}
