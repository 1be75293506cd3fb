import { type LoginPrompt, openLogins, type UpstreamLogins } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** Logs in at a server, with the person at the terminal. */
export function login(run: GatewayRun<{ device?: boolean }>, server: string): Promise<number> {
  const { flags, host, say } = run;
  return withLogins(run, server, async (logins) => {
    const onPrompt = (prompt: LoginPrompt): void => {
      const words = prompt.kind === "device" ? say.login.code(prompt.url, prompt.code) : say.login.open(prompt.url);
      host.stderr.write(`${words}\n`);
    };
    const { issuer } = await logins.login(server, { onPrompt, ...defined({ device: flags.device }) });
    host.stdout.write(`${say.login.done(server, issuer)}\n`);
    return exitCodes.answered;
  });
}

/** Forgets a login, and has its tokens ended where the server can. */
export function logout(run: GatewayRun, server: string): Promise<number> {
  const { host, say } = run;
  return withLogins(run, server, async (logins) => {
    const { wasLoggedIn, isRevoked, reason } = await logins.logout(server);
    host.stdout.write(`${wasLoggedIn ? say.login.gone(server, isRevoked, reason) : say.login.none(server)}\n`);
    return exitCodes.answered;
  });
}

async function withLogins(
  run: GatewayRun,
  server: string,
  work: (logins: UpstreamLogins) => Promise<number>,
): Promise<number> {
  const config = await loadPlaces(run);
  const isUrl = config.servers.some(({ name, transport }) => name === server && transport.type === "http");
  const logins = isUrl ? openLogins(config) : undefined;
  if (logins === undefined) throw new UsageError(run.say.login.unknown(server));
  try {
    return await work(logins);
  } finally {
    logins.close();
  }
}
