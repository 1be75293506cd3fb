/**
 * For those who write a store for the TRP (Tool Router Protocol) router: the rules that every store follows, as pure
 * functions over records. A store reads, asks, and writes what it is given, in one transaction.
 */

export { type ChainedText, chainRow, chainText, entryText, firstHash, verifyRows } from "../audit/chain.ts";
export { changeEntry } from "../audit/change-entry.ts";
export { checkCheckpoint, follows } from "../audit/checkpoint.ts";
export type { AuditCheckpoint, AuditEntry, AuditRow, CapabilityChange } from "../audit/types.ts";
export { familyOf, operationOf } from "../calls/keyed/keys.ts";
export { approvalRequested } from "../events/approval-events.ts";
export type { NewEvent, RouterEvent } from "../events/types.ts";
export type { ResponseFrame } from "../frames/types.ts";
export {
  approvalAt,
  approvalConflict,
  approvalMemoryMs,
  decideApproval,
  denialOf,
  isChanged,
  isUnsettled,
  requestApproval,
  useApproval,
  useToken,
} from "./approval-rules.ts";
export type * from "./approval-types.ts";
export {
  checkApproval,
  checkArtifact,
  checkSession,
  idTaken,
  rangeOf,
  storeClosed,
} from "./checks.ts";
export { type ExpectedAdmission, expectingFrames } from "./expecting-frames.ts";
export type * from "./frame-types.ts";
export type * from "./log-types.ts";
export {
  checkRetention,
  type OutboxBounds,
  outboxDroppable,
  outboxPage,
  outboxPosition,
  outboxTooOld,
  outboxWindow,
} from "./outbox-rules.ts";
export { checkRate, isRateFull, type RateBucket, rateRoundingMs, rateUsedUp, takeRate } from "./rate-rules.ts";
export {
  checkAdmission,
  defaultKeepFrames,
  forgetUpTo,
  isAsExpected,
  isReply,
  knownCall,
  outcomeOf,
  renewUpTo,
  stayingOutcome,
  staysAnswered,
} from "./session-rules.ts";
export { startedResult } from "./started-result.ts";
export type * from "./types.ts";
