import { ToolglotError } from "@toolglot/core";
import { type Fault, fault } from "../frames/fault.ts";
import type { PolicyDecision } from "../policy/types.ts";
import type { ApprovalRecord } from "../store/approval-types.ts";

// The faults of the path of a call that have words of their own; the rest have those of `errorCodes`.

export function keyMissing(capId: string): Fault {
  return fault("TRP_4003", `${capId} needs an idempotency_key: it writes, or its risk is MEDIUM or above.`);
}

/** Its caller will not be there to hear that it has to be repeated. */
export function asyncKeyMissing(capId: string): Fault {
  return fault("TRP_4003", `${capId} may change something: it needs an idempotency_key to run ASYNC.`);
}

/** An approval is bound to an operation, and that to a key. */
export function keyForApproval(capId: string): Fault {
  return fault("TRP_4003", `${capId} needs approval here, and an approval needs an idempotency_key.`);
}

/** Returns a denial by rule, or by rate when the decision has a time to come again. */
export function denied(decision: PolicyDecision): Fault {
  const { reason, retryAfterMs } = decision;
  if (retryAfterMs === undefined) return fault("TRP_4001", reason);
  return fault("TRP_4006", reason, { retryHint: { backoff_ms: retryAfterMs } });
}

/** On a store that forgets, a repeated call would be done twice after a restart. */
export function volatile(storeName: string): Fault {
  return fault(
    "TRP_4001",
    `This router keeps nothing (store ${storeName}), so it runs only capabilities that change nothing.`,
    { fix: "Don't repeat it. The router's operator has to give it a durable store, or to allow volatile effects." },
  );
}

export function outcomeUnknown(reason?: string): Fault {
  return fault("TRP_3004", reason, { dispatched: true });
}

/** Returns the fault of a call whose equal was begun under another key, with an unknown outcome. This call began nothing. */
export function equalInDoubt(key: string): Fault {
  const message = "The same call was started before under another key, and nobody knows whether its effect happened.";
  return fault("TRP_3004", message, { dispatched: true, retryHint: { idempotency_key: key } });
}

/** The same effect was asked for before, and not with these arguments. */
export function effectConflict(): Fault {
  return fault("TRP_4004", "The same effect was asked for before, with other arguments or another version.", {
    fix: "It is asked for already: don't call again with other arguments. Ask the user if those were wrong.",
  });
}

/** The same effect was asked for so long ago that its outcome is forgotten. */
export function effectForgotten(): Fault {
  return fault("TRP_4005", "The same effect was asked for before, and the router no longer knows what came of it.", {
    fix: "Check by other means whether it was done, and tell the user. The router will not do it again for now.",
  });
}

/** Returns the fault of a call whose request waits for a decision. */
export function approvalPending(approval: ApprovalRecord): Fault {
  return fault("TRP_4002", `Request ${approval.id} waits for a decision: ${approval.reason}.`, {
    retryHint: { approval_id: approval.id, approval_expires_at_ms: approval.expiresAt },
    fix: "Tell the user that this waits for approval. Once approved, send the very same call with the same idempotency_key.",
  });
}

export function approvalDenied(approval: ApprovalRecord): Fault {
  // Somebody's own words, on their way to a model, a log, a terminal.
  const said = approval.comment?.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const comment = said ? `: ${said}` : ".";
  return fault("TRP_4001", `Approval was denied${comment}`, {
    retryHint: { approval_id: approval.id },
    fix: "Don't repeat it. Tell the user that the request was denied, and take another way.",
  });
}

/** Returns the fault of a call whose approval can't be used any more. */
export function approvalRefused(reason: "spent" | "expired" | "not-approved"): Fault {
  const messages = {
    spent: "The approval was used for another operation already.",
    expired: "The approval has expired.",
    "not-approved": "The request is not approved.",
  };
  return fault("TRP_4002", messages[reason], {
    fix: "Send the call again without approval_token to ask for a new approval.",
  });
}

/** The router's own fault before anything was started. */
export function notStarted(): Fault {
  return fault("TRP_5001", "The router could not start the call; nothing was executed.");
}

/** Returns the fault of a store that can't serve; nothing was started. */
export function storeDown(): Fault {
  return fault("TRP_5003", "The router's store can't serve at the moment; nothing was executed.");
}

/**
 * Whether a store's error leaves open whether its transaction was committed. What it was to start may be started, and is
 * then continued by whoever takes it over.
 */
export function mayBeCommitted(error: unknown): boolean {
  return ToolglotError.isInstance(error) && error.code === "trp/store-unsettled";
}

/** It ran, may run again, and its end could not be written down. */
export function notRecorded(): Fault {
  return fault("TRP_5001", "The call ran, but its outcome could not be recorded.", {
    dispatched: true,
    retryable: true,
    fix: "Call again: the capability may be run again without doing anything twice.",
  });
}

/** Time ran out, for what may be run again. */
export function timedOut(timeoutMs: number): Fault {
  return fault("TRP_3001", `The capability did not finish within ${timeoutMs} ms.`, { dispatched: true });
}

/** Returns the fault of an exception that leaves the effect open; for what may be run again. */
export function executorError(message: string): Fault {
  return fault("TRP_3002", message, {
    dispatched: true,
    fix: "Take another way, or call again later with the same idempotency_key: it may be run again.",
  });
}

/** Definitely failed. `keyed`: repeated to the next call with the key. */
export function executorFailed(message: string, transient: boolean, keyed: boolean): Fault {
  if (!transient) return fault("TRP_3002", message, { dispatched: true });
  return fault("TRP_3002", message, {
    dispatched: true,
    errorClass: "TRANSIENT",
    retryable: !keyed,
    fix: keyed ? "Try again later, with a new idempotency_key." : "Try again later.",
  });
}

/** Proven to have had no effect: the key is free again. */
export function notApplied(message: string): Fault {
  return fault("TRP_3002", message, {
    dispatched: true,
    errorClass: "TRANSIENT",
    retryable: true,
    retryHint: { backoff_ms: 200, jitter_ms: 100, max_attempts: 3 },
    fix: "It had no effect. Call again with the same idempotency_key.",
  });
}

/** This attempt had no effect, but one before it may have had: the key stays bound to what it was used for. */
export function notAppliedThisTime(message: string): Fault {
  return { ...notApplied(message), fix: "Call again with the same idempotency_key: it may be run again." };
}

/** Characters of a message that a capability made for the model. */
const maxMessage = 4_000;

/** The message of an error that was made for the model: its first 4,000 characters, never empty. */
export function messageOf(error: { message: unknown }): string {
  const { message } = error;
  if (typeof message !== "string" || message.trim() === "") return "it failed, and does not say why";
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
}

/**
 * Returns what may be shown of an exception that was not made for the model: its class and its code, when they look like such,
 * never its message. `TypeError`, `Error, ECONNREFUSED`.
 */
export function kindOf(error: unknown): string {
  try {
    if (typeof error !== "object" || error === null) return `a thrown ${error === null ? "null" : typeof error}`;
    const { name, code } = error as { name?: unknown; code?: unknown };
    const kind = typeof name === "string" && /^[A-Z]\w{0,39}$/.test(name) ? name : "Error";
    return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,31}$/.test(code) ? `${kind}, ${code}` : kind;
  } catch {
    return "Error";
  }
}
