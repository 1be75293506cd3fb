import type { JsonObject } from "@toolglot/core";
import { defined, sleep } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit";
import type { Principal } from "@toolglot/trp-core";
import type { Outcome, OwnTool, ServerView, ToolAnswer, ToolCallContext } from "@toolglot/trp-mcp";
import type { GatewayConfig } from "../config/config-types.ts";
import { createUpstreamLogins, type GatewayLogins, type UpstreamLogins } from "../login/index.ts";

/**
 * Opens the logins of a configuration at its servers; undefined when none is behind a URL. Processes with one state folder share them.
 */
export function openLogins(config: GatewayConfig): UpstreamLogins | undefined {
  return gatewayLogins(config);
}

export function gatewayLogins(
  { servers, stateDir, settings }: GatewayConfig,
  more: { secret?: string; publicUrl?: () => string | undefined } = {},
): GatewayLogins | undefined {
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
export function loginTools(logins: GatewayLogins, servers: readonly ServerView[]): OwnTool[] {
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

/** How often it is looked whether somebody who went to log in has done so, in whatever process. Milliseconds. */
const lookEveryMs = 500;

/** Servers of which each caller has a login, and a connection, of their own. */
export class CallerLogins {
  readonly #logins: GatewayLogins;
  readonly #make: (server: string, principal: Principal) => McpClient;
  readonly #waitMs: number;
  /** By server and principal. */
  readonly #clients = new Map<string, McpClient>();

  /** `waitMs`: how long a call waits for somebody who goes to log in. */
  constructor(logins: GatewayLogins, waitMs: number, make: (server: string, principal: Principal) => McpClient) {
    this.#logins = logins;
    this.#waitMs = waitMs;
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
  async answerWithout(server: string, context: ToolCallContext): Promise<ToolAnswer | undefined> {
    const { principal } = context.caller;
    if (await this.#hasLogin(server, principal)) return undefined;
    if (context.loginShown === true && (await this.#untilLogin(server, context))) return undefined;
    const result = await this.#logins.connectTool(server).call(principal);
    if (result.isError === true) return answerOf(result, "failed");
    const url = this.#logins.connectLink(server, principal);
    const answer = answerOf({ ...result, isError: true }, "pending", { ...defined({ approvalUrl: url }) });
    const text = `Log in at ${server}: the call is made with your own account there. Sign in with your gateway token.`;
    return url === undefined ? answer : { ...answer, login: { server, url, text } };
  }

  /** Where the logins can't be read, the tool to log in reports it. */
  async #hasLogin(server: string, principal: Principal): Promise<boolean> {
    return (await this.#logins.info(server, principal).catch(() => undefined)) !== undefined;
  }

  /** Waits for a login of the caller. Resolves with whether there is one now. Ends early when the client is gone. */
  async #untilLogin(server: string, { caller: { principal }, signal }: ToolCallContext): Promise<boolean> {
    const end = performance.now() + this.#waitMs;
    for (;;) {
      if (await this.#hasLogin(server, principal)) return true;
      const left = end - performance.now();
      if (left <= 0 || signal?.aborted === true) return false;
      await sleep(Math.min(left, lookEveryMs), signal);
    }
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

type ConnectResult = Awaited<ReturnType<ReturnType<GatewayLogins["connectTool"]>["call"]>>;

function answerOf(
  { content, isError }: ConnectResult,
  status: Outcome["status"],
  more: Partial<Outcome> = {},
): ToolAnswer {
  const outcome: Outcome = { status, dispatched: false, receipt: "", ...more };
  const meta = { "toolglot/outcome": outcome as unknown as JsonObject };
  return { result: { content: content as never, ...(isError && { isError }), _meta: meta }, outcome };
}
