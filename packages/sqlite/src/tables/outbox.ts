import { columnText } from "@toolglot/internal";
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
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";

/** Creates the outbox in SQLite. */
export function sqliteOutbox(commits: GroupCommit): OutboxStore {
  return {
    async read(range) {
      const { after: given, consumer, limit } = outboxWindow(range);
      return commits.read((tx) => {
        const after = consumer === undefined ? given : positionOf(tx, consumer);
        const rows = tx.all("SELECT n, at, event FROM outbox WHERE n > ? ORDER BY n LIMIT ?", after, limit);
        const events = rows.map(({ n, at, event }): OutboxEvent => {
          const body = tx.parse<NewEvent>(event, "outbox", String(n), ({ type }) => typeof type === "string");
          return { index: Number(n), event: { at: Number(at), ...body } };
        });
        return outboxPage(events, after, boundsOf(tx));
      });
    },
    async acknowledge(consumer, upTo) {
      return commits.write((tx) => {
        const name = String(consumer);
        const position = outboxPosition(consumer, upTo, positionOf(tx, name), boundsOf(tx));
        const sql = "INSERT OR REPLACE INTO consumers (name, position, at) VALUES (?, ?, ?)";
        tx.run(sql, columnText(name), position, tx.now());
        return position;
      });
    },
    async consumers() {
      return commits.read((tx) => tx.all("SELECT name, position, at FROM consumers ORDER BY name").map(consumerOf));
    },
    async forget(consumer) {
      return commits.write((tx) => tx.change("DELETE FROM consumers WHERE name = ?", columnText(String(consumer))) > 0);
    },
  };
}

const bounds = "outbox bounds";

/** Adds events to the outbox. `events`: JSON without the time, which is set here. */
export function writeEvents(tx: Transaction, events: readonly string[]): void {
  if (events.length === 0) return;
  const held = tx.held(bounds, () => boundsOf(tx));
  const at = tx.now();
  for (const event of events) {
    held.last += 1;
    tx.run("INSERT INTO outbox (n, at, event) VALUES (?, ?, ?)", held.last, at, event);
  }
}

/**
 * Drops at most `atOnce` events that every consumer has acknowledged, that are too many, or that are too old. Returns
 * whether there may be more to drop.
 */
export function pruneOutbox(tx: Transaction, atOnce: number, retention: Retention): boolean {
  const { dropped, last } = boundsOf(tx);
  const positions = tx.all("SELECT position FROM consumers").map(({ position }) => Number(position));
  const upTo = outboxDroppable(positions, { dropped, last }, retention);
  const tooOld = outboxTooOld(tx.now(), retention);
  const oldest = tx.all("SELECT n, at FROM outbox ORDER BY n LIMIT ?", atOnce);
  // Events are dropped only from the beginning. An old event after a younger one stays; the clock may have been set
  // back.
  const kept = oldest.findIndex(({ n, at }) => Number(n) > upTo && Number(at) > tooOld);
  const goes = kept === -1 ? oldest : oldest.slice(0, kept);
  const end = goes.at(-1)?.n;
  if (end === undefined) return false;
  tx.run("DELETE FROM outbox WHERE n <= ?", end);
  tx.run("UPDATE counters SET value = ? WHERE name = 'outbox'", end);
  tx.drop(bounds);
  return goes.length === atOnce;
}

function boundsOf(tx: Transaction): OutboxBounds {
  const sql =
    "SELECT (SELECT value FROM counters WHERE name = 'outbox') AS dropped, (SELECT max(n) FROM outbox) AS last";
  const row = tx.get(sql);
  const dropped = Number(row?.dropped ?? 0);
  return { dropped, last: Math.max(dropped, Number(row?.last ?? 0)) };
}

function positionOf(tx: Transaction, consumer: string): number {
  return Number(tx.get("SELECT position FROM consumers WHERE name = ?", columnText(consumer))?.position ?? 0);
}

function consumerOf({ name, position, at }: Record<string, unknown>): OutboxConsumer {
  return { name: String(name), position: Number(position), at: Number(at) };
}
