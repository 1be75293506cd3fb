/** TRP (Tool Router Protocol): one entry for every tool call, with catalog, policy, approvals, idempotency and audit. */

export {
  type ApprovalTokenCheck,
  type ApprovalTokenClaims,
  type ApprovalTokenRequest,
  issueApprovalToken,
  verifyApprovalToken,
} from "./approvals/token.ts";
export {
  createSafetyRules,
  type SafetyOptions,
  type SafetyRules,
} from "./arguments/safety.ts";
export { checkpointSigner, checkpointVerifier, createCheckpointKeys } from "./audit/keys.ts";
export type {
  AuditCheckpoint,
  AuditFields,
  AuditReport,
  AuditSubject,
  CheckpointSigner,
  CheckpointVerifier,
} from "./audit/types.ts";
export type { RecoveryReport } from "./calls/keyed/recover.ts";
export { schemaToTemplate, templateToSchema } from "./catalog/arg-template.ts";
export { CapabilityError } from "./catalog/capability-error.ts";
export { capabilityOf, defineCapability } from "./catalog/define-capability.ts";
export type {
  Adapter,
  AnyCapability,
  ArgumentRule,
  Capability,
  CapabilityRegistry,
  Effect,
  ExecuteContext,
  ProbeResult,
} from "./catalog/types.ts";
export type { RouterEvent, RouterListener } from "./events/types.ts";
export { createFetchHandler } from "./http/fetch-handler.ts";
export { bearerToken } from "./http/messages.ts";
export type { Authenticate, HttpOptions } from "./http/types.ts";
export { type BearerEntry, bearerTokens, narrow, type PrincipalInput, principal } from "./identity/principal.ts";
export type { Principal } from "./identity/types.ts";
export { type PolicyRuleProblem, policyRuleProblems } from "./policy/check-rules.ts";
export { defaultPolicy } from "./policy/decide.ts";
export { createPolicy, type PolicyOptions } from "./policy/rules.ts";
export type {
  PolicyDecision,
  PolicyEngine,
  PolicyInput,
  PolicyRule,
} from "./policy/types.ts";
export { createRouter } from "./router/create-router.ts";
export type {
  CheckpointOptions,
  Router,
  RouterLimits,
  RouterOptions,
  RouterTimes,
} from "./router/types.ts";
export type { OutboxEvent } from "./store/log-types.ts";
export { MemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
