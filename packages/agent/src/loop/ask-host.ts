import type { Question, QuestionAnswer } from "@toolglot/core";
import { errorText, isObject } from "@toolglot/internal";
import type { AskCallback } from "../options.ts";
import { plainJson } from "../plain-json.ts";
import { orStopped } from "../stop.ts";
import { askApproval } from "./approvals.ts";
import type { Run } from "./run.ts";

/** The call that a server's question belongs to. */
interface Asking {
  callId: string;
  tool?: string;
}

/**
 * Passes a server's question on to the host; a wish for a model's text needs its approval first. Waiting counts towards no limit.
 * When `ask` throws, when its answer is none, and when the run stops, the answer is `cancel`. Never rejects.
 */
export async function askHost(
  run: Run,
  ask: AskCallback,
  asked: Question,
  { callId, tool }: Asking,
): Promise<QuestionAnswer> {
  const question = plainJson(asked);
  const { stepIndex } = run;
  if (run.isOver || run.signal.aborted) return { action: "cancel" };
  run.emit({ type: "question", stepIndex, callId, question });
  const answer = (await mayAsk(run, question, { callId, ...(tool !== undefined && { tool }) }))
    ? await answerOf(run, ask, question, callId)
    : ({ action: "decline" } as const);
  run.emit({ type: "question-answer", stepIndex, callId, answer });
  return answer;
}

async function mayAsk(run: Run, { kind, server, request }: Question, call: Asking): Promise<boolean> {
  if (kind !== "sampling") return true;
  const reason = `The server ${JSON.stringify(server)} wants a model's text.`;
  return (await askApproval(run, { kind: "sampling", ...call, input: request, reason })).approved;
}

async function answerOf(run: Run, ask: AskCallback, question: Question, callId: string): Promise<QuestionAnswer> {
  const { signal, runId, stepIndex } = run;
  run.deadline.pause();
  try {
    const answer = await orStopped(ask(question, { signal, runId, stepIndex, callId }), signal);
    if (isObject(answer) && ["accept", "decline", "cancel"].includes(answer.action)) {
      const { action, content } = plainJson(answer);
      return { action, ...(content !== undefined && { content }) };
    }
    run.warn("agent/ask-failed", 'ask gave no answer, as { action: "accept", content }: it counts as cancelled.');
  } catch (error) {
    if (!signal.aborted) run.warn("agent/ask-failed", `ask threw, which counts as cancelled: ${errorText(error)}`);
  } finally {
    run.deadline.resume();
  }
  return { action: "cancel" };
}
