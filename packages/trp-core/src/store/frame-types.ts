import type { OperationClaim, OperationKey } from "@toolglot/core";
import type { MaybePromise } from "@toolglot/schema";
import type { AuditEntry } from "../audit/types.ts";
import type { NewEvent } from "../events/types.ts";
import type { NackPayload, ResultPayload } from "../frames/results.ts";
import type { ResponseFrame } from "../frames/types.ts";

/** A session; bound to who opened it. */
export interface SessionRecord {
  id: string;
  tenant: string;
  principal: string;
  agentId: string;
  features: string[];
  /** Id of the alias view in {@link CatalogStore}. */
  view: string;
  /** The next seq. */
  expectedSeq: number;
  createdAt: number;
  expiresAt: number;
}

/** Who asks: both must be the session's, or it looks unknown. */
export interface Who {
  tenant: string;
  principal: string;
}

/**
 * Sessions, and what each remembers of its frames and calls. A store that needs no time may answer what every call needs (`admit`,
 * `answer`) at once, without a promise; it fails by a rejection all the same.
 */
export interface FrameStore {
  /** Rejects with `TypeError` when there is a session of this id. */
  create(
    session: Omit<SessionRecord, "expectedSeq" | "createdAt" | "expiresAt"> & { ttlMs: number },
  ): Promise<SessionRecord>;
  /** Undefined alike for unknown, foreign and expired sessions. */
  read(id: string, who: Who): Promise<SessionRecord | undefined>;
  /** Puts another alias view in place of `from`; false when it is no longer `from`. */
  setView(id: string, from: string, to: string): Promise<boolean>;
  /** Decides order and duplicates of one frame, and takes its seq when it is admitted. Order of checks: session,
   * frame id, seq, call ids. A known call that is admitted again is in flight again: a NACK it was answered with is
   * forgotten, but if it is cancelled; a RESULT stays. Reused ids are left to the calls that have them. */
  admit(admission: Admission): MaybePromise<AdmissionResult>;
  /** Records the final answer of an admitted frame, and the outcome of each of its own calls; what is no longer known is
   * left out, and what was answered before stays as `staysAnswered` says. What is given together with it is written in the same transaction. `ifAdmitted`: the token of a pending
   * admission. Unless the frame is admitted as expected, nothing at all is written (`not-admitted`); nor when the store has
   * forgotten the token. */
  answer(
    answer: Answer,
    together?: Pick<SameTransaction, "audit" | "events"> & { ifAdmitted?: string },
  ): MaybePromise<undefined | "not-admitted">;
  readCall(sessionId: string, callId: string): Promise<CallRecord | undefined>;
  /**
   * Marks a call as cancelled, for good, also when it is admitted again. Returns it as it is then; undefined when
   * unknown.
   */
  cancelCall(sessionId: string, callId: string): Promise<CallRecord | undefined>;
  /** Calls of admitted frames that have no outcome yet, oldest first. */
  callsInFlight(sessionId: string): Promise<CallRecord[]>;
}

/** One frame that asks to be admitted. */
export interface Admission extends Who {
  sessionId: string;
  frameId: string;
  /** Of type, seq and payload: the same frame id with another digest is not the same frame. */
  digest: string;
  seq: number;
  /** The calls in it, none for control frames. */
  calls: AdmittedCall[];
  /** A call of an earlier frame that this one asks about: it is remembered for longer. */
  asks?: string;
  /** How many frames of a session are remembered. Default 1,024. */
  keepFrames?: number;
  /**
   * Lets the store answer `admitted` before it has decided, when it expects this result. The real result follows in
   * `pending`. For a frame with one call, whose operation is started next, or that has no effect. Default false.
   */
  mayExpect?: boolean;
  /** Whether the answer's `calls` may leave out calls that are new, which costs less. Default false. */
  knownOnly?: boolean;
}

/** A call as the store needs it for duplicates. */
export interface AdmittedCall {
  callId: string;
  /** Of capability, key and args as sent: the same call id with another digest is not the same call. */
  digest: string;
  /** The operation it stands for, when it has a key. */
  operation?: OperationKey;
  /** After this long without an outcome the call is taken as lost. */
  timeoutMs: number;
}

/** The result of an admission. Only `admitted` uses up the seq. */
export type AdmissionResult =
  /** Go ahead. `calls` has, per call id, what was known before: nothing, the same call, or another one (`reused`). */
  | { status: "admitted"; session: SessionRecord; calls: Record<string, KnownCall>; pending?: Pending }
  /**
   * The same frame again; `reply` when its final answer is known. `frameCalls` are its own: none that were `reused`.
   */
  | { status: "duplicate"; session: SessionRecord; reply?: ResponseFrame; frameCalls: string[] }
  /** The frame id was used for another frame. */
  | { status: "frame-reused"; session: SessionRecord }
  /** seq below the expected one. `calls` as above. */
  | { status: "stale"; session: SessionRecord; calls: Record<string, KnownCall> }
  /** seq above the expected one. */
  | { status: "gap"; session: SessionRecord }
  /** Unknown, foreign or expired. */
  | { status: "no-session" };

/**
 * An admission that the store has answered before it is committed. The store expects that the frame is the next one and
 * that its call is new. Until `result` confirms this, nothing may be answered or begun. Only a start with the token
 * may, because the store commits it together with the admission; and a capability without effects may run, whose answer is
 * then committed with the token.
 */
export interface Pending {
  /** The value for `ifAdmitted`, in `StartOptions` and beside an answer. */
  token: string;
  /** The store takes the token beside an answer, too. Absent: nobody may run before `result`. */
  mayAnswer?: true;
  /** The result of the admission once it is committed; see `isAsExpected`. Rejects as the admission does. */
  result: Promise<AdmissionResult>;
  /**
   * Present when the store keeps the admission back for a moment, for what is written with it. Sends it now. Whoever waits
   * for `result` calls it first.
   */
  send?(): void;
}

/** The state of a call before its frame arrived. */
export type KnownCall =
  | { status: "new" }
  | { status: "known"; call: CallRecord }
  /** Another call had this id: `call` is that one. */
  | { status: "reused"; call: CallRecord };

/** The record of a call in its session. */
export interface CallRecord {
  sessionId: string;
  callId: string;
  digest: string;
  /** The frame that brought it last. */
  frameId: string;
  operation?: OperationKey;
  /** Admitted and without an outcome until then: lost. */
  deadline: number;
  /** The last answer. For a call with an operation, the operation's own record is newer. */
  outcome?: CallOutcome;
  /** Its caller doesn't want it any more: it must not be started again. */
  isCancelled?: true;
}

/**
 * How a call was answered. `doubt`: the call was answered `UNKNOWN` because of this operation in doubt. When a person
 * has settled the operation, its outcome is also the outcome of the call.
 */
export type CallOutcome =
  | { type: "RESULT"; payload: ResultPayload; doubt?: OperationClaim }
  | { type: "NACK"; payload: NackPayload };

/** The answer of one frame. */
export interface Answer {
  sessionId: string;
  frameId: string;
  /** Absent when only the outcomes are recorded, because the frame has more calls, or is answered elsewhere. */
  reply?: ResponseFrame;
  /** Each with the id of its call. A list, since an object with a member of a new name costs far more than the rest of an answer. */
  outcomes: readonly (readonly [callId: string, outcome: CallOutcome])[];
}

/** What is written in the same transaction as a step of an operation. */
export interface SameTransaction {
  audit?: AuditEntry[];
  answer?: Answer;
  /** Events to add to the outbox, in this order. The store sets their time. */
  events?: NewEvent[];
}
