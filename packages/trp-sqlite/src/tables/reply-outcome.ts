import type { CallOutcome, ResponseFrame } from "@toolglot/trp-core/store";

/** How the call of a frame was answered, by the answer of the frame. */
export function outcomeOf({ frame_type: type, payload }: ResponseFrame): CallOutcome {
  return { type, payload } as CallOutcome;
}

/** Whether that is the whole of an outcome. */
export function isReply(outcome: CallOutcome, { frame_type: type, payload }: ResponseFrame): boolean {
  return outcome.payload === payload && outcome.type === type && !("doubt" in outcome);
}
