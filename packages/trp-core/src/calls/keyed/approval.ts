import type { OperationKey } from "@toolglot/core";
import { verifyApprovalToken } from "../../approvals/token.ts";
import { type Fault, fault, isFault } from "../../frames/fault.ts";
import type { PolicyDecision } from "../../policy/types.ts";
import type { ApprovalUse } from "../../store/types.ts";
import type { Checked } from "../check-call.ts";
import type { CallDependencies } from "../dependencies.ts";
import { approvalDenied, approvalPending } from "../faults.ts";
import type { IncomingCall } from "../types.ts";
import type { OperationData } from "./operation-data.ts";

/**
 * Returns the approval that allows the start of a call that needs one: the one that an earlier attempt used, the token in the call, or the approval
 * record of the operation. It is not used up here, but together with the start. Rejects when the store does.
 */
export async function approvalFor(
  { store, approvals, approvalSecrets, policy }: CallDependencies,
  call: IncomingCall,
  { operation, checked, before }: { operation: OperationKey; checked: Checked; before: OperationData | undefined },
  decision: PolicyDecision,
): Promise<ApprovalUse | Fault> {
  if (before?.approval !== undefined) return before.approval;
  const { args, fingerprint } = checked;
  const { item, capability, principal } = call;
  if (typeof item.approval_token === "string") {
    const token = verifyApprovalToken(item.approval_token, {
      secrets: approvalSecrets,
      capId: capability.capId,
      // The signer of a token knows the arguments of the call without the router's defaults.
      args: item.args,
      requester: principal.id,
      now: store.now(),
    });
    return isFault(token) ? token : { kind: "token", jti: token.jti, expiresAt: token.expiresAt };
  }
  const wanted = { operation, args, fingerprint, decision, version: policy.version };
  const { status, record } = await approvals.request(call, wanted);
  if (status === "conflict") return fault("TRP_4004");
  // No request was made, because this caller already has the maximum number of waiting requests.
  if (status === "too-many") return fault("TRP_4008");
  switch (record.status) {
    case "approved":
    // This very operation has used it, and may be started again.
    case "used":
      return { kind: "record", id: record.id, fingerprint: record.fingerprint };
    case "denied":
      return approvalDenied(record);
    default:
      return approvalPending(record);
  }
}
