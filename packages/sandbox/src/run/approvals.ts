import { type ApprovalRequest, type Decision, requiresApproval, type ToolDefinition } from "@toolglot/core";
import { outsideOutcome } from "@toolglot/core/executing";
import { fromCore } from "./guarded.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { CallOutcome, PendingCall } from "./types.ts";

/** The host's verdict on a call. `decided`: somebody was asked, and answered. */
export type Verdict =
  | { status: "approved" }
  | { status: "later" }
  | { status: "elsewhere"; outcome: CallOutcome }
  | { status: "denied"; message: string; decided: boolean };

/** Checks whether a call waits for the host: for a yes or no, or for the result of a tool that nobody here runs. */
export function isAsked(tool: ToolDefinition): boolean {
  return tool.external === true || requiresApproval(tool);
}

/** One sentence for the person who decides. */
export function approvalReason({ name, external }: ToolDefinition): string {
  return external
    ? `The tool ${name} is run elsewhere: its result is waited for.`
    : `The program wants to call ${name}.`;
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
  ask({ call, program }: PendingCall, reason: string = approvalReason(program.tool)): Promise<Verdict> {
    const { callId, name, args } = call;
    const { external = false } = program.tool;
    const needs = external
      ? "is run elsewhere, and nobody is there to give its result"
      : "needs an approval and nobody is there to give it";
    const approve = this.#approve;
    const denied = (why: string, decided = false): Verdict => ({
      status: "denied",
      message: `${name} was denied${why}`,
      decided,
    });
    if (approve === undefined) {
      return Promise.resolve(denied(`: it ${needs}`));
    }
    const asked = this.#last.then(async (): Promise<Verdict> => {
      const kind = external ? ("external-call" as const) : ("tool-call" as const);
      const decision = await approve({ kind, callId, tool: name, input: args, reason });
      if (decision === "later") return { status: "later" };
      const outcome = outsideOutcome(decision);
      if (outcome) return { status: "elsewhere", outcome: fromCore(outcome) };
      if (decision.approved === true && !external) return { status: "approved" };
      const why = decision.reason ?? (external && decision.approved ? "it is run elsewhere, and has no result" : "");
      return denied(why && `: ${why}`, true);
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

/** Returns what a decision comes to that stands for the run; undefined when the call may run. */
export function decidedOutcome(
  { name, external }: ToolDefinition,
  verdict: Verdict | undefined,
): CallOutcome | undefined {
  if (verdict === undefined || verdict.status === "approved") return undefined;
  if (verdict.status === "elsewhere") return verdict.outcome;
  const why = external
    ? "its result comes from elsewhere, and this program can't wait for it"
    : "nobody has decided yet";
  const message = verdict.status === "denied" ? verdict.message : `${name} was denied: ${why}`;
  return { ok: false, type: "Denied", message, isCertain: true };
}

/** Makes a call again for which its tool asked; a tool that learns of a refusal can't change it. */
export async function performDecided(
  tool: ToolDefinition,
  verdict: Verdict,
  perform: (decision: Decision) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const instead = decidedOutcome(tool, verdict);
  if (instead === undefined) return await perform({ approved: true });
  if (verdict.status === "elsewhere") await perform({ approved: false, reason: "its result came from elsewhere" });
  else if (verdict.status === "denied" && verdict.decided && !instead.ok)
    await perform({ approved: false, reason: instead.message });
  return instead;
}
