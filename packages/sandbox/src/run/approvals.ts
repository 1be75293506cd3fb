import type { ApprovalRequest, Decision } from "@toolglot/core";
import type { SandboxToolCall } from "../types.ts";
import { Stopwatch } from "./stopwatch.ts";

/** What the host says to a call. `decided`: somebody was asked, and answered. */
export type Verdict =
  | { status: "approved" }
  | { status: "later" }
  | { status: "denied"; message: string; decided: boolean };

/** One sentence for the person who decides. */
export function approvalReason(name: string): string {
  return `The program wants to call ${name}.`;
}

/** Asks the host about the calls of one run that need it, one at a time. */
export class Approvals {
  readonly #approve: ((request: ApprovalRequest) => Promise<Decision | "later">) | undefined;
  readonly #watch = new Stopwatch();
  #last: Promise<unknown> = Promise.resolve();
  #asking = 0;

  constructor(approve: ((request: ApprovalRequest) => Promise<Decision | "later">) | undefined) {
    this.#approve = approve;
  }

  /** Milliseconds in which somebody was asked. */
  get ms(): number {
    return this.#watch.ms;
  }

  /** Never rejects. `reason`: one sentence for the person. */
  ask({ callId, name, args }: SandboxToolCall, reason: string = approvalReason(name)): Promise<Verdict> {
    const approve = this.#approve;
    const denied = (why: string, decided = false): Verdict => ({
      status: "denied",
      message: `${name} was denied${why}`,
      decided,
    });
    if (approve === undefined) {
      return Promise.resolve(denied(": it needs an approval and nobody is there to give it"));
    }
    const asked = this.#last.then(async (): Promise<Verdict> => {
      const decision = await approve({ kind: "tool-call", callId, tool: name, input: args, reason });
      if (decision === "later") return { status: "later" };
      if (decision.approved === true) return { status: "approved" };
      return denied(decision.reason ? `: ${decision.reason}` : "", true);
    });
    this.#asking++;
    this.#watch.start();
    const answer = asked
      .catch(() => denied(": the approval could not be asked for"))
      .finally(() => {
        if (--this.#asking === 0) this.#watch.stop();
      });
    this.#last = answer;
    return answer;
  }
}
