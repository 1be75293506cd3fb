/** Logins at MCP servers that want one: where, as whom, and the tokens. */

export type { ConnectOptions } from "./connect/routes.ts";
export { createUpstreamLogins } from "./logins.ts";
export type { GatewayLogins, UpstreamLogins, UpstreamLoginsOptions } from "./logins-api.ts";
export type {
  LoginInfo,
  LoginOptions,
  LoginPrompt,
  LoginServer,
  LogoutResult,
} from "./types.ts";
