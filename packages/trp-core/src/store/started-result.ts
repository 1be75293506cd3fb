import type { ClaimRequest, JsonObject, JsonValue, OperationClaim, OperationRecord } from "@toolglot/core";
import { beginOperation, claimOperation } from "@toolglot/core/operation-log";
import { sharedGetter } from "@toolglot/internal";
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
  return { status: "claimed", claim, record: new StartedRecord(record, data) as OperationRecord & StartedRecord };
}

/** A record whose data is parsed when somebody reads it: few callers do, since they have just passed it. */
class StartedRecord {
  static readonly #data: PropertyDescriptor = /* @__PURE__ */ sharedGetter(function (this: StartedRecord): JsonValue {
    return JSON.parse(this.#text) as JsonObject;
  });

  readonly #text: string;

  constructor(record: OperationRecord, text: string) {
    this.#text = text;
    Object.assign(this, record);
    Object.defineProperty(this, "data", StartedRecord.#data);
  }
}
