import { type BlobStore, checkStoredName } from "@toolglot/core/storage";
import type { GroupCommit } from "../group-commit.ts";
import { boundBytes, bytesOf, listed, type Paged, pageOf } from "./names.ts";

/** Blobs in SQLite. Bytes are not copied before they are written: those of a thread are its own. */
export function sqliteBlobs(commits: GroupCommit): Paged<BlobStore> {
  return listed<BlobStore>({
    async put(name, bytes) {
      checkStoredName(name);
      if (!(bytes instanceof Uint8Array)) throw new TypeError("blobs.put: bytes must be a Uint8Array");
      return commits.write((tx) => {
        const sql =
          "INSERT INTO blobs (name, bytes) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes";
        tx.run(sql, bytesOf(name), boundBytes(bytes));
      });
    },
    async get(name) {
      checkStoredName(name);
      return commits.read((tx) => {
        const row = tx.get("SELECT bytes FROM blobs WHERE name = ?", bytesOf(name));
        // A copy, because a binding may give a view of more.
        return row && new Uint8Array(row.bytes as Uint8Array);
      });
    },
    async delete(name) {
      checkStoredName(name);
      return commits.write((tx) => tx.run("DELETE FROM blobs WHERE name = ?", bytesOf(name)));
    },
    page: (prefix, after) => commits.read((tx) => pageOf(tx, "blobs", prefix, after)),
  });
}
