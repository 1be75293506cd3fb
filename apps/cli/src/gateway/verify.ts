import { verify as verifyGuarantees } from "@toolglot/gateway";
import { exitCodes } from "../cli/exit-codes.ts";
import { styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import { loadNamed } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** Says which guarantees hold with this configuration. Resolves with 1 when one does not. */
export async function verify(run: GatewayRun<{ json?: boolean }>): Promise<number> {
  const { stdout, env } = run.host;
  const results = await verifyGuarantees(await loadNamed(run));
  const count = (wanted: string): number => results.filter(({ state }) => state === wanted).length;
  if (run.flags.json) stdout.write(`${JSON.stringify(results)}\n`);
  else {
    const style = styleFor(stdout, env);
    const colours = { PASS: style.good, FAIL: style.bad, "N/A": style.dim };
    for (const { name, state, detail } of results) {
      const more = detail === undefined ? "" : `  ${style.dim(visible(detail))}`;
      stdout.write(`${colours[state](state.padEnd(4))}  ${name}${more}\n`);
    }
    stdout.write(`${run.say.verify.summary(count("PASS"), count("FAIL"), count("N/A"))}\n`);
  }
  return count("FAIL") > 0 ? exitCodes.error : exitCodes.answered;
}
