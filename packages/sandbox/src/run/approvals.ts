import { type ApprovalRequest, type Decision, requiresApproval } from "@toolglot/core";
import type { SandboxToolCall } from "../types.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { ProgramTool } from "./tools.ts";

/** Asks the host about the calls of one run that need it, one at a time. */
export class Approvals {
  readonly #approve: ((request: ApprovalRequest) => Promise<Decision>) | undefined;
  readonly #watch = new Stopwatch();
  #last: Promise<unknown> = Promise.resolve();
  #asking = 0;

  constructor(approve: ((request: ApprovalRequest) => Promise<Decision>) | undefined) {
    this.#approve = approve;
  }

  /** Milliseconds in which somebody was asked. */
  get ms(): number {
    return this.#watch.ms;
  }

  /** Why the call is denied; undefined when it may run. */
  refusal({ tool }: ProgramTool, call: SandboxToolCall): Promise<string | undefined> | undefined {
    if (!requiresApproval(tool)) return undefined;
    const { callId, name, args } = call;
    const approve = this.#approve;
    if (approve === undefined) {
      return Promise.resolve(`${name} was denied: it needs an approval and nobody is there to give it`);
    }
    const reason = `The program wants to call ${name}.`;
    const asked = this.#last.then(async () => {
      const decision = await approve({ kind: "tool-call", callId, tool: name, input: args, reason });
      if (decision.approved === true) return undefined;
      return decision.reason ? `${name} was denied: ${decision.reason}` : `${name} was denied`;
    });
    this.#asking++;
    this.#watch.start();
    const answer = asked
      .catch(() => `${name} was denied: the approval could not be asked for`)
      .finally(() => {
        if (--this.#asking === 0) this.#watch.stop();
      });
    this.#last = answer;
    return answer;
  }
}
