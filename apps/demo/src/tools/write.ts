import type { AnyTool, ToolContext } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import { z } from "zod";
import { broadcast, createTicket, deletableKinds, deleteRecord } from "../shop/records.ts";

/** What a router adds to the context of a tool: the same key for every attempt at one operation. */
type WriteContext = ToolContext & { operationKey?: string };

/**
 * `create_ticket`, `delete_record` and `notify_broadcast`: all of them really write to the SQLite file, and ask first. With
 * an operation key, the file notes it in the very transaction that has the effect, and gives the first outcome for a key
 * it knows.
 */
export function writingTools(
  database: string,
  now: () => Date = () => new Date(),
): { ticket: AnyTool; deletion: AnyTool; notification: AnyTool } {
  const ticket = defineTool({
    name: "create_ticket",
    description: "Opens a ticket in the shop's ticket system. A person is asked first.",
    input: z.object({
      title: z.string().min(1).max(200).describe("One line"),
      body: z.string().min(1).max(5000).describe("What is to be done, with all numbers needed"),
      priority: z.enum(["low", "normal", "medium", "high"]).default("normal").describe("medium means normal"),
    }),
    output: z.object({
      ticket_id: z.number().int(),
      status: z.string().describe("open"),
      created_at: z.string().describe("ISO time"),
    }),
    annotations: { title: "Create a ticket", requiresApproval: true, riskTier: "HIGH" },
    execute({ priority, ...rest }, { operationKey }: WriteContext) {
      const input = { ...rest, priority: priority === "medium" ? ("normal" as const) : priority };
      return createTicket(database, input, { operationKey, now });
    },
  });
  const deletion = defineTool({
    name: "delete_record",
    description: "Deletes one record for good, with the rows that belong to it. A person is asked first.",
    input: z.object({
      resource_type: z.enum(deletableKinds as [string, ...string[]]),
      resource_id: z.string().min(1).max(200).describe("The record's number"),
      reason: z.string().max(500).optional().describe("Why, for the person who is asked"),
    }),
    output: z.object({
      deleted: z.boolean(),
      resource_type: z.string(),
      resource_id: z.string(),
      rows: z.number().int().describe("Rows removed, dependent ones included"),
    }),
    annotations: { title: "Delete a record", destructiveHint: true, riskTier: "CRITICAL" },
    execute: (input, { operationKey }: WriteContext) => deleteRecord(database, input, { operationKey, now }),
  });
  const notification = defineTool({
    name: "notify_broadcast",
    description: "Sends a message to everybody in a channel. It can't be taken back; a person is asked first.",
    input: z.object({
      channel: z.string().min(1).max(80).default("all").describe("Who gets it"),
      message: z.string().min(1).max(5000).describe("The text"),
    }),
    annotations: { title: "Notify a channel", requiresApproval: true, riskTier: "CRITICAL" },
    execute: (input, { operationKey }: WriteContext) => broadcast(database, input, { operationKey, now }),
  });
  return { ticket, deletion, notification };
}
