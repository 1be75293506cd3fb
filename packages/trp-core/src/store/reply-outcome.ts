import type { ResponseFrame } from "../frames/types.ts";
import type { CallOutcome } from "./frame-types.ts";

/** Returns the outcome of a frame's only call, taken from the reply to the frame. */
export function outcomeOf({ frame_type: type, payload }: ResponseFrame): CallOutcome {
  return { type, payload } as CallOutcome;
}

/** Whether an outcome holds nothing but the reply. */
export function isReply(outcome: CallOutcome, { frame_type: type, payload }: ResponseFrame): boolean {
  return outcome.payload === payload && outcome.type === type && !("doubt" in outcome);
}
