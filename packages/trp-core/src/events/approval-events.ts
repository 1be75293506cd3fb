import { operationId } from "../calls/keyed/keys.ts";
import type { ApprovalRecord } from "../store/approval-types.ts";
import type { NewEvent } from "./types.ts";

/**
 * Returns the event for a new request for approval. The store creates it, because only the store knows when the request
 * expires.
 */
export function approvalRequested(record: ApprovalRecord): NewEvent {
  const { id: approvalId, tenant, requester, capId, expiresAt } = record;
  const operation = operationId(record.operation);
  return { type: "approval.requested", approvalId, tenant, requester, capId, expiresAt, operation };
}
