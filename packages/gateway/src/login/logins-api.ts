import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import type { AskPassphrase, SecretStore } from "@toolglot/secrets";
import type { Hono } from "hono";
import type { HostEnv } from "../http/types.ts";
import type { ConnectTool } from "./connect/connect-tool.ts";
import type { ConnectOptions } from "./connect/routes.ts";
import type { LoginInfo, LoginOptions, LoginPrincipal, LoginServer, LogoutResult } from "./types.ts";

/** Options of `createUpstreamLogins`. */
export interface UpstreamLoginsOptions {
  /** Where logins are kept, and locks: made for its owner alone. Gateways and commands with one folder share their logins. */
  stateDir: string;
  servers: readonly LoginServer[];
  /** Where people reach the gateway, as `https://tools.example`. Absent: `SERVER__connect` begins a login on this machine. */
  publicUrl?: string | (() => string | undefined);
  /** What links and cookies are sealed with: the same for all gateways behind one address. Default: random, of this process. */
  secret?: string;
  /** Unlocks the file of logins. Default: a key that is made in `stateDir`. */
  passphrase?: AskPassphrase;
  /** Keeps logins in another place than a file in `stateDir`. */
  store?: SecretStore;
  /** Default: the global one. */
  fetch?: FetchLike;
  /** How often it is looked for logins of other processes while somebody listens. Milliseconds. Default 1,000. */
  watchMs?: number;
}

/** Logins of a gateway at its servers. Made by `createUpstreamLogins`; faults are `ToolglotError` `gateway/login-…`. */
export interface UpstreamLogins {
  /** Logs in, with a person. */
  login(server: string, options: LoginOptions): Promise<LoginInfo>;
  /** Forgets a login, and has its tokens ended. Without `principal`: all that there are at the server. */
  logout(server: string, principal?: LoginPrincipal): Promise<LogoutResult>;
  /** What is known of a login; undefined when there is none. */
  info(server: string, principal?: LoginPrincipal): Promise<LoginInfo | undefined>;
  /** Calls the listener when a login came or is gone, also through another process. Returns what ends it. */
  onChange(listener: (server: string, principal?: { tenant: string; id: string }) => void): () => void;
  /** Abandons logins that wait for a person, and looks for changes no more. */
  close(): void;
}

/** What the gateway itself does with them, besides. */
export interface GatewayLogins extends UpstreamLogins {
  /**
   * What an MCP client of the server signs its requests with (`authProvider` of its transport). Tokens are renewed before they end. Asks
   * nobody: without a login, requests that need one fail as `toolkit/mcp-unauthorised`. With `credentials: "caller"` and no `principal`, it
   * is the first login that there is: good for the list of tools, and for nobody's calls.
   */
  authProviderOf(server: string, principal?: LoginPrincipal): AuthProvider;
  /**
   * What that client makes its requests with (`fetch` of its transport): notes the scopes that the server misses in a login
   * (403 `insufficient_scope`). The next login asks for them, and for all that the one before had.
   */
  fetchOf(server: string, principal?: LoginPrincipal): FetchLike;
  /** The tool that stands for a server which wants a login. */
  connectTool(server: string): ConnectTool;
  /**
   * Where one can log in with a browser: with `credentials: "caller"` the principal's own link, of use to nobody else. Undefined without
   * `publicUrl`.
   */
  connectLink(server: string, principal: LoginPrincipal): string | undefined;
  /** The routes of these links, to be mounted at `/connect`. */
  connectRoutes(options: ConnectOptions): Promise<Hono<HostEnv>>;
}
