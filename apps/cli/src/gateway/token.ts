import { openTokens, type TokenInfo, type Tokens } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { styleFor } from "../view/style.ts";
import type { GatewayWords } from "../words/gateway.ts";
import { loadPlaces } from "./config.ts";
import { expiryOf } from "./dates.ts";
import type { GatewayRun } from "./flags.ts";
import { table } from "./table.ts";

interface NewTokenFlags {
  role?: string[];
  tenant?: string;
  canDelete?: boolean;
  expires?: string;
  /** False with `--no-elicitation`. */
  elicitation?: boolean;
  lenientHeaders?: boolean;
}

/** Makes a token. Standard output gets it and nothing else, so that a script can take it. */
export async function addToken(run: GatewayRun<NewTokenFlags>, name: string): Promise<number> {
  const { flags, host, say } = run;
  const { role, canDelete, elicitation, lenientHeaders } = flags;
  const expiresAt = flags.expires === undefined ? undefined : expiryOf(flags.expires, say);
  return withTokens(run, async (tokens, tenant) => {
    const { id, token } = await tokens.add({
      principal: name,
      tenant: flags.tenant ?? tenant,
      ...defined({ roles: role, canDelete, elicitation, lenientHeaders, expiresAt }),
    });
    host.stderr.write(`${say.token.added(id, name)}\n`);
    host.stdout.write(`${token}\n`);
    return exitCodes.answered;
  });
}

/** Shows all tokens, without what would let somebody use them. */
export function listTokens(run: GatewayRun<{ json?: boolean }>): Promise<number> {
  const { flags, host, say } = run;
  return withTokens(run, async (tokens) => {
    const all = await tokens.list();
    if (flags.json) host.stdout.write(all.map((one) => `${JSON.stringify(one)}\n`).join(""));
    else if (all.length === 0) host.stdout.write(`${say.token.none}\n`);
    else {
      const rows = all.map((one) => [
        one.id,
        one.principal,
        one.tenant,
        one.roles.join(", "),
        one.createdAt.slice(0, 10),
        stateOf(one, say.token),
      ]);
      host.stdout.write(table(say.token.heads, rows, styleFor(host.stdout, host.env)));
    }
    return exitCodes.answered;
  });
}

/** Revokes a token. Rejects with `UsageError` when there is none of that id. */
export function revokeToken(run: GatewayRun, id: string): Promise<number> {
  return withTokens(run, async (tokens) => {
    if (!(await tokens.revoke(id))) throw new UsageError(run.say.token.unknown(id));
    run.host.stdout.write(`${run.say.token.isRevoked(id)}\n`);
    return exitCodes.answered;
  });
}

async function withTokens(run: GatewayRun, work: (tokens: Tokens, tenant: string) => Promise<number>): Promise<number> {
  const { settings } = await loadPlaces(run);
  const tokens = await openTokens(settings.tokens);
  try {
    return await work(tokens, settings.tenant);
  } finally {
    tokens.close();
  }
}

function stateOf({ revokedAt, expiresAt }: TokenInfo, say: GatewayWords["token"]): string {
  if (revokedAt !== undefined) return say.revoked(revokedAt.slice(0, 10));
  if (expiresAt === undefined) return say.good;
  const time = expiresAt.slice(0, 10);
  return Date.parse(expiresAt) > Date.now() ? say.until(time) : say.expired(time);
}
