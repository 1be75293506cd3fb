import type { JsonObject, OperationRecord } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { Router } from "@toolglot/trp-core";
import { familyOf, operationOf } from "@toolglot/trp-core/store";
import type { Caller, ImportedTool, Outcome, ToolAnswer } from "../types.ts";
import { fixOf, keptResult, outcomeAnswer, replayed } from "./answers.ts";
import type { ToolCallsOptions } from "./options.ts";
import { readReceipt, receiptOf } from "./receipts.ts";

/** What a request for approval that has a status means to the one who asked: how its call stands, in words, and what to do. */
const approvalWords: Record<string, readonly [status: Outcome["status"], message: string, fix: string]> = {
  pending: ["pending", "The request waits for a decision", "Ask again later, or tell the user."],
  approved: ["pending", "The request was approved", "Call the same tool with the same arguments."],
  denied: ["refused", "The request was denied", "Take another way."],
  expired: ["refused", "The request has expired", "Call again if it is still wanted."],
  used: ["done", "The request was approved, and the call has started", "Ask for its receipt."],
};

/** What a router keeps of calls and of requests for approval, for those who made them. */
export class KeptCalls {
  readonly #router: Router;
  readonly #options: Pick<ToolCallsOptions, "tool" | "approvalUrl" | "inDoubtUrl">;

  constructor(router: Router, options: Pick<ToolCallsOptions, "tool" | "approvalUrl" | "inDoubtUrl">) {
    this.#router = router;
    this.#options = options;
  }

  /** The operation that a receipt names, if it is the caller's. Rejects when the store does. */
  async read(
    receipt: string,
    { principal }: Caller,
  ): Promise<{ tool: ImportedTool; record: OperationRecord } | undefined> {
    const named = readReceipt(receipt);
    const tool = named && this.#options.tool(named.capId, principal);
    if (named === undefined || tool === undefined) return undefined;
    const who = { tenant: principal.tenant, principal: principal.id };
    const record = await this.#router.store.operations.read(operationOf(who, familyOf(named.capId), named.key));
    return record && { tool, record };
  }

  /** What became of a call, by its receipt, or of a request, by its id. Rejects when the store does. */
  async status(id: string, caller: Caller): Promise<ToolAnswer> {
    const { result, ...answer } = (await this.#ofApproval(id, caller)) ?? (await this.#ofCall(id, caller));
    // A notice is no error.
    return { ...answer, result: { ...result, isError: false } };
  }

  /** The answer to everything about a call of which nobody knows what became of it. */
  inDoubt(receipt: string): ToolAnswer {
    const fix = fixOf("TRP_3004", "", { inDoubt: this.#options.inDoubtUrl?.() });
    const message = "The call was started, and nobody knows whether its effect happened.";
    return outcomeAnswer({ status: "unknown", code: "TRP_3004", dispatched: true, receipt }, { message, fix });
  }

  async #ofApproval(id: string, { principal }: Caller): Promise<ToolAnswer | undefined> {
    const record = await this.#router.approvals.read(principal, id);
    if (record === undefined || record.requester !== principal.id) return undefined;
    const [status, message, fix] = approvalWords[record.status] ?? ["refused", `The request is ${record.status}`, ""];
    const said = record.comment ? `: ${record.comment}` : ".";
    const receipt = receiptOf(record.capId, record.operation.key);
    const approvalUrl = this.#options.approvalUrl?.(id);
    const facts = { status, dispatched: status === "done", receipt, approvalId: id, ...defined({ approvalUrl }) };
    return outcomeAnswer(facts, { message: message + said, fix });
  }

  async #ofCall(receipt: string, caller: Caller): Promise<ToolAnswer> {
    const found = await this.read(receipt, caller);
    if (found === undefined) return unknownReceipt(receipt);
    const { state, finishedAt, outcome } = found.record;
    const stored = outcome as { result?: { data?: JsonObject }; fault?: { message?: string } } | undefined;
    switch (state) {
      case "done": {
        const doneAt = finishedAt === undefined ? undefined : new Date(finishedAt).toISOString();
        const facts: Outcome = { status: "replayed", dispatched: true, receipt, ...defined({ doneAt }) };
        return replayed(keptResult(stored?.result?.data), facts);
      }
      case "failed": {
        const facts = { status: "failed", code: "TRP_3002", dispatched: true, receipt } as const;
        return outcomeAnswer(facts, { message: stored?.fault?.message ?? "It failed." });
      }
      case "in-doubt":
        return this.inDoubt(receipt);
      case "released": {
        const message = "Somebody found out that it never happened.";
        return outcomeAnswer({ status: "refused", dispatched: false, receipt }, { message });
      }
      default: {
        const facts = { status: "pending", code: "TRP_3003", dispatched: state === "started", receipt } as const;
        return outcomeAnswer(facts, { message: "The call is running.", fix: "Ask again later." });
      }
    }
  }
}

/** The answer about a receipt that leads to nothing. */
export function unknownReceipt(receipt: string): ToolAnswer {
  const message = "No call is kept under that receipt: it is unknown, somebody else's, or too old.";
  return outcomeAnswer({ status: "refused", dispatched: false, receipt }, { message, fix: "Call the tool itself." });
}
