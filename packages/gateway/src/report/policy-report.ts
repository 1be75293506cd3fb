import { checkKeys } from "@toolglot/internal";
import type { AuditRow, RouterStore } from "@toolglot/trp-core/store";
import { observed } from "@toolglot/trp-mcp";
import { toolFromId } from "./tool-names.ts";

/** What one rule of a policy decided about one tool. */
export interface PolicyReportLine {
  /** Name of the rule. */
  rule: string;
  decision: "allow" | "approve" | "deny";
  /** False where the policy only observed (`mode: "observe"`): the calls ran, whatever the decision says. */
  applied: boolean;
  /** As in the capability's id. Empty for what is no server's: the gateway's own capabilities. */
  server: string;
  /** As in the capability's id; the whole id where there is no server. */
  tool: string;
  /** Calls that the rule decided about. One that waits for its approval and is made again counts each time. */
  calls: number;
  /** Those of them that a person was asked about, and that waited. */
  asked: number;
  /** Those of them that were refused. */
  refused: number;
  /** Time of the last of them, ISO 8601. */
  last: string;
}

/** What a policy decided, from the audit log. */
export interface PolicyReport {
  /** Rows from this time on; absent: all that the log has. ISO 8601. */
  since?: string;
  /** Rows of the audit log that were read. */
  rows: number;
  /** Most calls first. */
  lines: PolicyReportLine[];
}

/** Options of {@link policyReport}. */
export interface PolicyReportOptions {
  /** Only calls from this time on. Milliseconds since the epoch. Default: all. */
  since?: number;
}

const pageSize = 1_000;

/**
 * Reads the audit log of a store, one page after another, and counts what the policy decided, by rule, server and tool. Rejects when the
 * store does.
 */
export async function policyReport(
  store: Pick<RouterStore, "audit">,
  options: PolicyReportOptions = {},
): Promise<PolicyReport> {
  checkKeys("policyReport", options, "since:number");
  const { since } = options;
  const lines = new Map<string, PolicyReportLine>();
  let rows = 0;
  let after = 0;
  for (;;) {
    const page = await store.audit.read({ after, limit: pageSize });
    for (const row of page) {
      if (since === undefined || row.at >= since) count(lines, row);
    }
    rows += page.length;
    after = page.at(-1)?.index ?? after;
    if (page.length < pageSize) break;
  }
  const sorted = [...lines.values()].sort((one, other) => other.calls - one.calls || compare(keyOf(one), keyOf(other)));
  return { ...(since !== undefined && { since: new Date(since).toISOString() }), rows, lines: sorted };
}

/** Every call has one row about how it ended, and it names the rule that decided; a call that was refused before has none. */
function count(lines: Map<string, PolicyReportLine>, { at, entry }: AuditRow): void {
  const { kind, policy_rule: rule, policy_decision: decision, cap_id, error_code: code } = entry;
  if (kind !== "outcome" || rule === null || decision === null) return;
  const fresh = {
    ...ruleOf(rule, decision),
    ...(toolFromId(cap_id) ?? { server: "", tool: cap_id }),
    calls: 0,
    asked: 0,
    refused: 0,
    last: "",
  };
  const key = keyOf(fresh);
  const line = lines.get(key) ?? fresh;
  lines.set(key, line);
  line.calls++;
  if (code === "TRP_4002") line.asked++;
  else if (entry.result_status === "REFUSED") line.refused++;
  const time = new Date(at).toISOString();
  if (time > line.last) line.last = time;
}

function ruleOf(
  rule: string,
  decision: PolicyReportLine["decision"],
): Pick<PolicyReportLine, "rule" | "decision" | "applied"> {
  for (const [would, prefix] of Object.entries(observed)) {
    if (rule.startsWith(prefix)) {
      return { rule: rule.slice(prefix.length), decision: would as keyof typeof observed, applied: false };
    }
  }
  return { rule, decision, applied: true };
}

function keyOf({ applied, decision, rule, server, tool }: PolicyReportLine): string {
  return [applied ? 1 : 0, decision, rule, server, tool].join("\0");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
