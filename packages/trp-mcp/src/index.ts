export type { FaceName } from "./faces/face.ts";
export type { GateCaller, ServeMcpOptions, SessionLimits } from "./serve/options.ts";
export { type GateConnection, type McpGate, serveMcp } from "./serve/serve-mcp.ts";
export type * from "./types.ts";
