import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { exportAudit } from "@toolglot/gateway";
import { errorText, isObject, parseJson } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { styleFor } from "../view/style.ts";
import { dateOf } from "./dates.ts";
import type { GatewayRun } from "./flags.ts";
import { onGatewayStore } from "./on-gateway-store.ts";

/** Checks the audit log. Resolves with 1 when something does not fit. */
export function verifyAudit(run: GatewayRun<{ head?: string; json?: boolean }>): Promise<number> {
  const { flags, host } = run;
  const say = run.say.audit;
  const expect = flags.head === undefined ? undefined : headIn(flags.head, run);
  return onGatewayStore(run, async ({ router }) => {
    const report = await router.audit.verify({ ...(expect && { expect }) });
    const { rows, ok, brokenAt, problem, head, trust = "" } = report;
    const style = styleFor(host.stdout, host.env);
    const verdict = ok ? `${style.good(say.ok)}\n${trust}` : style.bad(say.broken(brokenAt, problem ?? ""));
    host.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : `${say.rows(rows, head)}\n${verdict}\n`);
    return ok ? exitCodes.answered : exitCodes.error;
  });
}

/** Writes the rows as JSON lines. */
export function exportRows(run: GatewayRun<{ before?: string }>): Promise<number> {
  const { flags, host } = run;
  const before = flags.before === undefined ? undefined : dateOf("--before", flags.before, run.say);
  return onGatewayStore(run, async ({ router }) => {
    const write = (text: string): Promise<void> =>
      new Promise((done, failed) => {
        host.stdout.write(text, (error) => (error ? failed(error) : done()));
      });
    const { rows, last } = await exportAudit(router.store, { write, ...(before !== undefined && { before }) });
    host.stderr.write(`${run.say.audit.exported(rows, last?.index)}\n`);
    return exitCodes.answered;
  });
}

/** The head in a file, as `audit.head` and the webhook give it. Throws `UsageError`. */
function headIn(file: string, { host: { folder }, say }: GatewayRun): { index: number; hash: string } {
  let text: string;
  try {
    text = readFileSync(resolve(folder, file), "utf8");
  } catch (error) {
    throw new UsageError(say.audit.noHead(file, errorText(error)));
  }
  const head = parseJson(text);
  const { index, hash } = isObject(head) ? head : {};
  if (!Number.isSafeInteger(index) || Number(index) < 1 || typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new UsageError(say.audit.badHead(file));
  }
  return { index: Number(index), hash };
}
