import { type AnyTool, ToolError } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import Database from "libsql";
import { z } from "zod";

/** What can be deleted, with what hangs on it: child table and its column. */
const deletable = {
  ticket: { table: "tickets", children: [] },
  refund: { table: "refunds", children: [] },
  order: {
    table: "orders",
    children: [
      ["order_items", "order_id"],
      ["refunds", "order_id"],
    ],
  },
} as const;

/** `create_ticket` and `delete_record`: both really write to the SQLite file, and both ask first. */
export function writingTools(database: string, now: () => Date = () => new Date()): AnyTool[] {
  const createTicket = defineTool({
    name: "create_ticket",
    description: "Opens a ticket in the shop's ticket system. A person is asked first.",
    input: z.object({
      title: z.string().min(1).max(200).describe("One line"),
      body: z.string().min(1).max(5000).describe("What is to be done, with all numbers needed"),
      priority: z.enum(["low", "normal", "high"]).default("normal"),
    }),
    output: z.object({
      ticket_id: z.number().int(),
      status: z.string().describe("open"),
      created_at: z.string().describe("ISO time"),
    }),
    annotations: { title: "Create a ticket", requiresApproval: true, riskTier: "HIGH" },
    execute: ({ title, body, priority }) =>
      writing(database, (db) => {
        const createdAt = now().toISOString();
        const { lastInsertRowid } = db
          .prepare("INSERT INTO tickets (title, body, priority, status, created_at) VALUES (?, ?, ?, 'open', ?)")
          .run(title, body, priority, createdAt);
        return { ticket_id: Number(lastInsertRowid), status: "open", created_at: createdAt };
      }),
  });
  const deleteRecord = defineTool({
    name: "delete_record",
    description: "Deletes one record for good, with the rows that belong to it. A person is asked first.",
    input: z.object({
      resource_type: z.enum(["ticket", "refund", "order"]),
      resource_id: z.string().min(1).describe("The record's number"),
      reason: z.string().max(500).optional().describe("Why, for the log"),
    }),
    output: z.object({
      deleted: z.boolean(),
      resource_type: z.string(),
      resource_id: z.string(),
      rows: z.number().int().describe("Rows removed, dependent ones included"),
    }),
    annotations: { title: "Delete a record", destructiveHint: true, riskTier: "CRITICAL" },
    execute: ({ resource_type, resource_id }) =>
      writing(database, (db) => {
        const { table, children } = deletable[resource_type];
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
      }),
  });
  return [createTicket, deleteRecord];
}

/** All or nothing: what `work` throws takes back what it wrote. */
function writing<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path, { timeout: 2000 });
  try {
    db.exec("BEGIN IMMEDIATE");
    try {
      const value = work(db);
      db.exec("COMMIT");
      return value;
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  } finally {
    db.close();
  }
}
