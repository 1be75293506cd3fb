import type { ErrorClass, RetryHint, TrpCode } from "./results.ts";

/** What a code means, and what a client that gets it can count on. */
export interface CodeEntry {
  /** For logs and people: `DUPLICATE_OR_STALE`. */
  readonly name: string;
  /** The class that goes with it, unless a fault has another (an executor's failure may be TRANSIENT). */
  readonly errorClass: ErrorClass;
  /** Whether the same call may be sent again by itself (TRP v0.1 draft, 8.2). */
  readonly retryable: boolean;
  /** What `retry_hint` holds. */
  readonly retryHint: Readonly<RetryHint>;
  /** What has happened, one sentence. The default `message`. */
  readonly cause: string;
  /** What to do now, one line. The default `fix`. */
  readonly cure: string;
}

/** A short wait for what is in flight; a longer one for what is down. */
const soon: RetryHint = { backoff_ms: 50, jitter_ms: 50 };
const later: RetryHint = { backoff_ms: 200, jitter_ms: 100, max_attempts: 3 };

type Row = Omit<CodeEntry, "retryable" | "retryHint"> & { retryHint?: RetryHint };

/** Retryable is what has a time to wait in its hint; most have no hint. */
const rows: Readonly<Record<TrpCode, Row>> = {
  TRP_1001: {
    name: "UNSUPPORTED_VERSION",
    errorClass: "SCHEMA_MISMATCH",
    cause: "The frame is of a protocol version that this router does not speak.",
    cure: 'Send frames with trp_version "0.1".',
  },
  TRP_1002: {
    name: "ORDER_VIOLATION",
    errorClass: "ORDER_VIOLATION",
    retryHint: soon,
    cause: "seq is above the expected one: a frame before it has not arrived.",
    cure: "Send the frame again with seq set to retry_hint.expected_seq.",
  },
  TRP_1003: {
    name: "CATALOG_MISMATCH",
    errorClass: "CATALOG_MISMATCH",
    retryHint: { action: "SYNC_CATALOG", ...soon },
    cause: "idx and cap_id don't name one capability in the session's catalog.",
    cure: "Sync the catalog, look the capability up by cap_id, and call again with the idx given there.",
  },
  TRP_1004: {
    name: "DUPLICATE_OR_STALE",
    errorClass: "ORDER_VIOLATION",
    cause: "seq was used before, and the frame names no call that is known.",
    cure: "If this is a new call, send it in a new frame with seq set to retry_hint.expected_seq.",
  },
  TRP_1005: {
    name: "DEPENDENCY_NOT_READY",
    errorClass: "ORDER_VIOLATION",
    retryHint: soon,
    cause: "A call named in depends_on is unknown or not finished, or the dependencies form a cycle.",
    cure: "Wait until the calls in depends_on have succeeded, then call again; break the cycle if there is one.",
  },
  TRP_1006: {
    name: "DEPENDENCY_FAILED",
    errorClass: "ORDER_VIOLATION",
    cause: "A call that this one depends on did not succeed, so this one was not started.",
    cure: "Look at why the call in depends_on failed; repeat it, or call again without depending on it.",
  },
  TRP_1007: {
    name: "CALL_ID_REUSED",
    errorClass: "ORDER_VIOLATION",
    cause: "This call_id belongs to another call of the session, with another capability, key or arguments.",
    cure: "Give every new call a new call_id; repeat a call_id only with the very same call.",
  },
  TRP_1008: {
    name: "SESSION_UNKNOWN",
    errorClass: "INTERNAL_ERROR",
    retryHint: { action: "NEW_SESSION" },
    cause: "There is no such session for this caller: it is unknown, has expired, or is somebody else's.",
    cure: "Open a new session with HELLO_REQ, sync the catalog, and send the call again with the same idempotency_key.",
  },
  TRP_2000: {
    name: "FRAME_INVALID",
    errorClass: "SCHEMA_MISMATCH",
    cause: "The frame does not have the shape of its type.",
    cure: "Correct the field that the message names, and send the frame again.",
  },
  TRP_2001: {
    name: "SCHEMA_VALIDATION_FAILED",
    errorClass: "SCHEMA_MISMATCH",
    retryHint: { action: "FIX_ARGUMENTS" },
    cause: "The arguments don't fit the capability: its schema, its own rules, or a safety rule.",
    cure: "Correct the arguments that the message names, and call again.",
  },
  TRP_2002: {
    name: "TIMEOUT_INVALID",
    errorClass: "SCHEMA_MISMATCH",
    cause: "timeout_ms is not an integer from 1 to 2147483647.",
    cure: "Set timeout_ms to a number of milliseconds, such as 15000.",
  },
  TRP_2003: {
    name: "DEPENDS_ON_INVALID",
    errorClass: "SCHEMA_MISMATCH",
    cause: "depends_on is not a list of call ids.",
    cure: "Set depends_on to a list of call_id strings, or leave it out.",
  },
  TRP_2004: {
    name: "BATCH_INVALID",
    errorClass: "SCHEMA_MISMATCH",
    cause: "The batch is malformed: a field of it, an item, too many items, or a call_id used twice.",
    cure: "Correct what the message names, and send the whole batch again; none of its calls was started.",
  },
  TRP_2005: {
    name: "QUERY_CALL_ID_INVALID",
    errorClass: "SCHEMA_MISMATCH",
    cause: "A result query needs the call_id of a call.",
    cure: "Set call_id to the id of the call whose result you want.",
  },
  TRP_2006: {
    name: "QUERY_OPTION_INVALID",
    errorClass: "SCHEMA_MISMATCH",
    cause: "after_event_id of a result query is not an integer from 0, or include_partials not a boolean.",
    cure: "Leave both options out, or give after_event_id as the last event id you have seen.",
  },
  TRP_2007: {
    name: "DIGEST_OUT_OF_DATE",
    errorClass: "SCHEMA_MISMATCH",
    retryHint: { action: "CAP_QUERY" },
    cause: "schema_digest is not the capability's: it has changed since it was read.",
    cure: "Read the capability again with CAP_QUERY_REQ, check the arguments against its schema, and call with its digest.",
  },
  TRP_2008: {
    name: "PAYLOAD_TOO_LARGE",
    errorClass: "SCHEMA_MISMATCH",
    cause: "The frame is larger than this router takes.",
    cure: "Send less at once: split the batch, or pass large content by reference.",
  },
  TRP_3001: {
    name: "EXECUTOR_TIMEOUT",
    errorClass: "TRANSIENT",
    retryHint: later,
    cause: "The capability did not finish within timeout_ms, and may be run again without doing anything twice.",
    cure: "Call again with the same idempotency_key, with a longer timeout_ms if it keeps happening.",
  },
  TRP_3002: {
    name: "EXECUTOR_ERROR",
    errorClass: "EXECUTOR_ERROR",
    cause: "The capability ran and failed.",
    cure: "Read the message; change the arguments or take another way. Repeating the same call gives the same answer.",
  },
  TRP_3003: {
    name: "WAIT_TIMEOUT",
    errorClass: "TRANSIENT",
    retryHint: later,
    cause: "The time was up before the call could be started.",
    cure: "Call again, with a longer timeout_ms or when less is going on.",
  },
  TRP_3004: {
    name: "OUTCOME_UNKNOWN",
    errorClass: "EXECUTOR_ERROR",
    retryHint: { action: "RESULT_QUERY" },
    cause: "The capability was started, and nobody knows whether its effect happened.",
    cure: "Don't repeat it: until somebody settles it, the same call gets this answer. Check by other means whether it happened, or ask an operator to settle it.",
  },
  TRP_3005: {
    name: "CANCELLED",
    errorClass: "EXECUTOR_ERROR",
    cause: "The call was cancelled.",
    cure: "Make a new call if it is wanted after all.",
  },
  TRP_4001: {
    name: "POLICY_DENIED",
    errorClass: "POLICY_DENIED",
    cause: "The router's policy refuses this call.",
    cure: "Don't repeat it. Take another way, or tell the user that this is not allowed.",
  },
  TRP_4002: {
    name: "APPROVAL_REQUIRED",
    errorClass: "APPROVAL_REQUIRED",
    retryHint: { action: "REQUEST_APPROVAL" },
    cause: "The call needs an approval that is not there, or the token given for it is not good for it.",
    cure: "Ask for approval, then send the very same call again with the same idempotency_key.",
  },
  TRP_4003: {
    name: "KEY_MISSING",
    errorClass: "NON_IDEMPOTENT_BLOCKED",
    cause: "The capability writes, or is of risk MEDIUM or above, and the call has no idempotency_key.",
    cure: "Call again with an idempotency_key of your own making: one new key for each thing to be done.",
  },
  TRP_4004: {
    name: "IDEMPOTENCY_CONFLICT",
    errorClass: "NON_IDEMPOTENT_BLOCKED",
    cause: "This idempotency_key was used for a call with another capability version or other arguments.",
    cure: "Use the key only with the arguments it was first used with; take a new key for another call.",
  },
  TRP_4005: {
    name: "KEY_EXPIRED",
    errorClass: "NON_IDEMPOTENT_BLOCKED",
    cause: "The idempotency_key is older than the router remembers outcomes, so it can't tell whether this was done.",
    cure: "Check whether it was done before; if not, call again with a new key.",
  },
  TRP_4006: {
    name: "RATE_LIMITED",
    errorClass: "TRANSIENT",
    retryHint: { backoff_ms: 1_000, jitter_ms: 250, max_attempts: 5 },
    cause: "There were too many calls of this kind in a short time.",
    cure: "Wait for retry_hint.backoff_ms, then call again.",
  },
  TRP_4007: {
    name: "UNAUTHENTICATED",
    errorClass: "POLICY_DENIED",
    cause: "The transport does not say who calls, or the token it carries is not known.",
    cure: "Configure the client with a valid bearer token.",
  },
  TRP_4008: {
    name: "APPROVALS_PENDING",
    errorClass: "POLICY_DENIED",
    cause: "The call needs an approval, and too many requests of this caller wait for a decision already.",
    cure: "Don't repeat it now. Tell the user that requests wait for approval, and call again when some of them are decided.",
  },
  TRP_5000: {
    name: "FRAME_TYPE_UNKNOWN",
    errorClass: "SCHEMA_MISMATCH",
    cause: "This router does not take frames of this type.",
    cure: "Send one of the frame types that the message lists.",
  },
  TRP_5001: {
    name: "INTERNAL",
    errorClass: "INTERNAL_ERROR",
    cause: "Something went wrong in the router; nothing was executed unless dispatched says so.",
    cure: "Ask the router's operator to look up the trace_id.",
  },
  TRP_5003: {
    name: "OVERLOADED",
    errorClass: "TRANSIENT",
    retryHint: later,
    cause: "The router has too much to do, or is closing.",
    cure: "Wait for retry_hint.backoff_ms, then send the frame again.",
  },
};

/** Every code a router can give (TRP v0.1 draft, 12.2). */
export const errorCodes: Readonly<Record<TrpCode, CodeEntry>> = Object.fromEntries(
  Object.entries(rows).map(([code, { retryHint = {}, ...row }]) => {
    return [code, { retryable: retryHint.backoff_ms !== undefined, retryHint, ...row }];
  }),
) as Record<TrpCode, CodeEntry>;

/** Whether a text is a code of this table. */
export function isTrpCode(text: unknown): text is TrpCode {
  return typeof text === "string" && Object.hasOwn(errorCodes, text);
}
