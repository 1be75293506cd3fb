import type { AnyTool } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import { z } from "zod";
import { createTicket, deletableKinds, deleteRecord } from "../shop/records.ts";

/** `create_ticket` and `delete_record`: both really write to the SQLite file, and both ask first. */
export function writingTools(database: string, now: () => Date = () => new Date()): AnyTool[] {
  const ticket = defineTool({
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
    execute: (input) => createTicket(database, input, { now }),
  });
  const deletion = defineTool({
    name: "delete_record",
    description: "Deletes one record for good, with the rows that belong to it. A person is asked first.",
    input: z.object({
      resource_type: z.enum(deletableKinds as [string, ...string[]]),
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
    execute: (input) => deleteRecord(database, input),
  });
  return [ticket, deletion];
}
