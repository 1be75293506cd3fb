import type { PolicyRule } from "@toolglot/trp-core";
import type { RepeatRule, ToolSettings } from "@toolglot/trp-mcp";

/** Settings of a gateway, as they hold: what a configuration leaves out has its default. */
export interface GatewaySettings {
  /** Where the gateway is reached over HTTP. */
  listen: ListenSettings;
  /** `sqlite:PATH`, `postgres://…` or `memory`. Default `sqlite:<state folder>/gateway.db`. */
  store: string;
  /** How a store in PostgreSQL is used. */
  postgres?: PostgresSettings;
  /** Milliseconds after which other gateways take over the call of one that has not been heard of. Default 10,000. */
  leaseMs: number;
  /** How the gateway stops. */
  shutdown: ShutdownSettings;
  /** The file of tokens. Default `<state folder>/tokens.json`. */
  tokens: string;
  /** What clients see. `auto`: `tools` while the list of tools is small, else `search`. Default `auto`. */
  face: "tools" | "search" | "code" | "auto";
  /** Milliseconds after which a running call becomes a task, for clients that take tasks. Default 10,000. */
  taskAfterMs: number;
  /** Whose calls these are, where a token doesn't say it. Default `default`. */
  tenant: string;
  /** Settings by the server's name. Default: none. */
  servers: Record<string, ServerSettings>;
  /** Rules, or the path of a file with them. Default: the default policy, by which HIGH risk needs an approval. */
  policy?: PolicySettings | string;
  /** `observe`: decisions of the policy are recorded and not applied. Default `enforce`. */
  mode: "enforce" | "observe";
  /** How people are asked for approvals. */
  approvals: ApprovalSettings;
  /** What happens to a call whose effect was there before. Also as its mode alone. Default: `window`, 600,000 ms. */
  repeat: RepeatRule;
  /** Bounds for results of tools. */
  results: ResultSettings;
  /** The face `code`. */
  code: CodeSettings;
  /** Bounds for clients. */
  limits: LimitSettings;
  /** The audit log. */
  audit: AuditSettings;
  /** How long rows are kept. */
  retention: RetentionSettings;
  /** The page of metrics. */
  metrics: MetricsSettings;
  /** Other ways to know a caller than the gateway's own tokens. */
  auth?: AuthSettings;
}

/** Where a gateway is reached. */
export interface ListenSettings {
  /** An address of this machine, or a name for one. Default `127.0.0.1`. */
  host: string;
  /** 0: any that is free. Default 8765, with stdio 0. */
  port: number;
  /** Default `/mcp`. */
  path: string;
  /** The URL by which others reach the gateway, when it stands behind a proxy. */
  publicUrl?: string;
  /** Names that a request's `Host` may have besides loopback and `publicUrl`. Default: none. */
  allowedHosts: string[];
  /** Origins of pages that may send requests, as `https://app.example.com`. Default: none. */
  allowedOrigins: string[];
}

/** How a store in PostgreSQL is used: the options of `openPostgres` besides the address, which is `store`. */
export interface PostgresSettings {
  /** Where the tables are. Default `toolglot`. */
  schema?: string;
  /** Connections of one gateway. Default 10. */
  pool?: number;
  /** Whether a start brings the tables to its version, refuses where they are older, or doesn't look. Default `auto`. */
  migrate?: "auto" | "check" | "off";
  /** Milliseconds. Default 10,000. */
  statementTimeoutMs?: number;
  /** Milliseconds. Default 5,000. */
  lockTimeoutMs?: number;
  /** Milliseconds that a call waits for a database that is away. Default 5,000. */
  retryForMs?: number;
  /** Whether to refuse a database without synchronous standbys. Default false. */
  requireSync?: boolean;
  /** What happens once the database has forgotten what it acknowledged: calls are refused, or it is reported only. Default `stop`. */
  onLostWrites?: "stop" | "report";
}

/** How a gateway stops. */
export interface ShutdownSettings {
  /** Milliseconds, after SIGTERM, in which it still takes calls, while `/readyz` says that it is going. Default 0. */
  drainMs: number;
  /** Milliseconds that calls have then to come to their end. Default 10,000. */
  graceMs: number;
}

