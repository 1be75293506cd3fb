import { type BearerEntry, bearerTokens, type Principal, principal } from "@toolglot/trp-core";
import { UsageError } from "../cli/usage-error.ts";

/** What a router takes from the environment. */
export interface RouterEnvironment {
  /** `TRP_HOST`. Default `127.0.0.1`. */
  host: string;
  /** `TRP_PORT`. */
  port?: number;
  /** `TRP_TOKENS`: the principal of each bearer token. Without it every caller is `local-agent`. */
  tokens?: (token: string | undefined) => Principal | undefined;
  /** `TRP_APPROVAL_HMAC_SECRET`: of signed approval tokens. */
  approvalSecret?: string;
  /** `TRP_AUDIT_KEY`: file of the key that signs checkpoints of the audit log. */
  auditKey?: string;
  /** `TRP_DATA_DIR`. */
  dataDir?: string;
  /** `TRP_EXECUTOR_BASE_SLEEP_MS`. Default 0. */
  baseSleepMs: number;
}

/** The default port. */
export const defaultPort = 8787;

/** The agent of a router without tokens. It may ask for deletions; a person decides about each. */
export const localAgent: Principal = principal({ id: "local-agent", canDelete: true });

/** The person at the terminal, who decides about requests of `local-agent`, and may read the metrics. */
export const localOperator: Principal = principal({ id: "local-operator", roles: ["approver", "metrics"] });

/** Reads the variables whose names begin with `TRP_`. An empty one is as good as none. Throws `UsageError`. */
export function readEnvironment(env: NodeJS.ProcessEnv): RouterEnvironment {
  const { TRP_HOST, TRP_PORT, TRP_TOKENS, TRP_APPROVAL_HMAC_SECRET, TRP_DATA_DIR, TRP_EXECUTOR_BASE_SLEEP_MS } = env;
  const { TRP_AUDIT_KEY } = env;
  return {
    host: TRP_HOST || "127.0.0.1",
    ...(TRP_PORT && { port: wholeNumber("TRP_PORT", TRP_PORT, 65_535) }),
    ...(TRP_TOKENS && { tokens: readTokens(TRP_TOKENS) }),
    ...(TRP_APPROVAL_HMAC_SECRET && { approvalSecret: TRP_APPROVAL_HMAC_SECRET }),
    ...(TRP_AUDIT_KEY && { auditKey: TRP_AUDIT_KEY }),
    ...(TRP_DATA_DIR && { dataDir: TRP_DATA_DIR }),
    baseSleepMs: TRP_EXECUTOR_BASE_SLEEP_MS
      ? wholeNumber("TRP_EXECUTOR_BASE_SLEEP_MS", TRP_EXECUTOR_BASE_SLEEP_MS, 600_000)
      : 0,
  };
}

/** A whole number from 0 to `max`, as it stands on a command line. Throws `UsageError`. */
export function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value > max) {
    throw new UsageError(`${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}.`);
  }
  return value;
}

const tokensForm = `TRP_TOKENS must be JSON such as {"a-long-secret": {"principal": "alice", "roles": ["approver"], "can_delete": true}}`;

/** Tokens are secrets: neither the parser's message nor ours shows one. */
function readTokens(text: string): (token: string | undefined) => Principal | undefined {
  let map: Record<string, BearerEntry>;
  try {
    map = JSON.parse(text);
  } catch {
    throw new UsageError(`${tokensForm}; what it holds is no JSON.`);
  }
  try {
    const tokens = bearerTokens(map);
    if (Object.keys(map).length > 0) return tokens;
  } catch (error) {
    throw new UsageError(`${tokensForm}; ${(error as Error).message}.`);
  }
  throw new UsageError(`${tokensForm}; it names nobody. Leave it out for one local agent.`);
}
