/** What every executor needs, for those who write one: reporting, order, questions to the host, outcomes, streams of values. */
export { executorContext } from "./executing/context.ts";
export { ApprovalQueue, CallReport, denied, reportWait } from "./executing/host.ts";
export { checkConcurrency, inOrder, inParallel } from "./executing/in-order.ts";
export { iteratorOf, lastOf, release } from "./executing/last-of.ts";
export { type CallOutcome, failure, interrupted } from "./executing/outcome.ts";
