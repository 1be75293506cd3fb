import type { ClaimRequest } from "@toolglot/core";
import { finishOperation } from "@toolglot/core/operation-log";
import { orRejected } from "@toolglot/internal";
import {
  type ApprovalUse,
  type RouterOperationLog,
  type StartOptions,
  type StartResult,
  startedResult,
} from "@toolglot/trp-core/store";
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";
import { newCall } from "./admission.ts";
import { type SameTransactionText, sameTransactionText } from "./answers.ts";
import type { Expectations } from "./expectations.ts";
import type { Texts } from "./operation-rows.ts";
import { type Change, changeOperation, checked, finishStarted, start } from "./operations.ts";
import { findCall, findSession } from "./session-rows.ts";

// Every keyed call starts and finishes an operation, so these two steps must be cheap. The caller's side writes the
// arguments as texts in tuples, which go to the store's thread as they are. The answer leaves out what the caller
// knows.

type StartArgs = readonly [
  request: readonly [
    scope: string,
    key: string,
    fingerprint: string,
    owner: string,
    leaseMs: number,
    ttlMs: number | undefined,
    keepMs: number | undefined,
    abandoned: ClaimRequest["abandoned"],
  ],
  /** JSON. */
  data: string | undefined,
  effectId: string | undefined,
  again: boolean,
  ifFence: number | undefined,
  ifAdmitted: string | undefined,
  unlessCancelled: readonly [sessionId: string, callId: string] | undefined,
  /** JSON. */
  approval: string | undefined,
  beside: SameTransactionText,
  doubt: SameTransactionText,
];

/** A new operation: only its time and fence. The caller knows everything else. */
type Started = readonly [now: number, fence: number];

type FinishArgs = readonly [
  claim: readonly [scope: string, key: string, fence: number],
  state: "done" | "failed" | "released",
  /** JSON. */
  outcome: string | undefined,
  beside: SameTransactionText,
];

/** The steps of {@link operationsBySteps} in the thread. */
export interface OperationSteps {
  start(args: StartArgs): Promise<Started | StartResult>;
  finish(args: FinishArgs): Promise<boolean>;
}

/** The methods on the caller's side. */
export function operationsBySteps(steps: OperationSteps): Pick<RouterOperationLog, "start" | "finish"> {
  return {
    // Not `async`: each promise in between would cost every call two turns of the microtasks.
    start: (wanted, options) =>
      orRejected(() => {
        const request = checked(wanted);
        const args = startArgs(request, options);
        const started = steps.start(args);
        return started.then((found) => (isStarted(found) ? startedResult(request, args[1], ...found) : found));
      }),
    finish: ({ scope, key, fence }, result, together) =>
      orRejected(() => {
        const outcome = result.state === "released" ? undefined : (JSON.stringify(result.outcome) ?? "null");
        return steps.finish([[scope, key, fence], result.state, outcome, sameTransactionText(together)]);
      }),
  };
}

/** Returns the steps on the side of the file. */
export function operationSteps(commits: GroupCommit, expectations: Expectations): OperationSteps {
  return {
    start: (args) => commits.write((tx) => startBy(tx, args, expectations)),
    finish: ([[scope, key, fence], state, outcome, beside]) => {
      const result = state === "released" ? { state } : { state, outcome: null };
      const decide: Change = (kept, now, held) => finishOperation(kept, held, result, now);
      const texts = outcome === undefined ? {} : { outcome };
      return commits.write((tx) => {
        const claim = { scope, key, fence };
        return finishStarted(tx, claim, decide, texts, beside) ?? changeOperation(tx, claim, decide, texts, beside);
      });
    },
  };
}

function startArgs(request: ClaimRequest, options: StartOptions): StartArgs {
  const { scope, key, fingerprint, owner, leaseMs, ttlMs, keepMs, abandoned } = request;
  const { data, effectId, again = false, ifFence, ifAdmitted, unlessCancelled, approval, ifDoubt } = options;
  return [
    [scope, key, fingerprint, owner, leaseMs, ttlMs, keepMs, abandoned],
    data === undefined ? undefined : JSON.stringify(data),
    effectId,
    again,
    ifFence,
    ifAdmitted,
    unlessCancelled && [unlessCancelled.sessionId, unlessCancelled.callId],
    approval && JSON.stringify(approval),
    sameTransactionText(options),
    sameTransactionText(ifDoubt),
  ];
}

function startBy(tx: Transaction, args: StartArgs, expectations: Expectations): Started | StartResult {
  const [wanted, data, effectId, again, ifFence, ifAdmitted, call, approval, beside, doubt] = args;
  if (ifAdmitted !== undefined && !expectations.isMet(tx, ifAdmitted)) return { status: "not-admitted" };
  if (call !== undefined && isCancelled(tx, ...call)) return { status: "call-cancelled" };
  const [scope, key, fingerprint, owner, leaseMs, ttlMs, keepMs, abandoned] = wanted;
  const request: ClaimRequest = {
    ...{ scope, key, fingerprint, owner, leaseMs },
    ...(ttlMs !== undefined && { ttlMs }),
    ...(keepMs !== undefined && { keepMs }),
    ...(abandoned !== undefined && { abandoned }),
  };
  const texts: Texts = {};
  if (data !== undefined) texts.data = data;
  if (effectId !== undefined) texts.effectId = effectId;
  const use = approval === undefined ? undefined : (JSON.parse(approval) as ApprovalUse);
  const { result, isNew } = start(tx, request, texts, { again, ifFence }, use, { beside, doubt });
  return isNew && result.status === "claimed" ? [tx.now(), result.claim.fence] : result;
}

function isCancelled(tx: Transaction, sessionId: string, callId: string): boolean {
  // Admitted in this transaction, and not cancelled in it.
  if (tx.peek(newCall(sessionId, callId)) === true) return false;
  const session = findSession(tx, sessionId);
  return session !== undefined && findCall(tx, session, callId)?.isCancelled === true;
}

function isStarted(found: Started | StartResult): found is Started {
  return Array.isArray(found);
}
