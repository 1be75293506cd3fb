/** What every executor needs, for those who write one: reporting, order, questions to the host, outcomes, streams of values. */
export { ApprovalQueue, denied } from "./executing/ask.ts";
export { executorContext } from "./executing/context.ts";
export { checkConcurrency, inOrder, inParallel } from "./executing/in-order.ts";
export { iteratorOf, lastOf, release } from "./executing/last-of.ts";
export { type CallOutcome, failure, interrupted } from "./executing/outcome.ts";
export { CallReport } from "./executing/report-call.ts";
