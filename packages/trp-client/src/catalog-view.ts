import type { AliasRow, CatalogSyncResPayload } from "@toolglot/trp-core/frames";
import { clock } from "./limits.ts";
import type { Catalog } from "./types.ts";

/** A catalog as it was read, by number and by id. */
export class CatalogView implements Catalog {
  readonly epoch: number;
  readonly rows: readonly AliasRow[];
  readonly ttlSec: number;
  readonly #byCap = new Map<string, AliasRow>();
  readonly #until: number;

  constructor({ catalog_epoch, alias_table, ttl_sec }: CatalogSyncResPayload) {
    this.epoch = catalog_epoch;
    this.rows = alias_table;
    this.ttlSec = typeof ttl_sec === "number" && ttl_sec > 0 ? ttl_sec : 600;
    this.#until = clock() + this.ttlSec * 1000;
    for (const row of alias_table) this.#byCap.set(row.cap_id, row);
  }

  get isExpired(): boolean {
    return clock() >= this.#until;
  }

  get(capId: string): AliasRow | undefined {
    return this.#byCap.get(capId);
  }
}

/** Whether a call for one row may go on with another: only its number and its texts changed. */
export function isUnchanged(before: AliasRow, after: AliasRow): boolean {
  return (
    before.schema_digest === after.schema_digest &&
    before.risk_tier === after.risk_tier &&
    before.io_class === after.io_class
  );
}

/** WRITE, or MEDIUM risk and above (TRP v0.1 draft, 9.1). */
export function needsKey(row: AliasRow): boolean {
  return row.io_class !== "READ" || row.risk_tier !== "LOW";
}
