import type { SecretMask } from "../secrets/mask.ts";
import type { GatewayOptions, LogLine } from "./types.ts";

/** Returns what writes to a host's log: no secrets, and never an error. */
export function maskedLog(log: GatewayOptions["log"], mask: SecretMask): (line: LogLine) => void {
  return (line) => {
    try {
      log?.({ ...line, message: mask.mask(line.message) });
    } catch {
      // The host's log is its own affair.
    }
  };
}
