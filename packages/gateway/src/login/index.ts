/** Logins at MCP servers that want one: where, as whom, and the tokens. */

export type { ConnectTool } from "./connect/connect-tool.ts";
export type { ConnectOptions } from "./connect/routes.ts";
export type { LoginErrorCode } from "./errors.ts";
export { createUpstreamLogins, type UpstreamLogins, type UpstreamLoginsOptions } from "./logins.ts";
export type {
  LoginInfo,
  LoginOptions,
  LoginPrincipal,
  LoginPrompt,
  LoginServer,
  LogoutResult,
  OAuthSettings,
} from "./types.ts";
