import { setTimeout as sleep } from "node:timers/promises";
import { ToolglotError } from "@toolglot/core";
import {
  type ConfigProblem,
  createGateway,
  createSecretMask,
  describeTable,
  describeTools,
  formatProblems,
  type Gateway,
  type GatewayConfig,
} from "@toolglot/gateway";
import { migrateStore, shownStore } from "@toolglot/gateway/store";
import { defined, errorText } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { visible } from "../view/visible.ts";
import { loadNamed } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** Says what is wrong with the configuration, and with `--connect` what becomes of each tool. Resolves with 2 when something is wrong. */
export async function check(run: GatewayRun<{ connect?: boolean; json?: boolean }>): Promise<number> {
  const { flags, host, say } = run;
  let config: GatewayConfig;
  try {
    config = await loadNamed(run);
  } catch (error) {
    const problems = ToolglotError.isInstance(error) ? error.data.problems : undefined;
    if (problems === undefined || !flags.json) throw error;
    host.stdout.write(`${JSON.stringify(problems)}\n`);
    return exitCodes.usage;
  }
  if (flags.connect) return connect(run, config);
  if (flags.json) host.stdout.write(`${JSON.stringify(config.notices)}\n`);
  else {
    notice(run, config.notices);
    host.stdout.write(`${say.check.well(config.servers.length)}\n`);
  }
  return exitCodes.answered;
}

function notice({ host }: GatewayRun, notices: readonly ConfigProblem[]): void {
  if (notices.length > 0) host.stderr.write(`${visible(formatProblems(notices))}\n`);
}

/** Starts the servers with a store that keeps nothing: what is looked at is not pinned. */
async function connect(run: GatewayRun<{ json?: boolean }>, config: GatewayConfig): Promise<number> {
  const { flags, host, say } = run;
  const { settings, servers, policy } = config;
  const mask = createSecretMask(config.secrets.map(({ name, value }) => [name, value] as const));
  const scratch = { ...config, settings: { ...settings, store: "memory", audit: {} } };
  const gateway = await createGateway(scratch, { allowVolatile: true });
  try {
    // A server may be asked for its revision before it is greeted, and then for its list.
    await settled(gateway, 5_000 + 2 * Math.max(0, ...servers.map((server) => server.settings.connectMs)));
    const rules = typeof settings.policy === "object" ? settings.policy.rules : [];
    const tools = await describeTools(gateway.tools, { policy, rules, mask: (text) => mask.mask(text) });
    const reasons = gateway.servers.flatMap((server) => {
      const { up, reason = say.check.slow(server.name), needsLogin } = server.state();
      if (up && !needsLogin) return [];
      return [{ server: server.name, reason: needsLogin ? say.check.login(server.name) : mask.mask(reason) }];
    });
    const store = await storeFault(run, config);
    if (flags.json) {
      const found = { problems: config.notices, tools, unreachable: reasons, ...defined({ store }) };
      host.stdout.write(`${JSON.stringify(found)}\n`);
    } else {
      notice(run, config.notices);
      host.stdout.write(tools.length === 0 ? `${say.check.noTools}\n` : `${describeTable(tools)}\n`);
      for (const { server, reason } of reasons) host.stderr.write(`${visible(say.check.down(server, reason))}\n`);
      if (store !== undefined) host.stderr.write(`${visible(store)}\n`);
    }
    return reasons.length === 0 && store === undefined ? exitCodes.answered : exitCodes.error;
  } finally {
    await gateway.close();
  }
}

/** Says why a gateway could not use a database as its store. Nothing is changed in it. */
async function storeFault({ say }: GatewayRun, { settings }: GatewayConfig): Promise<string | undefined> {
  const { store, postgres } = settings;
  if (!store.startsWith("postgres")) return undefined;
  try {
    const { from, to } = await migrateStore(store, { dryRun: true, ...defined({ postgres }) });
    return postgres?.migrate === "check" && from < to ? say.check.oldTables(shownStore(store), from, to) : undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** Waits until each server has given its tools, or could not be reached once. */
async function settled({ servers }: Gateway, ms: number): Promise<void> {
  const end = performance.now() + ms;
  const open = new Set(servers);
  for (const server of servers) void server.ready().then(() => open.delete(server));
  while (open.size > 0 && performance.now() < end) {
    await sleep(20);
    for (const server of open) if (server.state().reason !== undefined) open.delete(server);
  }
}
