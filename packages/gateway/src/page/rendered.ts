import type { JsonObject } from "@toolglot/core";
import { visibleText } from "@toolglot/internal";
import type { Router } from "@toolglot/trp-core";

/** The record of a request for approval. */
export type Approval = Awaited<ReturnType<Router["approvals"]["approve"]>>;

/** When the same was last done, and who allowed it. */
export interface LastDone {
  /** Milliseconds since the epoch. */
  at: number;
  by?: string;
}

/** One line about an argument, in the words of the router. */
export interface ArgumentLine {
  /** The JSON pointer, or the name of an argument. Empty for a line that is about none. */
  path: string;
  value: string;
}

/**
 * Returns the arguments as `router.approvals.render` writes them. What a model wrote stands in its text only behind `| `, quoted and
 * without line breaks, so each line is what it seems to be.
 */
export function argumentLines(router: Pick<Router, "approvals">, approval: Approval): ArgumentLine[] {
  const lines = router.approvals.render(approval).split("\n");
  return lines.flatMap((line): ArgumentLine[] => {
    if (line.startsWith("  ! ")) return [{ path: "", value: line.slice(4) }];
    if (!line.startsWith("  | ")) return [];
    const [, path, value] = /^ {2}\| ("(?:[^"\\]|\\.)*"|\(none\)) = (.*)$/s.exec(line) ?? [];
    if (path === "(none)") return [];
    if (path === undefined || value === undefined) return [{ path: "", value: line.slice(4) }];
    // A name at the top is shown as it is; what has more than letters keeps the form of a pointer.
    return [{ path: path.slice(1, -1).replace(/^\/([\w-]+)$/, "$1"), value }];
  });
}

/** A call of which nobody knows whether it happened. */
export type Doubt = Awaited<ReturnType<Router["operations"]["inDoubt"]>>[number];

/** The call in the record of an operation. */
export interface DoubtCall {
  capId: string;
  args: JsonObject;
  requester: string;
  tenant: string;
}

export function callOf({ data }: Doubt): DoubtCall | undefined {
  const { cap_id, args, principal } = (data ?? {}) as { cap_id?: unknown; args?: unknown; principal?: unknown };
  const { id, tenant } = (principal ?? {}) as { id?: unknown; tenant?: unknown };
  if (typeof cap_id !== "string" || typeof args !== "object" || args === null) return undefined;
  if (typeof id !== "string" || typeof tenant !== "string") return undefined;
  return { capId: cap_id, args: args as JsonObject, requester: id, tenant };
}

/** Puts the arguments of such a call into the same words as those of a request. */
export function doubtLines(router: Pick<Router, "approvals">, doubt: Doubt, call: DoubtCall): ArgumentLine[] {
  return argumentLines(router, {
    ...{ id: "", tenant: call.tenant, requester: call.requester, capId: call.capId, args: call.args },
    ...{ operation: { scope: doubt.scope, key: doubt.key }, fingerprint: doubt.fingerprint },
    ...{ riskTier: "", reason: "", policyVersion: "", status: "used", createdAt: 0, expiresAt: 0 },
  });
}

/** Returns a value as JSON on several lines; what can't be seen in it is escaped, as JSON has it. */
export function visibleJson(value: unknown): string {
  const escaped = (letter: string): string =>
    letter.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const lines = JSON.stringify(value, undefined, 2).split("\n");
  return lines.map((line) => visibleText(line, escaped)).join("\n");
}
