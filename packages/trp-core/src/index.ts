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
export type { AuditReport, VerifyOptions } from "./audit/types.ts";
export type { RecoveryReport } from "./calls/recover.ts";
export { schemaToTemplate, templateToSchema } from "./catalog/arg-template.ts";
export { CapabilityError, type CapabilityErrorOptions } from "./catalog/capability-error.ts";
export { capabilityOf, defineCapability } from "./catalog/define-capability.ts";
export type {
  Adapter,
  AdapterCondition,
  AdapterFacts,
  AdapterHealth,
  AnyCapability,
  ArgumentCheck,
  ArgumentRule,
  Capability,
  CapabilityRegistry,
  Effect,
  ExecuteContext,
  ProbeResult,
  RegisteredAdapter,
  RegisteredCapability,
  Repeats,
} from "./catalog/types.ts";
export type { RouterEvent, RouterListener } from "./events/types.ts";
export { createFetchHandler } from "./http/fetch-handler.ts";
export { bearerToken } from "./http/headers.ts";
export type { Authenticate, HttpHead, HttpOptions } from "./http/types.ts";
export { type BearerEntry, bearerTokens, narrow, type PrincipalInput, principal } from "./identity/principal.ts";
export type { Principal } from "./identity/types.ts";
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
  CallErrorFacts,
  FrameContext,
  Router,
  RouterLimits,
  RouterOptions,
  RouterTimes,
  StoreErrorFacts,
} from "./router/types.ts";
export { MemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
export type { TransportLimits } from "./transport/limits.ts";