/** What holds for one server. */
export interface ServerSettings {
  /** Globs: only tools with such a name are there. Default: all. */
  allow?: string[];
  /** Globs: tools with such a name are not there. Default: none. */
  deny?: string[];
  /** Milliseconds that a call may take without progress. Default 60,000. */
  timeoutMs: number;
  /** Milliseconds that connecting may take. Default 10,000. */
  connectMs: number;
  /** Calls at the same time. Default 16. */
  maxConcurrency: number;
  /**
   * What happens when a tool changes after first sight. `risk`: its risk never falls by itself. `strict`: it is gone until it is
   * accepted. `off`: nothing. Default `risk`.
   */
  pin: "off" | "risk" | "strict";
  /** Whether risk and effect follow the server's annotations. Without, every tool is HIGH and `opaque`. Default true. */
  trustAnnotations: boolean;
  /** Who signs in at the server: the gateway once for all, or each caller. Default `shared`. */
  credentials: "shared" | "caller";
  /** How the gateway signs in at the server. */
  oauth?: OAuthSettings;
  /** Names of headers of a caller's request that go on to the server. Default: none. */
  forwardHeaders: string[];
  /** What happens to calls of WRITE tools whose arguments arrived damaged. Default `refuse`. */
  damaged: "refuse" | "report";
  /** As the gateway's `repeat`, for this server. Default: the gateway's. */
  repeat?: RepeatRule;
  /** What you know of tools, by globs of their names at the server. Default: none. */
  tools: Record<string, ToolSettings>;
}

/** A client that the gateway is at a server's authorization server. */
export interface OAuthSettings {
  clientId?: string;
  clientSecret?: string;
  /** An https URL of a client metadata document. */
  clientMetadataUrl?: string;
  /** Default: what the server asks for. */
  scopes?: string[];
}

/** Rules of a policy, as `createPolicy` of `@toolglot/trp-core` takes them. */
export interface PolicySettings {
  /** Yours to raise whenever a rule changes. 1 to 64 characters. */
  version: string;
  /** The first that holds decides. */
  rules: GatewayRule[];
  /** Who decides when no rule holds: the default policy, or nobody. Default `default`. */
  fallback?: "default" | "deny";
}

/** A rule of a gateway's policy: one of `createPolicy`, and who is asked. */
export interface GatewayRule extends PolicyRule {
  /** With `approve`: the request is decided on the page alone, not through the client program. Default: as `approvals.via` says. */
  via?: "page";
}

/** How people are asked. */
export interface ApprovalSettings {
  /** Through the client's own question, on the gateway's page, or both. Default both. */
  via: ("elicitation" | "page")[];
  /** Milliseconds that a call waits for a decision before it is answered as pending. Default 45,000. */
  waitMs: number;
  /** Milliseconds after which a request that nobody decided is void. Default 900,000. */
  ttlMs: number;
  /** Who hears of requests and decisions. */
  webhook?: WebhookSettings;
}

/** A receiver of signed messages. */
export interface WebhookSettings {
  /** https, or loopback. */
  url: string;
  /** The key of the signature. */
  secret: string;
  /** Whether arguments and the rendered text are sent along. Default false. */
  includeArguments: boolean;
  /** Default `json`. */
  format: "json" | "slack" | "teams";
}

/** Bounds for results of tools. */
export interface ResultSettings {
  /** Bytes; a larger result is an error. Default 4,194,304. */
  maxBytes: number;
  /** Bytes that are kept to be given again. Default 1,048,576. */
  keepBytes: number;
}

/** Programs of models. */
export interface CodeSettings {
  /** Default both. */
  languages: ("javascript" | "python")[];
  /** Milliseconds that a program may run. Default 60,000. */
  timeoutMs: number;
  /** Calls of tools that a program may make. Default 100. */
  calls: number;
}

/** Bounds for clients. */
export interface LimitSettings {
  /** Default 1,000. */
  sessions: number;
  /** Default 50. */
  sessionsPerPrincipal: number;
  /** Milliseconds. Default 1,800,000. */
  sessionIdleMs: number;
  /** Default 256. */
  callsInFlight: number;
  /** Requests for approval that wait. Default 50. */
  pendingPerPrincipal: number;
}

/** The audit log. */
export interface AuditSettings {
  /** A file that the newest head is written to every minute, and when the gateway stops. */
  head?: string;
}

/** How long rows are kept. */
export interface RetentionSettings {
  /** Days that rows of the audit log are kept at least. Only rows that were exported are deleted. 0: kept for good. Default 0. */
  auditDays: number;
}

/** The page of metrics. */
export interface MetricsSettings {
  /** Whether `/metrics` needs no token; on loopback only. Default false. */
  open: boolean;
}

/** Other ways to know a caller. */
export interface AuthSettings {
  /** Signed tokens of an issuer. */
  jwt: JwtSettings;
}

/** Tokens of an issuer. */
export interface JwtSettings {
  issuer: string;
  audience: string;
  /** The URL of the issuer's keys: https, or loopback. */
  jwks: string;
  /** The claim that names the caller. Default `sub`. */
  principal: string;
  /** The claim that has the caller's roles. Default `roles`. */
  roles: string;
}
