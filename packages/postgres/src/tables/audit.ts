import {
  type AuditCheckpoint,
  type AuditEntry,
  type AuditRow,
  type AuditStore,
  checkCheckpoint,
  follows,
} from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Reader, Row, Transaction } from "../database/transaction.ts";
import type { Sealer } from "../sealing/sealer.ts";
import { sameTransactionText, writeSameTransaction } from "./answers.ts";

/** Creates the audit log in PostgreSQL, and its checkpoints. Whoever reads it seals first what was committed before. */
export function postgresAudit(database: Database, sealer: Sealer): AuditStore {
  return {
    async append(audit, together) {
      const texts = sameTransactionText({ ...together, audit });
      if (texts.audit.length + texts.events.length === 0) return;
      await database.write((tx) => writeSameTransaction(tx, texts));
    },
    async read({ after = 0, limit } = {}) {
      await sealer.seal();
      return database.read(async (reader) => {
        const sql = "SELECT n, at, entry, prev_hash, hash FROM @audit WHERE n > $1 ORDER BY n LIMIT $2";
        return (await reader.all(sql, after, limit ?? null)).map((row): AuditRow => {
          const index = Number(row.n);
          const entry = reader.parse<AuditEntry>(row.entry, "audit", String(index), () => true);
          return { index, at: Number(row.at), entry, prevHash: String(row.prev_hash), hash: String(row.hash) };
        });
      });
    },
    async head() {
      await sealer.seal();
      return database.read(async (reader) => {
        const row = await reader.get("SELECT n, hash FROM @audit ORDER BY n DESC LIMIT 1");
        const checkpoint = await newest(reader);
        return {
          ...(row && { row: { index: Number(row.n), hash: String(row.hash) } }),
          ...(checkpoint && { checkpoint }),
        };
      });
    },
    async addCheckpoint(given) {
      const checkpoint = checkCheckpoint(given);
      const { index, hash, from } = checkpoint;
      await sealer.seal();
      return database.write(async (tx) => {
        await lockHead(tx);
        const row = await tx.get("SELECT hash FROM @audit WHERE n = $1", index);
        if (row?.hash !== hash || !follows(checkpoint, await newest(tx))) return false;
        const sql = `INSERT INTO @checkpoints (n, first_row, checkpoint) VALUES ($1, $2, $3)
          ON CONFLICT (n) DO UPDATE SET first_row = excluded.first_row, checkpoint = excluded.checkpoint`;
        await tx.change(sql, index, from, JSON.stringify(checkpoint));
        return true;
      });
    },
    async checkpoints({ after = 0, limit } = {}) {
      return database.read(async (reader) => {
        const sql = "SELECT n, checkpoint FROM @checkpoints WHERE n > $1 ORDER BY n LIMIT $2";
        return (await reader.all(sql, after, limit ?? null)).map((row) => checkpointOf(reader, row));
      });
    },
  };
}

/** Checkpoints are added, and rows dropped, by one process at a time. */
async function lockHead(tx: Transaction): Promise<void> {
  await tx.get("SELECT n FROM @heads WHERE name = 'audit' FOR UPDATE");
}

/** Drops some of the rows before `from` of the newest checkpoint. Returns whether there may be more to drop. */
export async function pruneAudit(tx: Transaction, atOnce: number): Promise<boolean> {
  await lockHead(tx);
  const from = Number((await tx.get("SELECT first_row FROM @checkpoints ORDER BY n DESC LIMIT 1"))?.first_row ?? 1);
  const first = Number((await tx.get("SELECT n FROM @audit ORDER BY n LIMIT 1"))?.n ?? from);
  const upTo = Math.min(from, first + atOnce);
  if (first < upTo) await tx.change("DELETE FROM @audit WHERE n < $1", upTo);
  const old = await tx.all("SELECT n FROM @checkpoints WHERE n < $1 ORDER BY n LIMIT $2", upTo, atOnce);
  const end = old.at(-1)?.n;
  if (end !== undefined) await tx.change("DELETE FROM @checkpoints WHERE n <= $1", Number(end));
  return upTo < from || old.length === atOnce;
}

async function newest(reader: Reader): Promise<AuditCheckpoint | undefined> {
  const row = await reader.get("SELECT n, checkpoint FROM @checkpoints ORDER BY n DESC LIMIT 1");
  return row && checkpointOf(reader, row);
}

function checkpointOf(reader: Reader, { n, checkpoint }: Row): AuditCheckpoint {
  return reader.parse<AuditCheckpoint>(checkpoint, "checkpoints", String(n), ({ index }) => typeof index === "number");
}
