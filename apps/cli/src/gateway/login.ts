import { type GatewayConfig, type LoginPrompt, openLogins, type UpstreamLogins } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** Logs in at a server, with the person at the terminal. */
export function login(run: GatewayRun<{ device?: boolean }>, server: string): Promise<number> {
  const { flags, host, say } = run;
  return withLogins(run, server, async (logins, { settings }) => {
    // Counts where each caller has a login of their own: who calls over stdio, or whom `--principal` names.
    const principal = { tenant: settings.tenant, id: flags.principal ?? "local" };
    const onPrompt = (prompt: LoginPrompt): void => {
      const words = prompt.kind === "device" ? say.login.code(prompt.url, prompt.code) : say.login.open(prompt.url);
      host.stderr.write(`${words}\n`);
    };
    const { issuer } = await logins.login(server, {
      ...{ onPrompt, principal },
      // Only where somebody sits in front of it.
      openBrowser: host.stderr.isTTY === true,
      ...defined({ device: flags.device }),
    });
    host.stdout.write(`${say.login.done(server, issuer)}\n`);
    return exitCodes.answered;
  });
}

/** Forgets a login, or all at the server where each caller has one, and has their tokens ended where the server can. */
export function logout(run: GatewayRun, server: string): Promise<number> {
  const { flags, host, say } = run;
  return withLogins(run, server, async (logins, { settings }) => {
    const whose = flags.principal === undefined ? undefined : { tenant: settings.tenant, id: flags.principal };
    const { wasLoggedIn, isRevoked, reason } = await logins.logout(server, whose);
    host.stdout.write(`${wasLoggedIn ? say.login.gone(server, isRevoked, reason) : say.login.none(server)}\n`);
    return exitCodes.answered;
  });
}

async function withLogins(
  run: GatewayRun,
  server: string,
  work: (logins: UpstreamLogins, config: GatewayConfig) => Promise<number>,
): Promise<number> {
  const config = await loadPlaces(run);
  const isUrl = config.servers.some(({ name, transport }) => name === server && transport.type === "http");
  const logins = isUrl ? openLogins(config) : undefined;
  if (logins === undefined) throw new UsageError(run.say.login.unknown(server));
  try {
    return await work(logins, config);
  } finally {
    logins.close();
  }
}
