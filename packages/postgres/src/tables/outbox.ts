import { columnText, textOfColumn } from "@toolglot/internal";
import {
  type NewEvent,
  type OutboxBounds,
  type OutboxConsumer,
  type OutboxEvent,
  type OutboxStore,
  outboxDroppable,
  outboxPage,
  outboxPosition,
  outboxTooOld,
  outboxWindow,
  type Retention,
} from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Reader, Row, Transaction } from "../database/transaction.ts";
import type { Sealer } from "../sealing/sealer.ts";

/** Creates the outbox in PostgreSQL. Whoever reads it seals first what was committed before. */
export function postgresOutbox(database: Database, sealer: Sealer): OutboxStore {
  return {
    async read(range) {
      const { after: given, consumer, limit } = outboxWindow(range);
      await sealer.seal();
      return database.read(async (reader) => {
        const after = consumer === undefined ? given : await positionOf(reader, consumer);
        const rows = await reader.all(
          "SELECT n, at, event FROM @outbox WHERE n > $1 ORDER BY n LIMIT $2",
          after,
          limit,
        );
        const events = rows.map(({ n, at, event }): OutboxEvent => {
          const body = reader.parse<NewEvent>(event, "outbox", String(n), ({ type }) => typeof type === "string");
          return { index: Number(n), event: { at: Number(at), ...body } };
        });
        return outboxPage(events, after, await boundsOf(reader));
      });
    },
    async acknowledge(consumer, upTo) {
      await sealer.seal();
      return database.write(async (tx) => {
        // Checks both before the name goes into an index.
        const position = outboxPosition(consumer, upTo, 0, await boundsOf(tx));
        const name = columnText(consumer);
        await tx.change(
          "INSERT INTO @consumers (name, position, at) VALUES ($1, 0, 0) ON CONFLICT (name) DO NOTHING",
          name,
        );
        const sql =
          "UPDATE @consumers SET position = greatest(position, $1), at = $2 WHERE name = $3 RETURNING position";
        return Number((await tx.get(sql, position, await tx.now(), name))?.position);
      });
    },
    async consumers() {
      const rows = await database.statement({
        sql: "SELECT name, position, at FROM @consumers ORDER BY name",
        values: [],
      });
      return rows.map(consumerOf);
    },
    async forget(consumer) {
      const name = columnText(String(consumer));
      return database.write(async (tx) => (await tx.change("DELETE FROM @consumers WHERE name = $1", name)) > 0);
    },
  };
}

/**
 * Drops at most `atOnce` events that every consumer has acknowledged, that are too many, or that are too old. Returns
 * whether there may be more to drop.
 */
export async function pruneOutbox(tx: Transaction, atOnce: number, retention: Retention): Promise<boolean> {
  await tx.get("SELECT n FROM @heads WHERE name = 'outbox' FOR UPDATE");
  const bounds = await boundsOf(tx);
  const positions = (await tx.all("SELECT position FROM @consumers")).map(({ position }) => Number(position));
  const upTo = outboxDroppable(positions, bounds, retention);
  const tooOld = outboxTooOld(await tx.now(), retention);
  const oldest = await tx.all("SELECT n, at FROM @outbox ORDER BY n LIMIT $1", atOnce);
  // Events are dropped only from the beginning. An old event after a younger one stays; the clock may have been set back.
  const kept = oldest.findIndex(({ n, at }) => Number(n) > upTo && Number(at) > tooOld);
  const goes = kept === -1 ? oldest : oldest.slice(0, kept);
  const end = goes.at(-1)?.n;
  if (end === undefined) return false;
  await tx.change("DELETE FROM @outbox WHERE n <= $1", Number(end));
  await tx.change("UPDATE @heads SET dropped = $1 WHERE name = 'outbox'", Number(end));
  return goes.length === atOnce;
}

async function boundsOf(reader: Reader): Promise<OutboxBounds> {
  const row = await reader.get("SELECT n, dropped FROM @heads WHERE name = 'outbox'");
  return { dropped: Number(row?.dropped ?? 0), last: Number(row?.n ?? 0) };
}

async function positionOf(reader: Reader, consumer: string): Promise<number> {
  const row = await reader.get("SELECT position FROM @consumers WHERE name = $1", columnText(consumer));
  return Number(row?.position ?? 0);
}

function consumerOf({ name, position, at }: Row): OutboxConsumer {
  return { name: textOfColumn(String(name)), position: Number(position), at: Number(at) };
}
