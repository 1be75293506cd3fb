import { ToolglotError } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { ImportedServer, OwnTool } from "@toolglot/trp-mcp";
import type { GatewayConfig } from "../config/config-types.ts";
import { createUpstreamLogins, type UpstreamLogins } from "../login/index.ts";

/**
 * Opens the logins of a configuration at its servers; undefined when none is behind a URL. Processes with one state folder share them.
 * Throws `ToolglotError` `gateway/unsupported` for settings that this version has not.
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
  const own = urls.find(({ credentials }) => credentials === "caller");
  if (own !== undefined) {
    const message = `gateway.servers.${own.name}: this version has one login for all callers. Leave "credentials" out.`;
    throw new ToolglotError("gateway/unsupported", message);
  }
  if (urls.length === 0) return undefined;
  const { secret, publicUrl } = more;
  const address = (): string | undefined => settings.listen.publicUrl ?? publicUrl?.();
  return createUpstreamLogins({ stateDir, servers: urls, publicUrl: address, ...defined({ secret }) });
}

/** The tools of servers that want a login: one each, that says where to log in. */
export function loginTools(logins: UpstreamLogins, servers: readonly ImportedServer[]): OwnTool[] {
  return servers
    .filter((server) => server.state().needsLogin === true)
    .map(({ name }) => {
      const { tool, call } = logins.connectTool(name);
      return {
        listed: tool as unknown as OwnTool["listed"],
        async call(_args, { caller: { principal } }) {
          const result = await call(principal);
          const isError = result.isError === true;
          const outcome = { status: isError ? "failed" : "done", dispatched: false, receipt: "" } as const;
          const answer = { content: result.content as never, ...(isError && { isError }) };
          return { result: { ...answer, _meta: { "toolglot/outcome": outcome } }, outcome };
        },
      };
    });
}
