import type { JsonObject, OperationKey } from "@toolglot/core";
import { verifyApprovalToken } from "../approvals/token.ts";
import { isFault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import type { PolicyDecision } from "../policy/types.ts";
import type { ApprovalUse } from "../store/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { approvalDenied, approvalPending, conflict, tooManyPending } from "./faults.ts";
import type { IncomingCall } from "./types.ts";

/**
 * What allows the start of a call that needs consent: the token that it carries, or the record of its operation. Neither
 * is spent here, but with the start. Rejects when the store does.
 */
export async function approvalFor(
  dependencies: CallDependencies,
  call: IncomingCall,
  wanted: { operation: OperationKey; args: JsonObject; fingerprint: string; decision: PolicyDecision },
): Promise<ApprovalUse | Fault> {
  const { store, approvals, approvalSecrets, policy } = dependencies;
  const { item, capability, principal } = call;
  if (typeof item.approval_token === "string") {
    const token = verifyApprovalToken(item.approval_token, {
      secrets: approvalSecrets,
      capId: capability.capId,
      // A token is made by somebody who has the call, not the router's defaults.
      args: item.args,
      requester: principal.id,
      now: store.now(),
    });
    return isFault(token) ? token : { kind: "token", jti: token.jti, expiresAt: token.expiresAt };
  }
  const { status, record } = await approvals.request(call, { ...wanted, version: policy.version });
  if (status === "conflict") return conflict();
  if (status === "too-many") return tooManyPending();
  switch (record.status) {
    case "approved":
    // Used by this very operation, which may be started again.
    case "used":
      return { kind: "record", id: record.id, fingerprint: record.fingerprint };
    case "denied":
      return approvalDenied(record);
    default:
      return approvalPending(record);
  }
}
