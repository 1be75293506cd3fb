import { randomUUID } from "node:crypto";
import type { AuditCheckpoint } from "@toolglot/trp-core";
import type { ImportNotice } from "@toolglot/trp-mcp";
import type { WebhookEvent } from "./webhook-body.ts";

/** Returns an event with the audit log's end: whoever keeps it finds a log that was cut off, or written anew. */
export function headEvent({ index, hash, at }: AuditCheckpoint): WebhookEvent {
  return {
    type: "audit.head",
    // A log that was written anew has other hashes.
    id: `head_${index}_${hash.slice(0, 12)}`,
    at: new Date(at).toISOString(),
    summary: `The audit log ends with row ${index}, whose hash is ${hash}.`,
    facts: { index, hash },
  };
}

/** Returns an event for a tool that is not what it was. `at`: by the store's clock, as all events. */
export function toolEvent({ server, tool = "", kind, message }: ImportNotice, at: number): WebhookEvent {
  return {
    type: "upstream.changed",
    id: `upstream_${randomUUID()}`,
    at: new Date(at).toISOString(),
    summary: `${server} › ${tool}: ${message}`,
    facts: { server, tool, kind },
  };
}
