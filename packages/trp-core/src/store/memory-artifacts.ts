import { checkArtifact, idTaken, rangeOf } from "./checks.ts";
import type { Who } from "./frame-types.ts";
import type { MemoryTables } from "./memory-tables.ts";
import type { OwnedArtifactStore, StoredArtifact } from "./types.ts";

/** Artifacts of a `MemoryStore`. */
export class MemoryArtifacts implements OwnedArtifactStore {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  async put(artifact: Parameters<OwnedArtifactStore["put"]>[0]): Promise<StoredArtifact> {
    const now = this.#tables.enter();
    checkArtifact(artifact);
    const { id, tenant, principal, mediaType, sha256, bytes, ttlMs } = artifact;
    if (this.#tables.artifacts.has(id)) throw idTaken("artifacts.put", id);
    const size = bytes.byteLength;
    const stored = { id, tenant, principal, mediaType, sha256, size, createdAt: now, expiresAt: now + ttlMs };
    this.#tables.added(now);
    this.#tables.artifacts.set(id, { artifact: stored, bytes: Uint8Array.from(bytes) });
    return { ...stored };
  }

  async read(
    id: string,
    who: Who,
    range?: { offset?: number; length?: number },
  ): Promise<{ artifact: StoredArtifact; bytes: Uint8Array } | undefined> {
    const now = this.#tables.enter();
    const found = this.#tables.artifacts.get(id);
    const [start, end] = rangeOf(found?.artifact.size ?? 0, range);
    if (!found || found.artifact.expiresAt <= now) return undefined;
    if (found.artifact.tenant !== who.tenant || found.artifact.principal !== who.principal) return undefined;
    return { artifact: { ...found.artifact }, bytes: Uint8Array.from(found.bytes.subarray(start, end)) };
  }
}
