import { defined, isObject } from "@toolglot/internal";
import type { AliasRow, BatchItemResult, NackPayload, ResultPayload, ShapedResult } from "@toolglot/trp-core/frames";
import { toCallError } from "./answer.ts";
import { keyRequired } from "./catalog-view.ts";
import type { CallError, CallResult } from "./types.ts";

/** What is the same in every result of a call. */
export interface CallFacts {
  callId: string;
  capId: string;
  key: string | undefined;
  attempts: number;
  row: AliasRow | undefined;
}

function base({ callId, capId, key, attempts }: CallFacts): Pick<CallResult, "callId" | "capId" | "key" | "attempts"> {
  return key === undefined ? { callId, capId, attempts } : { callId, capId, attempts, key };
}

/** The outcome of a RESULT, or of an item of a batch. */
export function fromResult(payload: ResultPayload | BatchItemResult, facts: CallFacts): CallResult {
  const { status, result, usage, policy_proof: policyProof } = payload;
  const replayedFrom = payload.replayed_from ?? (payload.call_id === facts.callId ? undefined : payload.call_id);
  const replayedAt = payload.replayed_at_ms;
  const withExtras = (made: CallResult): CallResult => {
    if (usage !== undefined) made.usage = usage;
    if (policyProof !== undefined) made.policyProof = policyProof;
    if (replayedFrom !== undefined) Object.assign(made, defined({ replayedFrom, replayedAt }));
    return made;
  };
  if (status === "SUCCESS") {
    const { callId, capId, key, attempts } = facts;
    const shaped = readShaped(result);
    // Written out: a spread costs a call more than all that is in it.
    return withExtras(
      key === undefined
        ? { status: "success", callId, capId, attempts, result: shaped, dispatched: true }
        : { status: "success", callId, capId, attempts, key, result: shaped, dispatched: true },
    );
  }
  const isItem = !("idx" in payload);
  const error = toCallError("error" in payload && payload.error !== undefined ? payload.error : payload);
  // It did not fail, or the router has no reason: the outcome is open, and the call must not count as not executed.
  const isVague = status !== "FAILED" || (isItem && typeof payload.error_code !== "string");
  // A RESULT means that the capability was started; an item of a batch has a field for that.
  if (!isItem || isVague) error.dispatched = true;
  if (isVague) return withExtras({ status: "unknown", ...base(followed(facts, error)), error, dispatched: true });
  return withExtras(fromError(error, facts, !isItem || payload.dispatched !== undefined));
}

/** When a router names the outcome of another key's operation, the call belongs to that key from then on. */
function followed(facts: CallFacts, { retryHint }: CallError): CallFacts {
  const { idempotency_key: key } = retryHint;
  return typeof key === "string" && key !== "" ? { ...facts, key } : facts;
}

/** What came with a success, whatever a router put there. */
function readShaped(result: unknown): ShapedResult {
  const { summary, data = null, artifacts, warnings } = isObject(result) ? (result as Partial<ShapedResult>) : {};
  return {
    summary: typeof summary === "string" ? summary : "",
    data,
    artifacts: Array.isArray(artifacts) ? artifacts.filter((artifact) => isObject(artifact)) : [],
    warnings: Array.isArray(warnings) ? warnings.filter((text) => typeof text === "string") : [],
  };
}

/** Returns the end of a call of which the router knows only that its outcome is unknown. */
export function unknownEnd(facts: CallFacts): CallResult {
  return unknown(facts, {
    code: "TRP_3004",
    errorClass: "EXECUTOR_ERROR",
    message: "It was started, and nobody knows what came of it.",
    fix: "Find out whether it took effect before you do it again.",
    retryable: false,
    retryHint: {},
  });
}

/** The outcome of a NACK. */
export function fromNack(payload: NackPayload, facts: CallFacts): CallResult {
  return fromError(toCallError(payload), facts, typeof payload.dispatched === "boolean");
}

/** Returns the outcome of an error. `isStated`: the error has the router's own `dispatched`. */
function fromError(error: CallError, facts: CallFacts, isStated: boolean): CallResult {
  const { dispatched } = error;
  return { status: statusOf(error, facts.row, isStated), ...base(facts), error, dispatched };
}

function statusOf(error: CallError, row: AliasRow | undefined, isStated: boolean): CallResult["status"] {
  if (!error.dispatched) return "refused";
  if (error.code === "TRP_3004") return "unknown";
  // After a timeout, or from a plain router, the change may have been made.
  const mayHaveChanged = row === undefined || row.io_class !== "READ";
  const isOpen = error.code === "TRP_3001" || (!isStated && error.errorClass === "TRANSIENT");
  return mayHaveChanged && isOpen ? "unknown" : "failed";
}

/** Refused by the client in the router's words. */
export function refusedLocally(
  error: Omit<CallError, "dispatched" | "retryHint" | "retryable"> & Partial<CallError>,
  facts: CallFacts,
): CallResult {
  const full = { retryable: false, retryHint: {}, dispatched: false, ...error };
  return { status: "refused", ...base(facts), error: full, dispatched: false };
}

/** The call still runs at its deadline. */
export function stillRunning(facts: CallFacts): CallResult {
  return unknown(facts, {
    code: "TRP_3003",
    errorClass: "TRANSIENT",
    message: "The call was still running at the deadline.",
    fix: "Ask again later what came of it; don't call it anew with another key.",
    retryable: true,
    retryHint: { action: "RESULT_QUERY" },
  });
}

function unknown(facts: CallFacts, error: Omit<CallError, "dispatched">): CallResult {
  return { status: "unknown", ...base(facts), error: { ...error, dispatched: true }, dispatched: true };
}

/**
 * Checks whether a call may be sent again after this error, by itself. Before dispatch always; after it only what repeats
 * without harm: a call that needs no key, or one with a key at a router that marks it as safe (a router that sends
 * `dispatched` uses TRANSIENT only for effects that bear it).
 */
export function mayRetry(error: CallError, facts: CallFacts, isStated: boolean): boolean {
  if (!error.retryable) return false;
  if (!error.dispatched) return true;
  if (error.code === "TRP_3004") return false;
  if (facts.row !== undefined && !keyRequired(facts.row)) return true;
  return isStated && facts.key !== undefined;
}
