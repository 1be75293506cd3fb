import { attempt } from "@toolglot/internal";
import type { PolicyEngine } from "@toolglot/trp-core";
import { familyOf } from "@toolglot/trp-core/store";
import type { Caller, ImportedTool } from "@toolglot/trp-mcp";

/** Whether a policy could allow the tool to this caller, whatever the arguments are. */
export function maySee(policy: PolicyEngine, { principal: who }: Caller, tool: ImportedTool): boolean {
  const { capId, risk, io, effect } = tool;
  const capability = { capId, family: familyOf(capId), riskTier: risk, ioClass: io, effect };
  return attempt(() => policy.deniesAlways?.({ principal: who, capability })) !== true;
}
