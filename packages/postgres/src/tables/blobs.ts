import { createHash } from "node:crypto";
import { type BlobStore, checkStoredName } from "@toolglot/core/storage";
import { columnText } from "@toolglot/internal";
import type { Database } from "../database/database.ts";
import type { Reader, Transaction } from "../database/transaction.ts";
import { storeError } from "../errors.ts";
import { partsOf } from "./byte-parts.ts";
import { namesIn } from "./names.ts";

/**
 * Blobs in PostgreSQL, in parts that are found by their digest, so that what several blobs have in common is kept once. A part counts its
 * uses. One without any is dropped by `prune`.
 */
export function postgresBlobs(database: Database): BlobStore {
  return {
    async put(name, bytes) {
      checkStoredName(name);
      if (!(bytes instanceof Uint8Array)) throw new TypeError("blobs.put: bytes must be a Uint8Array");
      const parts = partsOf(Uint8Array.from(bytes)).map((part) => ({ part, digest: digestOf(part) }));
      const digests = parts.map(({ digest }) => digest);
      await database.write(async (tx) => {
        await count(tx, parts, await lockBlob(tx, columnText(name)));
        const sql = `INSERT INTO @blobs (name, size, parts) VALUES ($1, $2, $3)
          ON CONFLICT (name) DO UPDATE SET size = excluded.size, parts = excluded.parts`;
        await tx.change(sql, columnText(name), bytes.length, digests);
      });
    },
    async get(name) {
      checkStoredName(name);
      return database.read(async (reader) => {
        const row = await reader.get("SELECT size, parts FROM @blobs WHERE name = $1", columnText(name));
        return row && (await joined(reader, name, row.parts as Uint8Array[], Number(row.size), database));
      });
    },
    async delete(name) {
      checkStoredName(name);
      await database.write(async (tx) => {
        await count(tx, [], await lockBlob(tx, columnText(name)));
        await tx.change("DELETE FROM @blobs WHERE name = $1", columnText(name));
      });
    },
    list: (prefix) => namesIn(database, "blobs", prefix),
  };
}

const digestOf = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();

/** Two blobs of one name at once: the second waits for the row of the first, which it makes if there is none. */
async function lockBlob(tx: Transaction, key: string): Promise<Uint8Array[]> {
  await tx.change("INSERT INTO @blobs (name, size, parts) VALUES ($1, 0, '{}') ON CONFLICT (name) DO NOTHING", key);
  const row = await tx.get("SELECT parts FROM @blobs WHERE name = $1 FOR UPDATE", key);
  return (row?.parts ?? []) as Uint8Array[];
}

/** A part whose uses change. */
interface Change {
  digest: Uint8Array;
  part?: Uint8Array;
  /** In the blob as it will be, and more than in the blob as it was. */
  uses: number;
  more: number;
}

/** Counts the uses of parts, those of the blob before and after. In order of digests, so that two transactions never wait for one another. */
async function count(
  tx: Transaction,
  after: readonly Omit<Change, "uses" | "more">[],
  before: readonly Uint8Array[],
): Promise<void> {
  const changes = new Map<string, Change>();
  const changeOf = (one: Omit<Change, "uses" | "more">): Change => {
    const key = hex(one.digest);
    const change = changes.get(key) ?? { ...one, uses: 0, more: 0 };
    changes.set(key, change);
    return change;
  };
  for (const one of after) {
    const change = changeOf(one);
    change.uses += 1;
    change.more += 1;
  }
  for (const digest of before) changeOf({ digest }).more -= 1;
  for (const [, { digest, part, uses, more }] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const again = await tx.change("UPDATE @blob_parts SET uses = uses + $2 WHERE digest = $1", digest, more);
    if (again > 0 || part === undefined) continue;
    const sql = `INSERT INTO @blob_parts (digest, uses, bytes) VALUES ($1, $2, $3)
      ON CONFLICT (digest) DO UPDATE SET uses = @blob_parts.uses + $4`;
    await tx.change(sql, digest, uses, part, more);
  }
}

/** Puts the parts together; each must be what its digest says. */
async function joined(
  reader: Reader,
  name: string,
  digests: readonly Uint8Array[],
  size: number,
  { connections: { database } }: Database,
): Promise<Uint8Array> {
  const rows = await reader.all("SELECT digest, bytes FROM @blob_parts WHERE digest = ANY($1)", digests);
  const byDigest = new Map(rows.map((row) => [hex(row.digest), row.bytes as Uint8Array]));
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const digest of digests) {
    const part = byDigest.get(hex(digest));
    if (part === undefined || hex(digestOf(part)) !== hex(digest) || at + part.length > size) break;
    bytes.set(part, at);
    at += part.length;
  }
  if (at === size) return bytes;
  const text = `A blob of ${database} can't be read: ${JSON.stringify(name)} lacks a part, or a part was changed.`;
  throw storeError("trp/store-damaged", text, { database, table: "blobs", key: name });
}

const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

/** Drops parts that no blob uses. Returns whether there may be more. */
export async function pruneBlobs(tx: Transaction, atOnce: number): Promise<boolean> {
  const sql = `DELETE FROM @blob_parts WHERE digest IN
    (SELECT digest FROM @blob_parts WHERE uses <= 0 LIMIT $1 FOR UPDATE SKIP LOCKED) AND uses <= 0`;
  return (await tx.change(sql, atOnce)) === atOnce;
}
