import { columnText } from "@toolglot/internal";
import {
  checkArtifact,
  idTaken,
  type OwnedArtifactStore,
  rangeOf,
  type StoredArtifact,
} from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import { partSize, partsOf } from "./byte-parts.ts";

/** Artifacts in PostgreSQL, in parts, so that a range of a large one is read without the rest. */
export function postgresArtifacts(database: Database): OwnedArtifactStore {
  return {
    async put(artifact) {
      checkArtifact(artifact);
      const { id, tenant, principal, mediaType, sha256 } = artifact;
      const ttlMs = Math.ceil(Math.min(artifact.ttlMs, 1e15));
      const bytes = Uint8Array.from(artifact.bytes);
      const size = bytes.byteLength;
      const save = async (tx: Parameters<Parameters<Database["write"]>[0]>[0]): Promise<StoredArtifact> => {
        const createdAt = await tx.now();
        const expiresAt = createdAt + ttlMs;
        const stored: StoredArtifact = { id, tenant, principal, mediaType, sha256, size, createdAt, expiresAt };
        const sql = "INSERT INTO @artifacts (id, expires_at, record) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING";
        const isNew = (await tx.change(sql, columnText(id), expiresAt, JSON.stringify(stored))) > 0;
        if (!isNew) throw idTaken("artifacts.put", id);
        for (const [place, part] of partsOf(bytes).entries()) {
          const add = "INSERT INTO @artifact_parts (artifact, place, bytes) VALUES ($1, $2, $3)";
          await tx.change(add, columnText(id), place, part);
        }
        return stored;
      };
      return database.write(save, { isAsync: true });
    },
    async read(id, { tenant, principal }, range) {
      rangeOf(0, range);
      return database.read(async (reader) => {
        const row = await reader.get("SELECT record FROM @artifacts WHERE id = $1", columnText(id));
        if (!row) return undefined;
        const isArtifact = ({ size, expiresAt }: StoredArtifact): boolean =>
          typeof size === "number" && typeof expiresAt === "number";
        const artifact = reader.parse<StoredArtifact>(row.record, "artifacts", id, isArtifact);
        if (artifact.expiresAt <= (await reader.now())) return undefined;
        if (artifact.tenant !== tenant || artifact.principal !== principal) return undefined;
        const [start, end] = rangeOf(artifact.size, range);
        const first = Math.floor(start / partSize);
        const sql = `SELECT bytes FROM @artifact_parts WHERE artifact = $1 AND place BETWEEN $2 AND $3 ORDER BY place`;
        const rows = end > start ? await reader.all(sql, columnText(id), first, Math.floor((end - 1) / partSize)) : [];
        const joined = Buffer.concat(rows.map(({ bytes }) => bytes as Uint8Array));
        const from = start - first * partSize;
        return { artifact, bytes: Uint8Array.from(joined.subarray(from, from + end - start)) };
      });
    },
  };
}
