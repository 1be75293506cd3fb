import { ToolError } from "@toolglot/core";
import { type WriteOptions, write } from "./writing.ts";

/** A ticket that was opened. */
export type OpenedTicket = {
  ticket_id: number;
  status: string;
  /** ISO time. */
  created_at: string;
};

/** Opens a ticket. */
export function createTicket(
  database: string,
  { title, body, priority }: { title: string; body: string; priority: "low" | "normal" | "high" },
  options: WriteOptions = {},
): OpenedTicket {
  return write(database, "ticket", options, ({ db, at }) => {
    const { lastInsertRowid } = db
      .prepare("INSERT INTO tickets (title, body, priority, status, created_at) VALUES (?, ?, ?, 'open', ?)")
      .run(title, body, priority, at);
    return { ticket_id: Number(lastInsertRowid), status: "open", created_at: at };
  });
}

/** What can be deleted, with what hangs on it: child table and its column. */
const deletable: ReadonlyMap<string, { table: string; children: readonly (readonly [string, string])[] }> = new Map([
  ["ticket", { table: "tickets", children: [] }],
  ["refund", { table: "refunds", children: [] }],
  [
    "order",
    {
      table: "orders",
      children: [
        ["order_items", "order_id"],
        ["refunds", "order_id"],
      ],
    },
  ],
]);

/** The kinds of records that can be deleted. */
export const deletableKinds: readonly string[] = [...deletable.keys()];

/** A record that was deleted. */
export type DeletedRecord = {
  deleted: true;
  resource_type: string;
  resource_id: string;
  /** Rows removed, dependent ones included. */
  rows: number;
};

/** Deletes one record with the rows that belong to it. Throws `ToolError` when there is none. */
export function deleteRecord(
  database: string,
  { resource_type, resource_id }: { resource_type: string; resource_id: string },
  options: WriteOptions = {},
): DeletedRecord {
  const kind = deletable.get(resource_type);
  if (!kind) {
    throw new ToolError(`There are no records of the type "${resource_type}"; there are ${deletableKinds.join(", ")}.`);
  }
  const { table, children } = kind;
  return write(database, "delete", options, ({ db }) => {
    const id = Number(resource_id);
    const found = Number.isSafeInteger(id) && db.prepare(`SELECT id FROM ${table} WHERE id = ?`).get(id);
    if (!found) {
      throw new ToolError(
        `There is no ${resource_type} with the number ${resource_id}. Look it up with query_sql in ${table}.`,
      );
    }
    let rows = 0;
    for (const [child, column] of children)
      rows += db.prepare(`DELETE FROM ${child} WHERE ${column} = ?`).run(id).changes;
    rows += db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id).changes;
    return { deleted: true, resource_type, resource_id: String(id), rows };
  });
}

/** A message that went out. */
export type SentNotification = {
  notification_id: number;
  channel: string;
  /** ISO time. */
  sent_at: string;
};

/** Puts a message into the outbox, a table that only ever grows. */
export function broadcast(
  database: string,
  { channel, message }: { channel: string; message: string },
  options: WriteOptions = {},
): SentNotification {
  return write(database, "notification", options, ({ db, at }) => {
    const { lastInsertRowid } = db
      .prepare("INSERT INTO notifications (channel, message, sent_at) VALUES (?, ?, ?)")
      .run(channel, message, at);
    return { notification_id: Number(lastInsertRowid), channel, sent_at: at };
  });
}
