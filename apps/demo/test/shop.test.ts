import Database from "libsql";
import { expect, it } from "vitest";
import { broadcast, createTicket, deleteRecord } from "../src/shop/records.ts";
import { freshStore } from "./support/store.ts";

function rows<Row>(database: string, sql: string): Row[] {
  const db = new Database(database);
  try {
    return db.prepare(sql).all() as Row[];
  } finally {
    db.close();
  }
}

const ticket = { title: "Lantern", body: "Too warm.", priority: "high" } as const;

it("should do a key once, and give the first outcome again", () => {
  const { database } = freshStore();
  const count = (): number => rows<{ n: number }>(database, "SELECT COUNT(*) AS n FROM tickets")[0]?.n ?? -1;
  const before = count();
  const first = createTicket(database, ticket, { operationKey: "k1", now: () => new Date("2026-01-01T00:00:00Z") });
  expect(createTicket(database, ticket, { operationKey: "k1" })).toEqual(first);
  expect(count()).toBe(before + 1);
  expect(createTicket(database, ticket, { operationKey: "k2" }).ticket_id).not.toBe(first.ticket_id);
  createTicket(database, ticket);
  createTicket(database, ticket);
  expect(count()).toBe(before + 4);
});

it("should still know what a key deleted, when the record is gone", () => {
  const { database } = freshStore();
  const deletion = { resource_type: "order", resource_id: "1042" };
  const first = deleteRecord(database, deletion, { operationKey: "k1" });
  expect(first.rows).toBeGreaterThan(1);
  expect(deleteRecord(database, deletion, { operationKey: "k1" })).toEqual(first);
  expect(() => deleteRecord(database, deletion, { operationKey: "k2" })).toThrow(/There is no order/);
});

it("should note nothing of what failed, so that the key is free", () => {
  const { database } = freshStore();
  const options = { operationKey: "k1" };
  expect(() => deleteRecord(database, { resource_type: "ticket", resource_id: "9999" }, options)).toThrow(/no ticket/);
  expect(() => deleteRecord(database, { resource_type: "tent", resource_id: "1" }, options)).toThrow(/ticket, refund/);
  expect(rows(database, "SELECT * FROM effects")).toEqual([]);
  expect(deleteRecord(database, { resource_type: "ticket", resource_id: "1" }, options).rows).toBe(1);
});

it("should never give a ticket's number twice", () => {
  const { database } = freshStore();
  const first = createTicket(database, ticket).ticket_id;
  deleteRecord(database, { resource_type: "ticket", resource_id: String(first) });
  expect(createTicket(database, ticket).ticket_id).toBe(first + 1);
});

it("should keep what was sent as it was sent", () => {
  const { database } = freshStore();
  const sent = broadcast(database, { channel: "all", message: "Stop." }, { operationKey: "k1" });
  expect(broadcast(database, { channel: "all", message: "Stop." }, { operationKey: "k1" })).toEqual(sent);
  expect(rows(database, "SELECT id, channel, message FROM notifications")).toEqual([
    { id: sent.notification_id, channel: "all", message: "Stop." },
  ]);
  const change = (sql: string) => (): void => {
    const db = new Database(database);
    try {
      db.exec(sql);
    } finally {
      db.close();
    }
  };
  expect(change("DELETE FROM notifications")).toThrow(/stays sent/);
  expect(change("UPDATE notifications SET message = 'Go.'")).toThrow(/stays sent/);
});
