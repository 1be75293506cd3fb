/** How a gateway shows itself to an authorization server. What is not said is found out there. */
export interface OAuthSettings {
  /** Of a client that was registered there by hand. */
  clientId?: string;
  clientSecret?: string;
  /** The https address of a client metadata document; used where the server takes such documents. */
  clientMetadataUrl?: string;
  /** Default: what the MCP server asks for. */
  scopes?: readonly string[];
}

/** An MCP server behind a URL that may want a login. */
export interface LoginServer {
  /** As the configuration names it. */
  name: string;
  url: string;
  /** Sent to this server alone, never to its authorization server. */
  headers?: Readonly<Record<string, string>>;
  /** `shared`: one login for all; `caller`: one for each principal. Default `shared`. */
  credentials?: "shared" | "caller";
  oauth?: OAuthSettings;
}

/** Whose login it is. */
export interface LoginPrincipal {
  /** Default `default`. */
  tenant?: string;
  id: string;
}

/** What is known of a login: nothing that is secret. */
export interface LoginInfo {
  server: string;
  /** Absent for a login that all share. */
  principal?: { tenant: string; id: string };
  /** Who issued its tokens. */
  issuer: string;
  /** What was granted, separated by blanks. Absent: the server did not say. */
  scope?: string;
  /** When its tokens came, in milliseconds since the epoch. */
  obtainedAt: number;
  /** When the access token ends. Absent: the server did not say. */
  expiresAt?: number;
  /** Whether the gateway can renew it without a person. */
  isRenewable: boolean;
}

/** Where a person has to go. `browser`: to an address that comes back to this machine; `device`: anywhere, with a code to compare or type. */
export type LoginPrompt =
  | { kind: "browser"; url: string; isOpened: boolean }
  | { kind: "device"; url: string; code: string; completeUrl?: string; expiresAt: number };

/** Options of {@link UpstreamLogins.login}. */
export interface LoginOptions {
  /** Gets what the person has to see. */
  onPrompt(prompt: LoginPrompt): void;
  /** Whose login it is to be, for servers with `credentials: "caller"`. */
  principal?: LoginPrincipal;
  /** Uses the device authorization grant: for machines without a browser. Default false. */
  device?: boolean;
  /** Opens the address in this machine's browser. Default true. */
  openBrowser?: boolean;
  /** Ends the login. */
  signal?: AbortSignal;
  /** How long a person may take. Milliseconds. Default 600,000. */
  timeoutMs?: number;
}

/** What became of a login that was to be forgotten. */
export interface LogoutResult {
  /** Whether there was one. */
  wasLoggedIn: boolean;
  /** Whether the authorization server ended its tokens, too. */
  isRevoked: boolean;
  /** Why it did not. */
  reason?: string;
}
