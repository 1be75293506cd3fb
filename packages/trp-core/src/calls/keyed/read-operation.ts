import type { OperationKey, OperationRecord } from "@toolglot/core";
import type { RouterOperationLog } from "../../store/types.ts";

/** Reads what stands in the way of a call. That somebody settled a doubt as not applied does not: the key is free. */
export async function readOperation(
  operations: Pick<RouterOperationLog, "read">,
  key: OperationKey,
  effectId?: string,
): Promise<OperationRecord | undefined> {
  const record = await operations.read(key, effectId);
  return record?.state === "released" ? undefined : record;
}
