import type { OperationLog } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { checkNumbers } from "../check-numbers.ts";
import type { DurableOptions } from "./types.ts";

/** {@link DurableOptions}, complete. */
export interface DurableSettings extends Required<Omit<DurableOptions, "storage">> {
  log: OperationLog;
}

const day = 24 * 60 * 60 * 1000;
const ranges = {
  // Timers of Node end at 2^31 ms.
  parkAfterMs: [0, 2 ** 31 - 1000],
  leaseMs: [10, 2 ** 31 - 1000],
  keepMs: [1000, 9_000_000_000_000],
} as const;

const cures = { storage: "memoryStorage() and folderStorage(dir) create one." };

/** Fills in defaults. Throws `TypeError` for what makes no sense. */
export function resolveSettings(options: DurableOptions): DurableSettings {
  checkKeys(
    "run: durable",
    options,
    "storage:object id:text parkAfterMs:number leaseMs:number keepMs:number",
    ["storage", "id"],
    cures,
  );
  const { storage, id, parkAfterMs = 60_000, leaseMs = 15_000, keepMs = 30 * day } = options;
  const { operations: log } = storage ?? {};
  const isLog = (["claim", "renew", "begin", "finish", "doubt", "settle", "read"] as const).every(
    (name) => typeof log?.[name] === "function",
  );
  if (log === undefined || !isLog) throw new TypeError(`durable.storage must be a storage. ${cures.storage}`);
  if (id === undefined || id.length > 200) throw new TypeError("durable.id must be a text of 1 to 200 characters.");
  checkNumbers("durable", { parkAfterMs, leaseMs, keepMs }, ranges);
  return { log, id, parkAfterMs, leaseMs, keepMs };
}
