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
  type SafetyFault,
  type SafetyOptions,
  type SafetyRules,
  type TextRule,
} from "./arguments/safety.ts";
export type {
  AnyCapability,
  ArgumentCheck,
  ArgumentRule,
  Capability,
  Effect,
  ExecuteContext,
  ProbeResult,
  RegisteredCapability,
  Repeats,
} from "./capability/types.ts";
export { schemaToTemplate, templateToSchema } from "./catalog/arg-template.ts";
export { defineCapability } from "./catalog/define-capability.ts";
export { CapabilityError, type CapabilityErrorOptions } from "./errors/capability-error.ts";
export type { RouterEvent, RouterListener } from "./events/types.ts";
export { type Authenticate, bearerToken, createFetchHandler, type HttpHead, type HttpOptions } from "./http/index.ts";
export { type BearerEntry, bearerTokens, narrow, type PrincipalInput, principal } from "./identity/principal.ts";
export type { Principal } from "./identity/types.ts";
export type { CapabilityRegistry } from "./parts.ts";
export { defaultPolicy } from "./policy/default-policy.ts";
export { createPolicy, type PolicyOptions } from "./policy/rules.ts";
export type {
  ArgumentCondition,
  PolicyDecision,
  PolicyEngine,
  PolicyInput,
  PolicyRule,
  Weekday,
} from "./policy/types.ts";
export { createRouter } from "./router/create-router.ts";
export type {
  AuditReport,
  CallErrorFacts,
  FrameContext,
  RecoveryReport,
  Router,
  RouterLimits,
  RouterOptions,
  RouterTimes,
  StoreErrorFacts,
  VerifyOptions,
} from "./router/types.ts";
export { MemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
