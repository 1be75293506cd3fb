import { type AnyCapability, CapabilityError, defineCapability } from "@toolglot/trp-core";
import { z } from "zod";
import {
  broadcast,
  createTicket,
  type DeletedRecord,
  deletableKinds,
  deleteRecord,
  type OpenedTicket,
  type SentNotification,
} from "../shop/records.ts";

/**
 * What changes something. All three are `keyed`: the shop's file notes the operation key in the very transaction that has
 * the effect, and gives the first outcome for a key it knows. So an attempt after a crash can't double anything, and a
 * process that was stopped and wakes up late can't either. A deletion is not `idempotent`, though the record is gone
 * however often it is deleted: the second attempt could only say that there is none. Nor is it `probe`: that the record is
 * there now does not promise that a stopped process will not delete it later.
 */
export function writingCapabilities(database: string, now: () => Date = () => new Date()): AnyCapability[] {
  const ticket = defineCapability({
    capId: "cap.ticket.create.v1",
    name: "create_ticket",
    description: "Opens a ticket in the shop's ticket system. A person is asked first.",
    riskTier: "HIGH",
    ioClass: "WRITE",
    effect: "keyed",
    args: z.object({
      title: z.string().min(1).max(200).describe("One line"),
      body: z.string().min(1).max(5000).describe("What is to be done, with all numbers needed"),
      priority: z.enum(["low", "normal", "medium", "high"]).default("normal").describe("medium means normal"),
    }),
    adapt: ({ priority, ...rest }) => ({ ...rest, priority: priority === "medium" ? "normal" : priority }),
    execute: (input, { operationKey }) => unlessBusy(() => createTicket(database, input, { operationKey, now })),
    shape: (value) => ({ summary: `Ticket ${(value as OpenedTicket).ticket_id} is open.`, data: value }),
    examples: [
      { args: { title: "Lantern overheats", body: "Serial F4-10233: send a new battery.", priority: "high" } },
    ],
  });
  const deletion = defineCapability({
    capId: "cap.record.delete.v1",
    name: "delete_record",
    description: "Deletes one record for good, with the rows that belong to it. A person is asked first.",
    riskTier: "CRITICAL",
    ioClass: "WRITE",
    effect: "keyed",
    args: z.object({
      resource_type: z
        .string()
        .min(1)
        .max(50)
        .describe(`One of ${deletableKinds.join(", ")}`),
      resource_id: z.string().min(1).max(200).describe("The record's number"),
      reason: z.string().max(500).optional().describe("Why, for whoever is asked"),
    }),
    rules: [
      {
        name: "known-type",
        check: ({ resource_type }) =>
          deletableKinds.includes(resource_type)
            ? undefined
            : `resource_type: must be one of ${deletableKinds.join(", ")}`,
      },
      {
        name: "number",
        check: ({ resource_id }) =>
          Number.isSafeInteger(Number(resource_id)) && resource_id.trim() !== ""
            ? undefined
            : "resource_id: must be the record's number; look it up with query_sql",
      },
    ],
    execute: (input, { operationKey }) => unlessBusy(() => deleteRecord(database, input, { operationKey, now })),
    shape(value) {
      const { resource_type, resource_id, rows } = value as DeletedRecord;
      return {
        summary: `Deleted ${resource_type} ${resource_id}, ${rows} ${rows === 1 ? "row" : "rows"}.`,
        data: value,
      };
    },
    examples: [{ args: { resource_type: "ticket", resource_id: "1", reason: "it is done" } }],
  });
  const notification = defineCapability({
    capId: "cap.notify.broadcast.v1",
    name: "notify_broadcast",
    description: "Sends a message to everybody in a channel. It can't be taken back; a person is asked first.",
    riskTier: "CRITICAL",
    ioClass: "WRITE",
    effect: "keyed",
    args: z.object({
      channel: z.string().min(1).max(80).default("all").describe("Who gets it"),
      message: z.string().min(1).max(5000).describe("The text"),
    }),
    execute: (input, { operationKey }) => unlessBusy(() => broadcast(database, input, { operationKey, now })),
    shape(value) {
      const { channel, notification_id } = value as SentNotification;
      return { summary: `Message ${notification_id} went out to ${channel}.`, data: value };
    },
    examples: [{ args: { channel: "warehouse", message: "The lantern F4 is recalled: stop shipping it." } }],
  });
  return [ticket, deletion, notification];
}

/** A file that somebody else was writing to was not changed: such a call may simply be made again. */
function unlessBusy<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string" || !code.startsWith("SQLITE_BUSY")) throw error;
    throw new CapabilityError("The shop's database is busy.", { outcome: "not-applied", transient: true });
  }
}
