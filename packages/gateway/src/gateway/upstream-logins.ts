import type { JsonObject } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit/mcp";
import type { Principal } from "@toolglot/trp-core";
import type { ImportedServer, Outcome, OwnTool, ToolAnswer } from "@toolglot/trp-mcp";
import type { GatewayConfig } from "../config/config-types.ts";
import { createUpstreamLogins, type UpstreamLogins } from "../login/index.ts";

/**
 * Opens the logins of a configuration at its servers; undefined when none is behind a URL. Processes with one state folder share them.
 */
export function openLogins(
  { servers, stateDir, settings }: GatewayConfig,
  more: { secret?: string; publicUrl?: () => string | undefined } = {},
): UpstreamLogins | undefined {
  const urls = servers.flatMap(({ name, transport, settings: { credentials, oauth } }) =>
    transport.type === "http"
      ? [{ name, url: transport.url, headers: transport.headers, credentials, ...(oauth && { oauth }) }]
      : [],
  );
  if (urls.length === 0) return undefined;
  const { secret, publicUrl } = more;
  const address = (): string | undefined => settings.listen.publicUrl ?? publicUrl?.();
  return createUpstreamLogins({ stateDir, servers: urls, publicUrl: address, ...defined({ secret }) });
}

/** The tools of servers that want a login: one each, that shows where to log in. */
export function loginTools(logins: UpstreamLogins, servers: readonly ImportedServer[]): OwnTool[] {
  return servers
    .filter((server) => server.state().needsLogin === true)
    .map(({ name }) => {
      const { tool, call } = logins.connectTool(name);
      return {
        listed: tool as unknown as OwnTool["listed"],
        async call(_args, { caller: { principal } }) {
          const result = await call(principal);
          return answerOf(result, result.isError === true ? "failed" : "done");
        },
      };
    });
}

/** Servers of which each caller has a login, and a connection, of their own. */
export class CallerLogins {
  readonly #logins: UpstreamLogins;
  readonly #make: (server: string, principal: Principal) => McpClient;
  /** By server and principal. */
  readonly #clients = new Map<string, McpClient>();

  constructor(logins: UpstreamLogins, make: (server: string, principal: Principal) => McpClient) {
    this.#logins = logins;
    this.#make = make;
  }

  /** The connection of a principal. It is opened by the first call. */
  clientOf(server: string, principal: Principal): McpClient {
    const key = keyOf(server, principal);
    const client = this.#clients.get(key) ?? this.#make(server, principal);
    this.#clients.set(key, client);
    return client;
  }

  /** What a call is answered with before its caller has logged in: nothing is dispatched. Undefined with a login. */
  async answerWithout(server: string, principal: Principal): Promise<ToolAnswer | undefined> {
    // Where the logins can't be read, the tool reports it.
    const known = await this.#logins.info(server, principal).catch(() => undefined);
    if (known !== undefined) return undefined;
    const result = await this.#logins.connectTool(server).call(principal);
    if (result.isError === true) return answerOf(result, "failed");
    return answerOf({ ...result, isError: true }, "pending", {
      ...defined({ approvalUrl: this.#logins.connectLink(server, principal) }),
    });
  }

  /** A login came or is gone: the session was another's, or nobody's. */
  forget(server: string, principal: { tenant: string; id: string }): void {
    const key = keyOf(server, principal);
    void this.#clients.get(key)?.close();
    this.#clients.delete(key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}

function keyOf(server: string, { tenant, id }: { tenant: string; id: string }): string {
  return JSON.stringify([server, tenant, id]);
}

type ConnectResult = Awaited<ReturnType<ReturnType<UpstreamLogins["connectTool"]>["call"]>>;

function answerOf(
  { content, isError }: ConnectResult,
  status: Outcome["status"],
  more: Partial<Outcome> = {},
): ToolAnswer {
  const outcome: Outcome = { status, dispatched: false, receipt: "", ...more };
  const meta = { "toolglot/outcome": outcome as unknown as JsonObject };
  return { result: { content: content as never, ...(isError && { isError }), _meta: meta }, outcome };
}
