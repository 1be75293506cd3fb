import { operationId } from "../calls/keys.ts";
import type { ApprovalRecord } from "../store/types.ts";
import type { NewEvent } from "./types.ts";

/** What a store tells with a new request for approval. Only the store knows when it expires. */
export function approvalRequested(record: ApprovalRecord): NewEvent {
  const { id: approvalId, tenant, requester, capId, expiresAt } = record;
  const operation = operationId(record.operation);
  return { type: "approval.requested", approvalId, tenant, requester, capId, expiresAt, operation };
}
