import type { CapabilityData, PrincipalData } from "./vector.ts";

/** Who there is in every vector. */
export const standardPrincipals: Record<string, PrincipalData> = {
  agent: { id: "agent-1", roles: ["analyst"] },
  /** Another principal of the same tenant. */
  other: { id: "agent-2", roles: ["analyst"] },
  boss: { id: "boss-1", roles: ["approver"] },
  reader: { id: "reader-1", roles: ["readonly"] },
  deleter: { id: "deleter-1", roles: ["analyst"], can_delete: true },
  /** Another tenant's principal, with the agent's id. */
  stranger: { id: "agent-1", tenant: "elsewhere", roles: ["analyst"] },
};

const text = {
  type: "object",
  properties: {
    text: { type: "string", maxLength: 200 },
    times: { type: "integer", minimum: 1, maximum: 10, default: 1 },
  },
  required: ["text"],
  additionalProperties: false,
};

/** What there is to call in every vector that names no others: idx 0 to 4. */
export const standardCapabilities: CapabilityData[] = [
  {
    cap_id: "cap.test.echo.v1",
    name: "echo",
    desc: "Says what it was told.",
    risk_tier: "LOW",
    io_class: "READ",
    effect: "pure",
    schema: text,
    does: "echo",
    examples: [{ args: { text: "hello" } }],
  },
  {
    cap_id: "cap.test.write.v1",
    name: "write",
    desc: "Writes something down.",
    risk_tier: "MEDIUM",
    io_class: "WRITE",
    effect: "opaque",
    schema: text,
    does: "count",
  },
  {
    cap_id: "cap.test.danger.v1",
    name: "danger",
    desc: "Tells the outside world.",
    risk_tier: "HIGH",
    io_class: "WRITE",
    effect: "opaque",
    schema: text,
    does: "count",
  },
  {
    cap_id: "cap.test.delete.v1",
    name: "delete",
    desc: "Deletes something.",
    risk_tier: "CRITICAL",
    io_class: "WRITE",
    effect: "opaque",
    schema: text,
    does: "count",
  },
  {
    cap_id: "cap.test.private.v1",
    name: "private",
    desc: "Reads what is sensitive.",
    risk_tier: "MEDIUM",
    io_class: "READ",
    effect: "pure",
    schema: text,
    does: "count",
  },
];
