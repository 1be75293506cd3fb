import type { OperationClaim, OperationKey, OperationRecord } from "@toolglot/core";
import { rememberedOperation, renewOperation } from "@toolglot/core/operation-log";
import { copyJson } from "@toolglot/internal";
import { type MemoryTables, mapKey } from "./memory-tables.ts";
import type { NewPart, PartList, PartStore, StoredPart } from "./types.ts";

/** The partial results of a `MemoryStore`. */
export class MemoryParts implements PartStore {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  async add(
    claim: OperationClaim,
    parts: NewPart[],
    { keep, skipped = 0 }: { keep: number; skipped?: number },
  ): Promise<number | undefined> {
    const now = this.#tables.enter();
    const key = mapKey(claim);
    const held = renewOperation(this.#tables.operations.get(key), claim, 1, now);
    if (held === undefined) return undefined;
    const kept = this.#of(held.record);
    let id = (kept.at(-1)?.id ?? 0) + skipped;
    for (const part of copyJson(parts)) kept.push({ ...part, id: ++id, at: now });
    this.#tables.parts.set(key, kept.slice(-keep));
    return id;
  }

  async read(key: OperationKey, { after, limit }: { after: number; limit: number }): Promise<PartList> {
    const now = this.#tables.enter();
    const record = rememberedOperation(this.#tables.operations.get(mapKey(key)), now);
    const kept = record === undefined ? [] : this.#of(record);
    const parts = kept.filter((part) => part.id > after).slice(0, limit);
    return { parts: copyJson(parts), first: kept[0]?.id ?? 0, last: kept.at(-1)?.id ?? 0 };
  }

  /** Without what an earlier operation with this key left. */
  #of(record: OperationRecord): StoredPart[] {
    const { startedAt = Number.POSITIVE_INFINITY } = record;
    return (this.#tables.parts.get(mapKey(record)) ?? []).filter(({ at }) => at >= startedAt);
  }
}
