export {
  type AcceptOptions,
  acceptTools,
  auditFieldsOf,
  type ImportedServer,
  type ImportedTool,
  type PinStore,
  type RepeatRule,
  type ToolSettings,
} from "@toolglot/trp-mcp";
export type { McpClientName } from "./config/client-files.ts";
export type { ConfigText, GatewayConfig, LoadConfigOptions, ServerConfig } from "./config/config-types.ts";
export { type DescribeOptions, describeTable, describeTools, type ToolDescription } from "./config/describe.ts";
export { defaultStateDir, type Machine } from "./config/folders.ts";
export { type InitOptions, type InitResult, initConfig } from "./config/init.ts";
export { loadConfig } from "./config/load-config.ts";
export { type ConfigProblem, type ConfigProblemCode, formatProblems } from "./config/problem.ts";
export type { ConfigSecret } from "./config/secrets.ts";
export type { ServerTransport } from "./config/server-entry.ts";
export type {
  ApprovalSettings,
  AuditSettings,
  AuthSettings,
  CodeSettings,
  GatewayRule,
  GatewaySettings,
  JwtSettings,
  LimitSettings,
  ListenSettings,
  MetricsSettings,
  OAuthSettings,
  PolicySettings,
  PostgresSettings,
  ResultSettings,
  RetentionSettings,
  ServerSettings,
  ShutdownSettings,
  WebhookSettings,
} from "./config/settings.ts";
export {
  type Snippet,
  type SnippetClient,
  type SnippetOptions,
  type SnippetTarget,
  snippet,
} from "./config/snippet.ts";
export { createGateway } from "./gateway/create-gateway.ts";
export type { Gateway, GatewayAddress, GatewayOptions, LogLine } from "./gateway/types.ts";
export { openLogins } from "./gateway/upstream-logins.ts";
export { openTokens, type Tokens, type TokensOptions } from "./identity/tokens.ts";
export type { Identity, NewToken, TokenInfo } from "./identity/types.ts";
export type { LoginInfo, LoginOptions, LoginPrompt, LogoutResult, UpstreamLogins } from "./login/index.ts";
export { type AuditExportOptions, type ExportedRow, exportAudit, exportedUpTo } from "./report/audit-export.ts";
export {
  type PolicyReport,
  type PolicyReportLine,
  type PolicyReportOptions,
  policyReport,
} from "./report/policy-report.ts";
export { type NameTool, nameTools } from "./report/tool-names.ts";
export { createSecretMask, type SecretMask } from "./secrets/mask.ts";
export type { GuaranteeName, VerifyResult } from "./verify/types.ts";
export { verify } from "./verify/verify.ts";
