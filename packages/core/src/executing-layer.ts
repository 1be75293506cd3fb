/** What every executor needs, for those who write one: reporting, order, questions to the host, outcomes, streams, claims. */
export {
  ApprovalQueue,
  type CallOutcome,
  CallReport,
  checkConcurrency,
  denied,
  executorContext,
  failure,
  inOrder,
  inParallel,
  interrupted,
  isToolResult,
  outsideOutcome,
  reportWait,
  undecided,
} from "./executing/calls.ts";
export { type CallSteps, guardCall, hiddenOutcome, settledResult } from "./executing/guard-call.ts";
export { iteratorOf, lastOf, release } from "./executing/last-of.ts";
export { type HeldOperation, type HoldOptions, holdOperation } from "./once/hold-operation.ts";
