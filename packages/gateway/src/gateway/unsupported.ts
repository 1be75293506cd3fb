import { ToolglotError } from "@toolglot/core";
import type { GatewayConfig } from "../config/config-types.ts";

/** Throws `ToolglotError` `gateway/unsupported` for settings that this version can't keep: nothing starts half configured. */
export function checkSupported({ settings }: GatewayConfig): void {
  if (settings.retention.auditDays > 0) {
    const message = "gateway.retention.auditDays: this version keeps the audit log for good. Leave the setting out.";
    throw new ToolglotError("gateway/unsupported", message);
  }
}
