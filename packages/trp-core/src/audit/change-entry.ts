import { aboutNoCall } from "./about-no-call.ts";
import type { AuditEntry, CapabilityChange } from "./types.ts";

/** The entry about a change of a capability. */
export function changeEntry({ capId, decidedBy, fields }: CapabilityChange): AuditEntry {
  return {
    ...fields,
    ...aboutNoCall,
    kind: "change",
    tenant: "",
    principal: "",
    cap_id: capId,
    result_status: decidedBy === undefined ? "CHANGED" : "APPROVED",
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
  };
}
