/** What every executor needs, for those who write one: reporting, order, questions to the host, outcomes, streams, claims. */
export {
  ApprovalQueue,
  CallReport,
  checkConcurrency,
  denied,
  executorContext,
  inOrder,
  inParallel,
  reportWait,
} from "./executing/calls.ts";
export { type CallSteps, guardCall, hiddenOutcome, settledResult } from "./executing/guard-call.ts";
export { iteratorOf, lastOf, release } from "./executing/last-of.ts";
export {
  type CallOutcome,
  failure,
  interrupted,
  isToolResult,
  outsideOutcome,
  undecided,
} from "./executing/outcome.ts";
export { type HeldOperation, type HoldOptions, holdOperation } from "./once/hold-operation.ts";
