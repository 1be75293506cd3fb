import { visibleText as shown } from "@toolglot/internal";
import type { ApprovalRecord } from "../store/approval-types.ts";

/** Letters of a value that are shown at its beginning and its end; what is between is given by its length. */
const head = 7500;
const tail = 500;
/** Values that are shown one by one. */
const maxValues = 200;

/**
 * A request in words, as an approver is to see it: who asks for what, and every argument on a line of its own. What the
 * model wrote stands only behind `| `, quoted and without a raw line break, so that nothing in it can be taken for a line
 * of the router's; what can't be seen is shown as its code point.
 */
export function renderApproval(approval: ApprovalRecord): string {
  const { id, capId, riskTier, requester, tenant, reason, status, expiresAt, policyVersion, args, operation } =
    approval;
  const lines = [
    `Request ${shown(id)}: ${status}, until ${new Date(expiresAt).toISOString()}`,
    `Capability: ${shown(capId)}`,
    `Risk: ${shown(riskTier)}`,
    `Requested by: ${quoted(requester)} of tenant ${quoted(tenant)}`,
    `Why approval is needed: ${shown(reason)} (policy ${shown(policyVersion)})`,
    `Idempotency key: ${quoted(operation.key)}`,
    `Arguments, ${shown(approval.fingerprint)}:`,
  ];
  let count = 0;
  for (const [path, value] of leaves(args, "")) {
    if (++count <= maxValues) lines.push(`  | ${path === "" ? "(none)" : quoted(path)} = ${rendered(value)}`);
  }
  if (count > maxValues) lines.push(`  ! ${count - maxValues} more values are not shown: read them in the record`);
  const { deniedBefore } = approval;
  if (deniedBefore !== undefined) {
    const at = new Date(deniedBefore.at).toISOString();
    lines.push(`Denied before: request ${shown(deniedBefore.id)}, by ${quoted(deniedBefore.by)}, at ${at}`);
  }
  if (approval.decidedBy !== undefined) {
    lines.push(
      `Decided by: ${quoted(approval.decidedBy)}${approval.comment ? `, who says ${quoted(approval.comment)}` : ""}`,
    );
  }
  return lines.join("\n");
}

/** Returns every value that has no parts, by its JSON pointer; empty objects and lists too. */
function* leaves(value: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (typeof value !== "object" || value === null) yield [path, value];
  else {
    const entries = Object.entries(value);
    if (entries.length === 0) yield [path, value];
    for (const [key, part] of entries) {
      yield* leaves(part, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  }
}

function rendered(value: unknown): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}

/** Returns a text in quotes, what can't be seen made visible, and the middle of a long one left out. */
function quoted(text: string): string {
  if (text.length <= head + tail) return `"${escaped(text)}"`;
  const cut = text.length - head - tail;
  return `"${escaped(text.slice(0, head))}" [${cut} of ${text.length} characters are not shown] "${escaped(text.slice(-tail))}"`;
}

function escaped(text: string): string {
  return shown(text.replaceAll("\\", "\\\\").replaceAll('"', '\\"'));
}
