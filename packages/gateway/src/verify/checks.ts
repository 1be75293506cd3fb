import { errorText } from "@toolglot/internal";
import type { GatewayConfig } from "../config/config-types.ts";
import { alteredAudit } from "./altered-audit.ts";
import { changedApproval, replayedApproval } from "./approval-checks.ts";
import { onStore } from "./guarded.ts";
import { lostReply } from "./lost-reply.ts";
import { manyProcesses } from "./many-processes.ts";
import type { VerifyParts } from "./parts.ts";
import { damagedArguments, expiredToken, noPrincipal, unknownTool } from "./refusal-checks.ts";
import { repeatedEffect } from "./repeated-effect.ts";
import { openRig, type Rig, type VerifiedConfig, verified } from "./rig.ts";
import { type Finding, fail, type GuaranteeName, type VerifyResult } from "./types.ts";

type Check = (config: VerifiedConfig, parts: VerifyParts) => Promise<Finding>;

const checks: Readonly<Record<GuaranteeName, Check>> = {
  "changed approval": withRig(changedApproval),
  "replayed approval": withRig(replayedApproval),
  "repeated effect": repeatedEffect,
  "8 processes one winner": manyProcesses,
  "lost reply then retry": lostReply,
  "unknown tool": withRig(unknownTool),
  "no principal": withRig(noPrincipal),
  "expired token": withRig(expiredToken),
  "damaged arguments": withRig(damagedArguments),
  "altered audit row": alteredAudit,
};

/** Finds out which of these guarantees hold with a configuration, and with parts of a gateway. */
export async function verifyParts(
  config: Pick<GatewayConfig, "settings" | "servers">,
  parts: VerifyParts,
  names: readonly GuaranteeName[] = Object.keys(checks) as GuaranteeName[],
): Promise<VerifyResult[]> {
  const given = verified(config);
  const results: VerifyResult[] = [];
  for (const name of names) {
    const finding = await checks[name](given, parts).catch((error: unknown) => fail(errorText(error)));
    results.push({ name, ...finding });
  }
  return results;
}

function withRig(check: (rig: Rig, parts: VerifyParts) => Promise<Finding>): Check {
  return (config, parts) =>
    onStore(config, async (file) => {
      const rig = await openRig(config, parts, file);
      try {
        return await check(rig, parts);
      } finally {
        await rig.close();
      }
    });
}
