import { checkKeys } from "@toolglot/internal";
import type { DurableOptions } from "./types.ts";

/** {@link DurableOptions}, complete. */
export type DurableSettings = Required<DurableOptions>;

const day = 24 * 60 * 60 * 1000;
/** Timers of Node end at 2^31 ms. */
const maxMs = 2 ** 31 - 1000;

/** Fills in defaults. Throws `TypeError` for what makes no sense. */
export function resolveSettings(options: DurableOptions): DurableSettings {
  checkKeys("durable", options, "log id parkAfterMs leaseMs keepMs");
  const { log, id, parkAfterMs = 60_000, leaseMs = 15_000, keepMs = 30 * day } = options;
  if (typeof log?.claim !== "function" || typeof log.read !== "function") {
    throw new TypeError(
      "durable.log must be an operation log, as new MemoryOperationLog() or openSqliteOperationLog().",
    );
  }
  if (typeof id !== "string" || id.length === 0 || id.length > 200) {
    throw new TypeError("durable.id must be a text of 1 to 200 characters.");
  }
  checkMs("parkAfterMs", parkAfterMs, 0, maxMs);
  checkMs("leaseMs", leaseMs, 10, maxMs);
  checkMs("keepMs", keepMs, 1000, Number.MAX_SAFE_INTEGER / 1000);
  return { log, id, parkAfterMs, leaseMs, keepMs };
}

function checkMs(name: string, value: unknown, least: number, most: number): void {
  if (typeof value === "number" && value >= least && value <= most) return;
  throw new TypeError(`durable.${name} must be a number of milliseconds from ${least} to ${most}.`);
}
