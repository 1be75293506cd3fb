import { type JsonObject, ToolglotError } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import type { Router } from "@toolglot/trp-core";
import type { ApprovalDecision, ApprovalQuestion, Caller, ToolCallContext } from "../types.ts";
import { waitForDecision } from "./approval-wait.ts";
import type { ToolCallsOptions } from "./options.ts";
import { elicitationRole } from "./policies.ts";

type AskingOptions = Pick<ToolCallsOptions, "elicitation" | "isPageOnly" | "approvalUrl" | "waitMs">;

/** Asks people about requests for approval: the one at the client program, or those who read the page. */
export class Asking {
  readonly #router: Router;
  readonly #options: AskingOptions;

  constructor(router: Router, options: AskingOptions) {
    this.#router = router;
    this.#options = options;
  }

  /** Undefined when the request is gone, or decided. `lastDone`: when the same was done before. Rejects when the store does. */
  async question(
    approvalId: string,
    caller: Caller,
    lastDone: number | undefined,
  ): Promise<ApprovalQuestion | undefined> {
    const { approvals } = this.#router;
    const record = await approvals.read(caller.principal, approvalId);
    if (record === undefined || record.status !== "pending") return undefined;
    const last =
      lastDone === undefined ? "" : `\nThe same was done before, last at ${new Date(lastDone).toISOString()}`;
    const mayElicit = this.#mayElicit(caller, record.riskTier) && !(await this.#isPageOnly(caller, record));
    return {
      approvalId,
      text: approvals.render(record) + last,
      fingerprint: record.fingerprint,
      capId: record.capId,
      risk: record.riskTier as ApprovalQuestion["risk"],
      expiresAt: record.expiresAt,
      ...defined({ url: this.#options.approvalUrl?.(approvalId) }),
      ...(!mayElicit && { pageOnly: true }),
    };
  }

  #mayElicit({ mayElicit }: Caller, riskTier: string): boolean {
    return this.#options.elicitation !== false && mayElicit !== false && riskTier !== "CRITICAL";
  }

  /** Whether the rule that asks wants a decision on the page. */
  async #isPageOnly({ principal }: Caller, { capId, args }: { capId: string; args: JsonObject }): Promise<boolean> {
    const { isPageOnly } = this.#options;
    if (isPageOnly === undefined) return false;
    const registered = this.#router.registry.get(capId);
    if (registered === undefined) return true;
    const { riskTier, ioClass, effect } = registered.definition;
    const capability = { capId, family: registered.family, riskTier, ioClass, effect };
    // `start` counts no rates.
    const input = { principal, capability, args, now: this.#router.store.now(), phase: "start" } as const;
    return isPageOnly((await this.#router.policy.evaluate(input)).rule);
  }

  /** Whether there is a decision now. */
  async ask(question: ApprovalQuestion, context: ToolCallContext): Promise<boolean> {
    const { caller, elicit } = context;
    if (!question.pageOnly && elicit !== undefined) {
      const answer = await elicit(question).catch((): ApprovalDecision => ({ decision: "cancel" }));
      return this.decide(caller, question.approvalId, { ...answer, fingerprint: question.fingerprint });
    }
    const { waitMs = this.#options.waitMs ?? 45_000 } = context;
    return waitForDecision(this.#router, caller.principal, question.approvalId, context, waitMs);
  }

  /** As in `ToolCalls`. */
  async decide(caller: Caller, approvalId: string, decided: ApprovalDecision): Promise<boolean> {
    const { decision, comment, fingerprint } = decided;
    const { principal } = caller;
    const { approvals } = this.#router;
    const record = await approvals.read(principal, approvalId);
    // What was seen is what is decided.
    if (fingerprint !== undefined && fingerprint !== record?.fingerprint) return false;
    if (decision === "cancel" || record?.requester !== principal.id || !this.#mayElicit(caller, record.riskTier)) {
      return false;
    }
    const { tenant } = principal;
    const person = { id: `elicitation:${principal.id}`, tenant, roles: [elicitationRole], canDelete: false };
    try {
      await approvals[decision](person, approvalId, comment);
      return true;
    } catch (error) {
      // Somebody else was faster, or it has expired.
      if (ToolglotError.isInstance(error) && error.code === "trp/approval-not-pending") return false;
      throw error;
    }
  }
}
