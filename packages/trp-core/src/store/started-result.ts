import type { ClaimRequest, JsonObject, JsonValue, OperationClaim } from "@toolglot/core";
import { beginOperation, claimOperation } from "@toolglot/core/operation-log";
import type { StartResult } from "./types.ts";

/**
 * Builds the result of a start of which a store only tells the time and the fence, because the caller knows all the rest. `data`: the
 * JSON of the record's data.
 */
export function startedResult(
  request: ClaimRequest,
  data: string | undefined,
  now: number,
  fence: number,
): Extract<StartResult, { status: "claimed" }> {
  const { result, keep } = claimOperation(undefined, request, now, fence);
  const { claim } = result as { claim: OperationClaim };
  const { record } = beginOperation(keep, claim, undefined, now) as NonNullable<typeof keep>;
  if (data === undefined) return { status: "claimed", claim, record };
  // Few callers read the data that they have just passed, so it is parsed only on demand.
  const own = {
    ...record,
    get data(): JsonValue {
      return JSON.parse(data) as JsonObject;
    },
  };
  return { status: "claimed", claim, record: own };
}
