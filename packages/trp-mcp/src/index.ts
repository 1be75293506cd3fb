/** Both MCP sides of a TRP router: servers' tools as capabilities, and faces for MCP clients. */

export { waitForDecision } from "./calls/approval-wait.ts";
export { type AuditFieldsParts, auditFieldsOf } from "./calls/audit-fields.ts";
export { CallChannel } from "./calls/call-channel.ts";
export { forgetEffects } from "./calls/effect-keys.ts";
export type { ToolCallsOptions } from "./calls/options.ts";
export { askAgain, elicitationRole, observed, observePolicy } from "./calls/policies.ts";
export { createToolCalls } from "./calls/tool-calls.ts";
export type { FaceName } from "./faces/face.ts";
export { ToolSearch } from "./faces/tool-search.ts";
export { behindLogin, isBehindLogin } from "./import/behind-login.ts";
export { importMcpServer } from "./import/import-server.ts";
export { codeMeta, type ResultLimits } from "./import/kept-result.ts";
export { slug } from "./import/names.ts";
export type { ImportOptions } from "./import/options.ts";
export { type AcceptOptions, acceptTools, type PinMode, type PinStore, seenTools } from "./import/pins.ts";
export type { GateConnection, McpGate } from "./serve/gate.ts";
export type { GateCaller, ServeMcpOptions, SessionLimits } from "./serve/options.ts";
export { serveMcp } from "./serve/serve-mcp.ts";
export { viewsFor } from "./server-views.ts";
export type * from "./types.ts";
