/** Damage in calls, whoever wrote or read them, found before anything runs. */
export {
  CallGuard,
  type CallGuardOptions,
  type CallVerdict,
  type ExplainFindingsOptions,
  explainFindings,
  type GuardedCall,
} from "./check-call/call-guard.ts";
export { type CheckCallOptions, checkCall } from "./check-call/check-call.ts";
export type { CallFinding, CallFindingCode, FaultName } from "./check-call/types.ts";
