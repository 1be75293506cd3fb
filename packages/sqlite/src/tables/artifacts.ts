import { columnText } from "@toolglot/internal";
import {
  checkArtifact,
  idTaken,
  type OwnedArtifactStore,
  rangeOf,
  type StoredArtifact,
} from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";

/** Artifacts in SQLite. */
export function sqliteArtifacts(commits: GroupCommit): OwnedArtifactStore {
  return {
    async put(artifact) {
      checkArtifact(artifact);
      const { id, tenant, principal, mediaType, sha256, ttlMs } = artifact;
      const bytes = Uint8Array.from(artifact.bytes);
      return commits.write((tx) => {
        if (tx.get("SELECT n FROM artifacts WHERE id = ?", columnText(id))) throw idTaken("artifacts.put", id);
        const createdAt = tx.now();
        const expiresAt = createdAt + ttlMs;
        const size = bytes.byteLength;
        const stored: StoredArtifact = { id, tenant, principal, mediaType, sha256, size, createdAt, expiresAt };
        const sql = "INSERT INTO artifacts (id, expires_at, record, bytes) VALUES (?, ?, ?, ?)";
        tx.run(sql, columnText(id), expiresAt, JSON.stringify(stored), bytes);
        return stored;
      });
    },
    async read(id, { tenant, principal }, range) {
      rangeOf(0, range);
      return commits.read((tx) => {
        const row = tx.get("SELECT n, record FROM artifacts WHERE id = ?", columnText(id));
        if (!row) return undefined;
        const isArtifact = ({ size, expiresAt }: StoredArtifact): boolean =>
          typeof size === "number" && typeof expiresAt === "number";
        const artifact = tx.parse<StoredArtifact>(row.record, "artifacts", id, isArtifact);
        if (artifact.expiresAt <= tx.now()) return undefined;
        if (artifact.tenant !== tenant || artifact.principal !== principal) return undefined;
        const [start, end] = rangeOf(artifact.size, range);
        const sql = "SELECT substr(bytes, ?, ?) AS part FROM artifacts WHERE n = ?";
        const part = tx.get(sql, start + 1, end - start, Number(row.n))?.part;
        return { artifact, bytes: part instanceof Uint8Array ? Uint8Array.from(part) : new Uint8Array(0) };
      });
    },
  };
}
