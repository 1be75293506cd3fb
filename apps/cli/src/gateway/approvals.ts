import { ToolglotError } from "@toolglot/core";
import type { ApprovalRecord, ApprovalStatus } from "@toolglot/trp-core/store";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { type Style, styleFor } from "../view/style.ts";
import { visible } from "../view/visible.ts";
import type { GatewayRun } from "./flags.ts";
import { onGatewayStore } from "./on-gateway-store.ts";

interface ApprovalsOptions {
  tenant?: string;
  json?: boolean;
  status?: ApprovalStatus;
  comment?: string;
}

const pageSize = 500;

/** Shows the requests, newest first. */
export function listApprovals(run: GatewayRun<ApprovalsOptions>): Promise<number> {
  return onGatewayStore(run, async ({ router, operator }) => {
    const { status = "pending", json } = run.flags;
    const { stdout, env } = run.host;
    const style = styleFor(stdout, env);
    let count = 0;
    for (let before: string | undefined; ; ) {
      const page = await router.approvals.list(operator, { status, limit: pageSize, ...(before && { before }) });
      for (const approval of page) {
        const text = router.approvals.render(approval);
        const shown = inWords(text, style);
        stdout.write(json ? `${JSON.stringify({ ...approval, text })}\n` : count++ === 0 ? shown : `\n${shown}`);
      }
      before = page.at(-1)?.id;
      if (page.length < pageSize) break;
    }
    const { none, noneSo } = run.say.approvals;
    if (count === 0 && !json) stdout.write(`${status === "pending" ? none : noneSo(status)}\n`);
    return exitCodes.answered;
  });
}

/** Shows one request whole. Rejects with `UsageError` when there is none. */
export function showApproval(run: GatewayRun<ApprovalsOptions>, id: string): Promise<number> {
  return onGatewayStore(run, async ({ router, operator }) => {
    const approval = await router.approvals.read(operator, id);
    if (approval === undefined) throw new UsageError(run.say.approvals.unknown(id));
    show(run, approval, router.approvals.render(approval));
    return exitCodes.answered;
  });
}

/** Decides about a request. */
export function decideApproval(
  run: GatewayRun<ApprovalsOptions>,
  verb: "approve" | "deny",
  id: string,
): Promise<number> {
  return onGatewayStore(run, async ({ router, operator }) => {
    let decided: ApprovalRecord;
    try {
      decided = await router.approvals[verb](operator, id, run.flags.comment);
    } catch (error) {
      const isUnknown = ToolglotError.isInstance(error) && error.code === "trp/approval-not-found";
      throw isUnknown ? new UsageError(run.say.approvals.unknown(id)) : error;
    }
    if (run.flags.json) show(run, decided, router.approvals.render(decided));
    else run.host.stdout.write(`${run.say.approvals.decided(id, decided.status)}\n`);
    return exitCodes.answered;
  });
}

function show({ flags, host }: GatewayRun<ApprovalsOptions>, approval: ApprovalRecord, text: string): void {
  const { stdout, env } = host;
  stdout.write(flags.json ? `${JSON.stringify({ ...approval, text })}\n` : `${inWords(text, styleFor(stdout, env))}`);
}

/** The router's own words. */
function inWords(text: string, style: Style): string {
  const [head = "", ...rest] = visible(text).split("\n");
  return `${style.accent(head)}\n${rest.map((line) => `  ${line}\n`).join("")}`;
}
