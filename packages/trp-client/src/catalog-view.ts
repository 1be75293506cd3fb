import type { AliasRow, CatalogDelta, CatalogSyncResPayload } from "@toolglot/trp-core/frames";
import { clock } from "./limits.ts";
import type { Catalog } from "./types.ts";

/** A catalog, by number and by id. */
export class CatalogView implements Catalog {
  readonly epoch: number;
  readonly rows: readonly AliasRow[];
  readonly ttlSec: number;
  readonly #byCap = new Map<string, AliasRow>();
  readonly #until: number;

  /** @param before What a delta is about. */
  constructor(payload: CatalogSyncResPayload, before?: Catalog) {
    const { catalog_epoch, ttl_sec } = payload;
    this.epoch = catalog_epoch;
    this.rows = "alias_table" in payload ? payload.alias_table : changedRows(before?.rows ?? [], payload);
    this.ttlSec = typeof ttl_sec === "number" && ttl_sec > 0 ? ttl_sec : 600;
    this.#until = clock() + this.ttlSec * 1000;
    for (const row of this.rows) this.#byCap.set(row.cap_id, row);
  }

  get isExpired(): boolean {
    return clock() >= this.#until;
  }

  get(capId: string): AliasRow | undefined {
    return this.#byCap.get(capId);
  }
}

/** In order of their numbers. */
function changedRows(before: readonly AliasRow[], { added, changed, removed }: CatalogDelta): AliasRow[] {
  const rows = new Map(before.map((row) => [row.idx, row]));
  for (const { idx } of removed) rows.delete(idx);
  for (const row of [...changed, ...added]) rows.set(row.idx, row);
  return [...rows.values()].sort((one, other) => one.idx - other.idx);
}

/** Whether a call for one row may go on with another: only its number and its texts changed. */
export function isUnchanged(before: AliasRow, after: AliasRow): boolean {
  return (
    before.schema_digest === after.schema_digest &&
    before.risk_tier === after.risk_tier &&
    before.io_class === after.io_class
  );
}

/** Checks whether a call without a key is refused; a row may mark that it is not, whatever its class. */
export function keyRequired(row: AliasRow): boolean {
  return row.idempotency_required !== false && needsKey(row);
}

/**
 * Checks whether the client makes a key for each call: WRITE, or MEDIUM risk and above (TRP v0.1 draft, 9.1), but for a READ
 * without.
 */
export function needsKey(row: AliasRow): boolean {
  if (row.io_class === "READ" && row.idempotency_required === false) return false;
  return row.io_class !== "READ" || row.risk_tier !== "LOW";
}
