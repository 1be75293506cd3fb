import type { Admission, AdmissionResult, CallRecord, KnownCall } from "./session-types.ts";

// What every store decides about sessions, whatever it keeps them in.

/** How many frames a session remembers unless the admission says. */
export const defaultKeepFrames = 1024;

/**
 * Up to which seq (inclusive) a session may forget once it admitted `seq`: frames, and calls that have an outcome, or no
 * operation and are past their deadline. 0: nothing now. Dropping goes in steps of a sixteenth, so that not every frame pays for it; a
 * session remembers at least `keepFrames` frames and at most that much more.
 */
export function forgetUpTo(seq: number, keepFrames: number = defaultKeepFrames): number {
  return seq % Math.ceil(keepFrames / 16) === 0 ? Math.max(0, seq - keepFrames) : 0;
}

/**
 * Up to which seq (inclusive) a call is remembered anew, as if it had come with the frame of `seq`: when that frame asks
 * about it, or when it is answered while `seq` is the session's last. So whoever waits long for a call finds its outcome.
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

/** Whether an admission is what a store expects of the next frame of a session with this view: admitted, its calls all new. */
export function isAsExpected(found: AdmissionResult, view: string): boolean {
  if (found.status !== "admitted" || found.session.view !== view) return false;
  return Object.values(found.calls).every(({ status }) => status === "new");
}

/** What was known of a call before it came. */
export function knownCall(found: CallRecord | undefined, digest: string): KnownCall {
  if (!found) return { status: "new" };
  return { status: found.digest === digest ? "known" : "reused", call: found };
}

/**
 * What of an earlier outcome stays when the call is admitted again: a RESULT says what happened; a NACK said that
 * nothing did, or that it can be tried again, and that is what is being done, unless the call is cancelled.
 */
export function stayingOutcome(
  found: { readonly outcome?: CallRecord["outcome"] | undefined; readonly isCancelled?: boolean } | undefined,
): CallRecord["outcome"] {
  return found?.outcome?.type === "RESULT" || found?.isCancelled ? found.outcome : undefined;
}
