import { policyReport } from "@toolglot/gateway";
import { exitCodes } from "../cli/exit-codes.ts";
import { styleFor } from "../view/style.ts";
import { dateOf } from "./dates.ts";
import type { GatewayRun } from "./flags.ts";
import { onGatewayStore } from "./on-gateway-store.ts";
import { table } from "./table.ts";

/** Shows what the policy decided. */
export function report(run: GatewayRun<{ since?: string; json?: boolean }>): Promise<number> {
  const { flags, host } = run;
  const say = run.say.report;
  const since = flags.since === undefined ? undefined : dateOf("--since", flags.since, run.say);
  return onGatewayStore(run, async ({ router }) => {
    const found = await policyReport(router.store, { ...(since !== undefined && { since }) });
    if (flags.json) host.stdout.write(`${JSON.stringify(found)}\n`);
    else if (found.lines.length === 0) host.stdout.write(`${say.none}\n`);
    else {
      const rows = found.lines.map(({ decision, applied, rule, server, tool, calls, asked, refused, last }) => {
        const what = say.decisions[decision];
        return [applied ? what : say.would(what), rule, server, tool, `${calls}`, `${asked}`, `${refused}`, last];
      });
      host.stdout.write(table(say.heads, rows, styleFor(host.stdout, host.env)));
    }
    return exitCodes.answered;
  });
}
