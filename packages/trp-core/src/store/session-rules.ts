import type { ResponseFrame } from "../frames/types.ts";
import type { Admission, AdmissionResult, CallOutcome, CallRecord, KnownCall } from "./frame-types.ts";

// The rules of sessions, for all stores.

/** How many frames a session remembers by default. */
export const defaultKeepFrames = 1024;

/**
 * After the session has admitted `seq`, it may forget frames up to the returned seq (inclusive). It may also forget the
 * calls up to it that have an outcome, and those without an operation whose deadline is over. 0: forget nothing now. A
 * session forgets only now and then, in steps of a sixteenth of `keepFrames`, so that not every frame pays for it.
 * So it remembers at least `keepFrames` frames, and at most a sixteenth more.
 */
export function forgetUpTo(seq: number, keepFrames: number = defaultKeepFrames): number {
  return seq % Math.ceil(keepFrames / 16) === 0 ? Math.max(0, seq - keepFrames) : 0;
}

/**
 * A call from a frame up to the returned seq (inclusive) is remembered anew, as if it had come with the frame `seq`.
 * This happens when the frame `seq` asks about the call, or when the call is answered while `seq` is the session's last
 * one. So a caller who waits long for a call still finds its outcome.
 */
export function renewUpTo(seq: number, keepFrames: number = defaultKeepFrames): number {
  return seq - Math.ceil(keepFrames / 2);
}

/** Throws `TypeError` when an admission is malformed. */
export function checkAdmission({ seq, keepFrames }: Admission): void {
  if (!Number.isSafeInteger(seq)) throw new TypeError("admit: seq must be an integer");
  if (keepFrames !== undefined && !(Number.isSafeInteger(keepFrames) && keepFrames > 0)) {
    throw new TypeError("admit: keepFrames must be an integer above 0");
  }
}

/**
 * Whether an admission came out as expected: the frame is admitted, the view is unchanged, and all its calls are new.
 */
export function isAsExpected(found: AdmissionResult, view: string): boolean {
  if (found.status !== "admitted" || found.session.view !== view) return false;
  return Object.values(found.calls).every(({ status }) => status === "new");
}

/** Returns the state of a call before its frame arrived. */
export function knownCall(found: CallRecord | undefined, digest: string): KnownCall {
  if (!found) return { status: "new" };
  return { status: found.digest === digest ? "known" : "reused", call: found };
}

/**
 * The earlier outcome that stays when the call is admitted again. A RESULT stays, because it reports what happened. A
 * NACK said that nothing happened or that the call may be sent again, and now it is; so it goes, unless the call is
 * cancelled.
 */
export function stayingOutcome(
  found: { readonly outcome?: CallRecord["outcome"] | undefined; readonly isCancelled?: boolean } | undefined,
): CallRecord["outcome"] {
  return found?.outcome?.type === "RESULT" || found?.isCancelled ? found.outcome : undefined;
}

/**
 * Whether a recorded answer stays when another one comes later, from another router that had the same call: a success
 * stays a success, and a refusal, which says that nothing was executed, replaces nothing but a refusal. `found` and `given` are
 * outcomes of a call, or replies to a frame as `outcomeOf` gives them.
 */
export function staysAnswered(found: CallOutcome | undefined, given: CallOutcome): boolean {
  if (found === undefined) return false;
  if (isRefusal(given)) return !isRefusal(found);
  return isSuccess(found) && !isSuccess(given);
}

function isRefusal({ type, payload }: CallOutcome): boolean {
  return type === "NACK" && !payload.dispatched;
}

function isSuccess({ type, payload }: CallOutcome): boolean {
  return type === "RESULT" && payload.status === "SUCCESS";
}

/** Returns the outcome of a frame's only call, taken from the reply to the frame. */
export function outcomeOf({ frame_type: type, payload }: ResponseFrame): CallOutcome {
  return { type, payload } as CallOutcome;
}

/** Whether an outcome holds nothing but the reply. */
export function isReply(outcome: CallOutcome, { frame_type: type, payload }: ResponseFrame): boolean {
  return outcome.payload === payload && outcome.type === type && !("doubt" in outcome);
}
