import type { ApprovalRequest, Decision } from "@toolglot/core";
import { plainJson } from "../plain-json.ts";
import { orStopped } from "../stop.ts";
import type { RunState } from "./run-state.ts";

/**
 * Asks the host. Without an `approve` callback, when it throws, when its answer is no decision, and when the run stops, the
 * request is denied. Waiting counts towards no limit. Rejects only when the decision can't be written down.
 */
export async function askApproval(run: RunState, asked: ApprovalRequest): Promise<Decision> {
  const request = plainJson(asked);
  const { stepIndex } = run;
  if (run.ended || run.signal.aborted) return { approved: false, reason: run.wording.stopped };
  const known = run.session.decisionFor(request);
  if (known?.isKept) {
    // The sums that the run goes on from are from before.
    if (!known.decision.approved && run.resumed?.restored.from === "action") run.denied += 1;
    return known.decision;
  }
  run.emit({ type: "approval-request", stepIndex, request });
  run.deadline.pause();
  const decision = known ? toDecision(run, known.decision) : await decisionOf(run, request);
  run.deadline.resume();
  if (decision.later) run.session.postponed(request);
  else if (!decision.approved && !run.signal.aborted) run.denied += 1;
  run.emit({ type: "approval-response", stepIndex, callId: request.callId, decision });
  if (!decision.later && !run.signal.aborted) await run.session.decided(request, decision);
  return decision;
}

async function decisionOf(run: RunState, request: ApprovalRequest): Promise<Decision> {
  const { approve } = run.settings;
  if (!approve) return { approved: false, reason: run.wording.nobodyToAsk };
  const context = { signal: run.signal, runId: run.runId, stepIndex: run.stepIndex };
  try {
    return toDecision(run, await orStopped(approve(request, context), run.signal));
  } catch (error) {
    if (run.signal.aborted) return { approved: false, reason: run.wording.stopped };
    run.warn("agent/approve-failed", `approve threw, which counts as a denial: ${String(error)}`);
    return { approved: false, reason: run.wording.approvalFailed };
  }
}

/** Only `true` approves. */
function toDecision(run: RunState, answer: Decision | boolean | "later"): Decision {
  if (answer === "later") return { approved: false, reason: run.wording.decidesLater, later: true };
  if (typeof answer !== "object" || answer === null) return { approved: answer === true };
  const { approved, reason, by } = answer;
  return {
    approved: approved === true,
    ...(reason !== undefined && { reason: String(reason) }),
    ...(by !== undefined && { by: String(by) }),
  };
}
