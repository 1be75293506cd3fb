import type { CallOutcome } from "../../store/frame-types.ts";
import type { RouterStore } from "../../store/types.ts";
import { settledFromRecord } from "../outcome.ts";
import type { Settled } from "../types.ts";
import { readOperation } from "./read-operation.ts";

/**
 * Returns the outcome of an operation in doubt, for a call that was answered `UNKNOWN`, after a person
 * has settled it. `gone`: the store no longer has the operation, because the person settled it as not applied, or
 * because its outcome has expired. Undefined while nobody has settled it, and for calls with another outcome.
 */
export async function afterDoubt(
  operations: Pick<RouterStore["operations"], "read">,
  outcome: CallOutcome | undefined,
): Promise<Settled | "gone" | undefined> {
  const doubt = outcome?.type === "RESULT" ? outcome.doubt : undefined;
  if (doubt === undefined) return undefined;
  const record = await readOperation(operations, doubt);
  // An operation in doubt is never claimed. So a higher fence means that this attempt was settled and a new one
  // followed.
  if (record?.fence !== doubt.fence) return "gone";
  const settled = settledFromRecord(record);
  return settled?.kind === "unknown" ? undefined : settled;
}
