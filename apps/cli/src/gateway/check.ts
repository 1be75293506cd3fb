import { ToolglotError } from "@toolglot/core";
import {
  type ConfigProblem,
  createGateway,
  describeTable,
  describeTools,
  formatProblems,
  type GatewayConfig,
} from "@toolglot/gateway";
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
  const scratch = { ...config, settings: { ...settings, store: "memory", audit: {} } };
  const gateway = await createGateway(scratch, { allowVolatile: true });
  try {
    await gateway.settled(Math.max(5_000, ...servers.map((server) => server.settings.connectMs)));
    const rules = typeof settings.policy === "object" ? settings.policy.rules : [];
    const tools = await describeTools(gateway.tools, { policy, rules });
    const reasons = gateway.servers.flatMap((server) => {
      const { up, reason = say.check.slow } = server.state();
      return up ? [] : [{ server: server.name, reason }];
    });
    if (flags.json) {
      host.stdout.write(`${JSON.stringify({ problems: config.notices, tools, unreachable: reasons })}\n`);
    } else {
      notice(run, config.notices);
      host.stdout.write(tools.length === 0 ? `${say.check.noTools}\n` : `${describeTable(tools)}\n`);
      for (const { server, reason } of reasons) host.stderr.write(`${visible(say.check.down(server, reason))}\n`);
    }
    return reasons.length === 0 ? exitCodes.answered : exitCodes.error;
  } finally {
    await gateway.close();
  }
}
