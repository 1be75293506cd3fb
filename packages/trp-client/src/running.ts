import { checkKeys, defined, gotText } from "@toolglot/internal";
import type { PartialResultEvent } from "@toolglot/trp-core/frames";
import { toCallError } from "./answer.ts";
import { Call } from "./call.ts";
import type { Connection } from "./connection.ts";
import { clientError, needFeature, refusal } from "./errors.ts";
import { type Cursor, type Followed, followCall } from "./follow.ts";
import { clock, type Limits } from "./limits.ts";
import { type CallFacts, fromNack, fromResult, stillRunning } from "./outcome.ts";
import type { CallRules } from "./placed-call.ts";
import { SessionLost } from "./session.ts";
import type { CallRequest, CallResult, CancelStatus, PartsOptions, RunningCall, WaitOptions } from "./types.ts";

/** How many calls are remembered; the oldest are forgotten. */
const most = 1_000;
/** How often a call is followed into a new session. */
const maxSessions = 4;

/** Calls that run in the router while nobody waits for them: how they are started, followed and cancelled. */
export class RunningCalls {
  readonly #connection: Connection;
  readonly #rules: CallRules;
  /** Without an outcome, so that they can be sent again when their session is lost. */
  readonly #calls = new Map<string, Call>();

  constructor(connection: Connection, rules: CallRules) {
    this.#connection = connection;
    this.#rules = rules;
  }

  make(request: CallRequest): Call {
    return new Call(this.#connection, this.#rules, request, "ASYNC");
  }

  async start(call: Call, limits: Limits, traceId: string | undefined): Promise<CallResult | RunningCall> {
    const result = await call.run(limits, traceId);
    if (!call.isRunning) return result;
    const { callId } = call;
    this.#calls.delete(callId);
    this.#calls.set(callId, call);
    for (const [oldest] of this.#calls) {
      if (this.#calls.size <= most) break;
      this.#calls.delete(oldest);
    }
    const { capId, key, attempts } = call.facts;
    return { status: "running", callId, capId, attempts, ...defined({ key }) };
  }

  async wait(callId: string, options: WaitOptions): Promise<CallResult> {
    checkKeys("waitResult", options, "deadlineMs:number signal:signal traceId:string onPart:function");
    const { onPart, ...rest } = options;
    // Without a listener for them, no parts are asked for.
    const parts = this.#follow(callId, { after: onPart === undefined ? Number.MAX_SAFE_INTEGER : 0 }, rest);
    for (;;) {
      const step = await parts.next();
      if (step.done) return step.value;
      try {
        onPart?.(step.value);
      } catch {
        // A listener can't disturb the wait.
      }
    }
  }

  parts(callId: string, options: PartsOptions): AsyncGenerator<PartialResultEvent, CallResult> {
    checkKeys("parts", options, "deadlineMs:number signal:signal traceId:string after:number");
    const { after = 0, ...rest } = options;
    if (!(Number.isSafeInteger(after) && after >= 0)) {
      throw new TypeError(`parts: after must be a whole number from 0, not ${String(after)}`);
    }
    return this.#follow(callId, { after }, rest);
  }

  async *#follow(
    callId: string,
    cursor: Cursor,
    { deadlineMs = Number.POSITIVE_INFINITY, signal, traceId }: WaitOptions,
  ): AsyncGenerator<PartialResultEvent, CallResult> {
    if (!(deadlineMs > 0)) {
      throw new TypeError(`deadlineMs must be a number of milliseconds above 0, not ${gotText(deadlineMs)}`);
    }
    const connection = this.#connection;
    const limits = connection.limits(deadlineMs, signal);
    const call = this.#calls.get(callId);
    const facts: CallFacts = call?.facts ?? { callId, capId: "", key: undefined, attempts: 1, row: undefined };
    const sending = { limits, traceId, waitMs: connection.requestTimeoutMs, callId };
    for (let sessions = 1; ; sessions++) {
      const session = await connection.open(limits);
      let end: Followed;
      try {
        end = yield* followCall(connection, session, { callId, capId: call?.facts.capId }, cursor, sending);
      } catch (error) {
        if (!(error instanceof SessionLost) || sessions >= maxSessions) throw error;
        end = "not-found";
      }
      if (end === "not-found") {
        // In a new session the same key leads to the same operation, and to its parts.
        if (call === undefined || sessions >= maxSessions || clock() >= limits.deadline) {
          throw clientError("trp-client/refused", `The router knows no call ${callId} in this session.`, {
            data: { callId, outcome: "unknown" },
          });
        }
        const again = await call.run(limits, traceId);
        if (!call.isRunning) return this.#ended(callId, again);
        continue;
      }
      if (end === "running") return stillRunning(facts);
      const result = end.frame_type === "NACK" ? fromNack(end.payload, facts) : fromResult(end.payload, facts);
      return this.#ended(callId, call === undefined ? result : call.noted(result));
    }
  }

  #ended(callId: string, result: CallResult): CallResult {
    this.#calls.delete(callId);
    return result;
  }

  async cancel(callId: string, limits: Limits): Promise<CancelStatus> {
    const connection = this.#connection;
    const session = await connection.open(limits);
    needFeature(session, "CANCEL", "to cancel");
    const sending = { limits, traceId: undefined, waitMs: connection.requestTimeoutMs, repeats: true, callId };
    let status = "NOT_FOUND";
    try {
      const answer = await connection.exchange(session, "CANCEL_REQ", { call_id: callId }, sending);
      if (answer.frame_type !== "CANCEL_RES") throw refusal(`to cancel ${callId}`, toCallError(answer.payload));
      status = answer.payload.status;
    } catch (error) {
      // With the session, the call id is gone.
      if (!(error instanceof SessionLost)) throw error;
    }
    return status.toLowerCase().replace("_", "-") as CancelStatus;
  }
}
