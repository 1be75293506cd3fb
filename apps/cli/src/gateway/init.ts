import { resolve } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { formatProblems, initConfig, openTokens } from "@toolglot/gateway";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { visible } from "../view/visible.ts";
import { defaultFile, loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";
import { clients, entryFor } from "./snippet.ts";

/** Writes a configuration with the servers of this machine's clients, makes two tokens, and prints what a client needs. */
export async function init(run: GatewayRun): Promise<number> {
  const { host, say } = run;
  const [named = defaultFile, ...more] = run.flags.config ?? [];
  if (more.length > 0) throw new UsageError(say.init.oneFile);
  const machine = { env: host.env, ...defined({ home: host.env.HOME }) };
  const made = await initConfig({ file: resolve(host.folder, named), ...machine }).catch((error: unknown) => {
    const isThere = ToolglotError.isInstance(error) && error.code.startsWith("gateway/config-");
    throw isThere ? new UsageError(error.message) : error;
  });
  if (made.problems.length > 0) host.stderr.write(`${visible(formatProblems(made.problems))}\n`);
  const write = (text: string): void => void host.stdout.write(`${visible(text)}\n`);
  write(say.init.written(made.file, made.servers.length));
  for (const { name, from } of made.servers) write(`  ${name}  (${from})`);

  const { settings } = await loadPlaces({ ...run, flags: { ...run.flags, config: [made.file] } });
  const tokens = await openTokens(settings.tokens);
  try {
    const agent = await tokens.add({ principal: "agent", tenant: settings.tenant });
    const approver = await tokens.add({ principal: "approver", tenant: settings.tenant, roles: ["approver"] });
    write(`\n${say.init.tokens(settings.tokens)}\n  agent     ${agent.token}\n  approver  ${approver.token}`);
  } finally {
    tokens.close();
  }
  const found = new Set(made.servers.map(({ client }) => client));
  const client = clients.find((one) => found.has(one)) ?? "claude-code";
  const entry = await entryFor({ ...run, flags: { ...run.flags, config: [made.file] } }, client);
  write(`\n${say.init.paste(entry.path)}\n${entry.text}${entry.notes.join("\n")}`);
  write(`\n${say.init.next(named === defaultFile ? "" : ` --config ${named}`)}`);
  return exitCodes.answered;
}
