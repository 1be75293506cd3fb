import type { CallOutcome, ResponseFrame } from "@toolglot/trp-core/store";

/** Returns the outcome of a frame's only call, taken from the reply to the frame. */
export function outcomeOf({ frame_type: type, payload }: ResponseFrame): CallOutcome {
  return { type, payload } as CallOutcome;
}

/** Whether an outcome holds nothing but the reply. */
export function isReply(outcome: CallOutcome, { frame_type: type, payload }: ResponseFrame): boolean {
  return outcome.payload === payload && outcome.type === type && !("doubt" in outcome);
}
