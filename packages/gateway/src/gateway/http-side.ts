import { ToolglotError } from "@toolglot/core";
import { type Principal, principal, type Router } from "@toolglot/trp-core";
import type { ImportedServer, ImportedTool, McpGate } from "@toolglot/trp-mcp";
import type { GatewayConfig } from "../config/config-types.ts";
import { isLoopback } from "../http/hosts.ts";
import type { ReadinessCheck } from "../http/types.ts";
import { createAuthenticator } from "../identity/authenticator.ts";
import { openTokens } from "../identity/tokens.ts";
import type { Identity } from "../identity/types.ts";
import type { GatewayLogins } from "../login/index.ts";
import type { SecretMask } from "../secrets/mask.ts";
import { inTraceOf } from "./traced-calls.ts";
import type { GatewayAddress, GatewayOptions } from "./types.ts";

/** What a gateway serves over HTTP. */
export interface HttpSide extends GatewayAddress {
  approvalUrl(id: string): string | undefined;
  readonly inDoubtUrl: string | undefined;
  drain(): Promise<void>;
  close(graceMs: number): Promise<void>;
}

/** What the HTTP side of a gateway is made of. */
export interface HttpSideParts {
  config: GatewayConfig;
  options: GatewayOptions;
  router: Router;
  /** Shared by all gateways on the store. */
  secret: string;
  gate: McpGate;
  mask: SecretMask;
  metrics(): Promise<{ contentType: string; text(): Promise<string> }>;
  servers: readonly ImportedServer[];
  logins: GatewayLogins | undefined;
  tool(capId: string): ImportedTool | undefined;
  log(message: string): void;
}

/**
 * Opens the file of tokens and listens. Rejects with `ToolglotError` `gateway/no-tokens` when nobody could be let in, `gateway/listen` when
 * the port can't be had, and `config/…` for a file of tokens that is not right.
 */
export async function openHttpSide(parts: HttpSideParts): Promise<HttpSide> {
  const { config, options, router, secret, gate, mask, metrics, servers, logins, tool, log } = parts;
  const { listen: where, tenant, auth: otherAuth, approvals, metrics: metricsPage, shutdown } = config.settings;
  const tokens = await openTokens(config.settings.tokens, { log });
  const isOpen = options.noAuth === true;
  try {
    if (isOpen && !isLoopback(where.host)) {
      throw new ToolglotError(
        "gateway/no-auth",
        `Without tokens the gateway listens on loopback alone, not ${where.host}.`,
      );
    }
    if (!isOpen && otherAuth === undefined && !(await tokens.list()).some(({ revokedAt }) => revokedAt === undefined)) {
      throw noTokens();
    }
    const auth = await createAuthenticator({
      tokens,
      ...(otherAuth && { jwt: { ...otherAuth.jwt, tenant } }),
      ...(isOpen && { anonymous: principal({ id: options.principal ?? "local", tenant }) }),
    });
    // A gateway that a client starts over stdio, and that nobody has a token of, does without.
    const { createApprovalsPage, createHttpApp, listen } = await import("./http-parts.ts");
    const hasPage = approvals.via.includes("page");
    const page = hasPage
      ? createApprovalsPage({ router, auth, mask, formKey: secret, listen: where, toolOf: tool })
      : undefined;
    const whose = async (authorization: string | undefined): Promise<Principal | undefined> =>
      (await auth.authenticate(authorization))?.principal;
    const connect = await logins?.connectRoutes({
      identify: ({ req }) => whose(req.header("authorization")),
      authenticate: whose,
      // Without tokens, whoever reaches the gateway is this machine's user.
      mayConnectShared: ({ roles }) => isOpen || roles.includes("approver"),
    });
    const app = createHttpApp({
      mcp: (request, { identity, body }) => {
        const { id, principal: who, mayElicit, lenientHeaders } = identity;
        const work = () => gate.fetch(request, { principal: who, mayElicit, lenientHeaders, credential: id }, body);
        return options.tracing === true ? inTraceOf(request.headers, work) : work();
      },
      ...{ auth, router, mask, log },
      ...(page && { page }),
      ...(connect && { connect }),
      listen: where,
      metrics: { ...(await metrics()), open: metricsPage.open },
      readiness: () => [
        ...leaseCheck(config.settings),
        ...servers.map((server) => {
          const { up, reason } = server.state();
          // A server that is down is no reason to send callers elsewhere: another gateway has the same one.
          return { name: `server ${server.name}`, ok: true, ...(!up && { message: reason ?? "not connected" }) };
        }),
      ],
    });
    const host = await listen(app, where).catch((error: NodeJS.ErrnoException) => {
      const message = `The gateway can't listen at ${where.host}:${where.port}: ${error.message}`;
      throw new ToolglotError("gateway/listen", message, { cause: error });
    });
    const unsubscribe = auth.onRevoked((id) => void gate.end(({ credential }) => credential === id));
    const base = where.publicUrl?.replace(/\/$/, "") ?? host.url;
    return {
      url: base + where.path,
      port: host.port,
      ...(page && { signInUrl: () => base + page.signInLink(ownerOf(tenant)) }),
      approvalUrl: (id) => (hasPage ? `${base}/approvals/${encodeURIComponent(id)}` : undefined),
      inDoubtUrl: hasPage ? `${base}/approvals/in-doubt` : undefined,
      drain: () => host.drain(shutdown.drainMs, shutdown.graceMs),
      async close(graceMs) {
        unsubscribe();
        await host.close(graceMs);
        tokens.close();
      },
    };
  } catch (error) {
    tokens.close();
    throw error;
  }
}

/** Returns when a call could be taken over from a gateway that only waits for the database to come back. */
function leaseCheck({ store, postgres, leaseMs }: GatewayConfig["settings"]): ReadinessCheck[] {
  const { retryForMs = 5_000 } = postgres ?? {};
  if (!store.startsWith("postgres") || leaseMs >= 2 * retryForMs) return [];
  const message = `leaseMs, ${leaseMs}, is less than twice postgres.retryForMs, ${retryForMs}: raise it, so that calls outlast a failover`;
  return [{ name: "lease", ok: true, message }];
}

/** Whoever started the gateway may decide, as they may at its store. */
function ownerOf(tenant: string): Identity {
  const owner = principal({ id: "terminal", tenant, roles: ["approver"] });
  // No token has such an id.
  return { id: "owner@terminal", principal: owner, mayElicit: false, lenientHeaders: false };
}

/** The error of a gateway that nobody could call. */
function noTokens(): ToolglotError {
  const message =
    "There are no tokens, so nobody could be let in over HTTP. Make one: toolglot gateway token add NAME. " +
    "On loopback alone, --no-auth lets every caller of this machine in.";
  return new ToolglotError("gateway/no-tokens", message);
}
