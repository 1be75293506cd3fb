import type { ApprovalRequest, Decision } from "@toolglot/core";
import { isToolResult } from "@toolglot/core/executing";
import { describeValue, isObject } from "@toolglot/internal";
import { plainJson } from "../plain-json.ts";
import { orStopped } from "../stop.ts";
import type { Run } from "./run.ts";

/**
 * Asks the host. Without an `approve` callback, when it throws, when its answer is no decision, and when the run stops, the
 * request is denied. Waiting counts towards no limit. Rejects only when the decision can't be written down.
 */
export async function askApproval(run: Run, asked: ApprovalRequest): Promise<Decision> {
  const request = plainJson(asked);
  const { stepIndex } = run;
  if (run.isOver || run.signal.aborted) return { approved: false, reason: run.wording.stopped };
  const kept = run.first("keptDecision")?.(request);
  if (kept) return kept;
  run.emit({ type: "approval-request", stepIndex, request });
  run.deadline.pause();
  let decision: Decision | undefined;
  for (const decide of run.each("decide")) {
    const given = decision === undefined ? decide(request) : undefined;
    decision ??= given && (await given);
  }
  decision ??= await decisionOf(run, request);
  run.deadline.resume();
  if (decision.later) run.postponed.push(request);
  else if (isDenial(decision) && !run.signal.aborted) run.denied += 1;
  const { callId, kind, tool, input } = request;
  run.emit({ type: "approval-response", stepIndex, callId, decision });
  if (decision.later || run.signal.aborted) return decision;
  const about = { kind, input, ...(tool !== undefined && { tool }) };
  await run.log.add({ type: "decision", callId, asked: about, decision });
  return decision;
}

/** Whether a decision denies a call, and brings no result in its place. */
export const isDenial = ({ approved, result }: Decision): boolean => !approved && result === undefined;

/** Asks the host, without a word to anybody else. */
export async function decisionOf(run: Run, request: ApprovalRequest): Promise<Decision> {
  const { approve } = run.settings;
  // Its result can't be had by asking.
  if (request.kind === "external-call") return toDecision(run, "later");
  if (!approve) return { approved: false, reason: run.wording.nobodyToAsk };
  const context = { signal: run.signal, runId: run.runId, stepIndex: run.stepIndex };
  try {
    return toDecision(run, await orStopped<unknown>(approve(request, context), run.signal));
  } catch (error) {
    if (run.signal.aborted) return { approved: false, reason: run.wording.stopped };
    run.warn("agent/approve-failed", `approve threw, which counts as a denial: ${String(error)}`);
    return { approved: false, reason: run.wording.approvalFailed };
  }
}

/** Returns an answer as a decision. Only `true` approves. */
export function toDecision(run: Run, answer: unknown): Decision {
  if (answer === "later") return { approved: false, reason: run.wording.decidesLater, later: true };
  if (typeof answer === "boolean") return { approved: answer };
  if (!isObject(answer) || typeof answer.approved !== "boolean") {
    const taken = 'true, false, "later" or { approved: true or false }';
    const got = describeValue(answer).replace("missing", "undefined");
    run.warn("agent/approve-failed", `approve gave ${got}, which counts as a denial: it takes ${taken}.`);
    return { approved: false, reason: run.wording.approvalFailed };
  }
  const { approved, reason, by, result } = answer;
  return {
    approved,
    ...(reason !== undefined && { reason: String(reason) }),
    ...(by !== undefined && { by: String(by) }),
    ...(!approved && isToolResult(result) && { result: plainJson(result) }),
  };
}
