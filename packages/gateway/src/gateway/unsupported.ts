import { ToolglotError } from "@toolglot/core";
import type { GatewayConfig } from "../config/config-types.ts";

/** Throws `ToolglotError` `gateway/unsupported` for settings that this version can't keep: nothing starts half configured. */
export function checkSupported({ settings }: GatewayConfig): void {
  if (settings.retention.auditDays > 0) {
    throw unsupported("gateway.retention.auditDays", "the audit log is kept for good");
  }
}

function unsupported(setting: string, what: string): ToolglotError {
  return new ToolglotError("gateway/unsupported", `${setting}: in this version ${what}. Leave the setting out.`);
}
