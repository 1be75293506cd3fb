/** Damage in calls, whoever wrote or read them, found before anything runs. */
export {
  CallGuard,
  type CallGuardOptions,
  type CallVerdict,
  type CheckCallOptions,
  checkCall,
  type ExplainFindingsOptions,
  explainFindings,
  type GuardedCall,
} from "./check-call/check-call.ts";
export type { CallFinding, CallFindingCode, FaultName } from "./check-call/types.ts";
