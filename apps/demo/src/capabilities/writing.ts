import type { AnyTool } from "@toolglot/core";
import { type AnyCapability, CapabilityError, capabilityOf } from "@toolglot/trp-core";
import type { DeletedRecord, OpenedTicket, SentNotification } from "../shop/records.ts";
import { writingTools } from "../tools/write.ts";

/**
 * The demo's tools that change something, as capabilities. All three are `keyed`: the shop's file remembers operation
 * keys. So an attempt after a crash can't double anything, and a process that was stopped and wakes up late can't either.
 * A deletion is not `idempotent`, though the record is gone however often it is deleted: the second attempt could only say
 * that there is none. Nor is it `probe`: that the record is there now does not promise that a stopped process will not
 * delete it later.
 */
export function writingCapabilities(database: string): AnyCapability[] {
  const { ticket, deletion, notification } = writingTools(database);
  return [
    keyed(ticket, {
      capId: "cap.ticket.create.v1",
      shape: (value) => ({ summary: `Ticket ${(value as OpenedTicket).ticket_id} is open.`, data: value }),
      examples: [
        { args: { title: "Lantern overheats", body: "Serial F4-10233: send a new battery.", priority: "high" } },
      ],
    }),
    keyed(deletion, {
      capId: "cap.record.delete.v1",
      rules: [
        {
          name: "number",
          check: ({ resource_id }) =>
            Number.isSafeInteger(Number(resource_id)) && String(resource_id).trim() !== ""
              ? undefined
              : "resource_id: must be the record's number; look it up with query_sql",
        },
      ],
      shape(value) {
        const { resource_type, resource_id, rows } = value as DeletedRecord;
        const counted = `${rows} ${rows === 1 ? "row" : "rows"}`;
        return { summary: `Deleted ${resource_type} ${resource_id}, ${counted}.`, data: value };
      },
      examples: [{ args: { resource_type: "ticket", resource_id: "1", reason: "it is done" } }],
    }),
    keyed(notification, {
      capId: "cap.notify.broadcast.v1",
      shape(value) {
        const { channel, notification_id } = value as SentNotification;
        return { summary: `Message ${notification_id} went out to ${channel}.`, data: value };
      },
      examples: [{ args: { channel: "warehouse", message: "The lantern F4 is recalled: stop shipping it." } }],
    }),
  ];
}

/** A file that another process was writing to was not changed: such a call may simply be made again. */
function keyed(tool: AnyTool, facts: Parameters<typeof capabilityOf>[1]): AnyCapability {
  return capabilityOf(tool, {
    ...facts,
    effect: "keyed",
    execute(args, context) {
      try {
        return tool.execute(args, context);
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (typeof code !== "string" || !code.startsWith("SQLITE_BUSY")) throw error;
        throw new CapabilityError("The shop's database is busy.", { outcome: "not-applied", transient: true });
      }
    },
  });
}
