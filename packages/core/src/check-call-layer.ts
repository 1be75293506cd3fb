/** Damage in calls, whoever wrote or read them, found before anything runs. */
export {
  CallGuard,
  type CallGuardOptions,
  type CallVerdict,
  type ExplainFindingsOptions,
  explainFindings,
  type GuardedCall,
} from "./check-call/call-guard.ts";
export { type CallFinding, type CallFindingCode, type CheckCallOptions, checkCall } from "./check-call/check-call.ts";
