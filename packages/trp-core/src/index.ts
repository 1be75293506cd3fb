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
export { verifyRows } from "./audit/chain.ts";
export { createAuditLogger } from "./audit/logger.ts";
export type { AuditEntry, AuditRow } from "./audit/types.ts";
export type { Execution, IncomingCall, Settled } from "./calls/types.ts";
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
export { registerCapability } from "./catalog/register.ts";
export { type BuiltInRegistry, createRegistry, type RegistryOptions } from "./catalog/registry.ts";
export { canonicalJson } from "./digest/canonical-json.ts";
export { uuidV7 } from "./digest/ids.ts";
export { CapabilityError, type CapabilityErrorOptions } from "./errors/capability-error.ts";
export { type CodeEntry, errorCodes, isTrpCode } from "./errors/codes.ts";
export { type FaultDetails, fault, isFault } from "./errors/fault.ts";
export type { ErrorClass, Fault, TrpCode } from "./errors/types.ts";
export type { RouterEvent, RouterListener } from "./events/types.ts";
export { createAdapterLayer } from "./execution/adapters.ts";
export { createExecutor, type ExecutorOptions } from "./execution/executor.ts";
export {
  type AckPayload,
  type AliasRow,
  type ArtifactRef,
  type BatchItemResult,
  type CallBatchReqPayload,
  type CallBatchResPayload,
  type CallItem,
  type CallReqPayload,
  type CallUsage,
  type CapQueryReqPayload,
  type CapQueryResPayload,
  type CatalogSyncReqPayload,
  type CatalogSyncResPayload,
  type Envelope,
  type FaultPayload,
  type Feature,
  type HelloReqPayload,
  type HelloResPayload,
  type IoClass,
  type NackPayload,
  type PartialResultEvent,
  type PartialResultPayload,
  type PolicyProof,
  type RequestFrame,
  type RequestOf,
  type ReservedFields,
  type ResponseFrame,
  type ResponseOf,
  type ResultPayload,
  type ResultQueryReqPayload,
  type ResultQueryResPayload,
  type RetryHint,
  type RiskTier,
  type ShapedResult,
  trpVersion,
} from "./frames/types.ts";
export { type Authenticate, bearerToken, createFetchHandler, type HttpHead, type HttpOptions } from "./http/index.ts";
export { type BearerEntry, bearerTokens, narrow, type PrincipalInput, principal } from "./identity/principal.ts";
export type { Principal } from "./identity/types.ts";
export type {
  AdapterLayer,
  AuditedCall,
  AuditLogger,
  CapabilityExecutor,
  CapabilityRegistry,
  FrameHandler,
  ResultShaper,
  SessionManager,
} from "./parts.ts";
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
export { createResultShaper, type ResultShaperOptions } from "./results/shaper.ts";
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
export { createSessions, type SessionOptions } from "./sessions/sessions.ts";
export { MemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
export type {
  Admission,
  AdmissionResult,
  AdmittedCall,
  Along,
  Answer,
  ApprovalRecord,
  ApprovalStatus,
  ApprovalStore,
  ApprovalUse,
  ArtifactStore,
  AuditStore,
  CallOutcome,
  CallRecord,
  CatalogStore,
  Denial,
  KnownCall,
  OperationFilter,
  RouterOperationLog,
  RouterStore,
  SessionRecord,
  SessionStore,
  StartOptions,
  StartResult,
  StoredArtifact,
  Who,
} from "./store/types.ts";
