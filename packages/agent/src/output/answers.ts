import { type Action, type InputIssue, ToolglotError, type ToolResult, toJsonText } from "@toolglot/core";
import { describeValue, errorText, isObject, maxIssues, parseJson } from "@toolglot/internal";
import { replayDivergence } from "../codes.ts";
import type { Answer } from "../loop/answer.ts";
import { isSent, type Verdict, visibleText } from "../loop/decide.ts";
import { splitAction } from "../loop/own-calls.ts";
import type { RunState } from "../loop/run-state.ts";
import { checkStopped, orStopped } from "../stop.ts";
import { isShownFinalAnswer } from "./answer-form.ts";
import type { Output } from "./output.ts";
import type { OutputValidation } from "./types.ts";

/**
 * Validates a value by the host's schema.
 *
 * @throws `ToolglotError` `agent/hook-failed` when the schema throws, or gives no result.
 */
async function validate(run: RunState, output: Output, value: unknown): Promise<OutputValidation> {
  try {
    const given = await orStopped(output.validate(value), run.signal);
    if (given?.success === true) return given;
    if (given?.success !== false || !Array.isArray(given.issues)) throw new TypeError("it gave no result");
    return { success: false, issues: given.issues.slice(0, maxIssues) };
  } catch (error) {
    checkStopped(run.signal);
    if (ToolglotError.isInstance(error) && error.code === replayDivergence) throw error;
    throw new ToolglotError("agent/hook-failed", `output.schema can't validate: ${errorText(error)}`);
  }
}

/** The result of a call of the tool `final_answer`. One that is accepted is the end of the run. */
export async function takeFinalAnswer(
  run: RunState,
  output: Output,
  call: { callId: string; name: string; input: unknown },
  earlier: readonly ToolResult[],
): Promise<Omit<ToolResult, "callId" | "name">> {
  const { wording } = run;
  const failed = earlier.find(({ status }) => status !== "ok" && status !== "pending");
  if (run.final !== undefined) return refused("Superfluous", wording.answeredTwice);
  if (failed) return refused("NotAccepted", wording.answeredTooEarly(failed.name ?? failed.callId));
  const input = output.isWrapped && isObject(call.input) ? call.input.value : call.input;
  const validation = await validate(run, output, input);
  if (validation.success) {
    run.final = validation;
    return { status: "ok", content: [{ type: "text", text: wording.answerTaken }] };
  }
  const { issues } = validation;
  return refused("InvalidInput", wording.invalidAnswer(issues.map(issueText)), [...issues]);
}

/** The final answer that an earlier process had taken before it came to its end. */
export async function retakeFinalAnswer(
  run: RunState,
  action: Exclude<Action, { kind: "decline" }>,
  results: readonly ToolResult[],
): Promise<void> {
  const { output } = run.settings;
  if (output === undefined) return;
  for (const call of splitAction(run, action).own) {
    const isTaken = results.some(({ callId, status }) => callId === call.callId && status === "ok");
    if (call.name === output.name && isTaken) await takeFinalAnswer(run, output, call, []);
  }
}

function refused(type: string, message: string, issues?: InputIssue[]): Omit<ToolResult, "callId" | "name"> {
  const error = { type, message, ...(issues && { issues }) };
  return { status: "error", content: [{ type: "text", text: message }], error };
}

/** A final answer among the results that the model should correct; undefined when there is none. */
export function refusedAnswer(
  { settings }: RunState,
  results: readonly ToolResult[],
): (Verdict & { kind: "repair" }) | undefined {
  const wrong = results.find(({ name, error }) => name === settings.output?.name && error?.type === "InvalidInput");
  if (!wrong?.error) return undefined;
  const { message, issues = [{ path: "", expected: "a JSON object", got: "something else", message }] } = wrong.error;
  return { kind: "repair", reason: "invalid-output", text: message, issues, isTold: true };
}

/**
 * An answer in text, where answers must have a form: the end when it is one JSON value that fits. What the loop makes of other texts
 * stays, but a plain text is no answer.
 */
export async function decideOutput(run: RunState, output: Output, answer: Answer, verdict: Verdict): Promise<Verdict> {
  const { wording } = run;
  if (answer.calls.length > 0 || verdict.kind === "fail") return verdict;
  if (answer.parsed.segments.some(isSent)) return verdict;
  const text = visibleText(answer);
  const value = parseJson(/^```\w*\s*\n([\s\S]*)\n\s*```$/.exec(text)?.[1] ?? text);
  const validation: OutputValidation =
    value === undefined ? { success: false, issues: [noJson(text)] } : await validate(run, output, value);
  if (validation.success) return { kind: "answer", text: toJsonText(validation.value), value: validation.value };
  const issues = [...validation.issues];
  if (verdict.kind === "repair") return { ...verdict, issues };
  if (answer.finish === "length") return { kind: "repair", reason: "truncated", text: wording.truncated, issues };
  const how = isShownFinalAnswer(run, run.step) ? wording.answerByTool(output.name) : wording.answerByText;
  const said = `${wording.invalidAnswer(issues.map(issueText))}\n${how}`;
  return { kind: "repair", reason: "invalid-output", text: said, issues };
}

function noJson(text: string): InputIssue {
  const expected = "one JSON value";
  const got = text === "" ? "nothing" : describeValue(text);
  return { path: "", expected, got, message: `the answer: expected ${expected}, got ${got}` };
}

const issueText = ({ path, expected, got }: InputIssue): string =>
  `${path === "" ? "the answer" : path}: expected ${expected}, got ${got}`;
