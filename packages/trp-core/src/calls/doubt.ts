import type { CallOutcome } from "../store/session-types.ts";
import type { RouterStore } from "../store/types.ts";
import { settledFromRecord } from "./outcome.ts";
import type { Settled } from "./types.ts";

/**
 * What the operation has come to whose unknown outcome a call was told. `gone`: it is not there any more, since somebody said
 * that it was not applied, or its outcome was forgotten. Undefined for other outcomes, and while nobody has said anything.
 */
export async function afterDoubt(
  operations: Pick<RouterStore["operations"], "read">,
  outcome: CallOutcome | undefined,
): Promise<Settled | "gone" | undefined> {
  const doubt = outcome?.type === "RESULT" ? outcome.doubt : undefined;
  if (doubt === undefined) return undefined;
  const record = await operations.read(doubt);
  // What is in doubt is never claimed again: a later attempt came after this one was settled.
  if (record?.fence !== doubt.fence) return "gone";
  const settled = settledFromRecord(record);
  return settled?.kind === "unknown" ? undefined : settled;
}
