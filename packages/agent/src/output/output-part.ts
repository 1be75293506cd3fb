import { type InputIssue, ToolglotError, type ToolResult, toJsonText } from "@toolglot/core";
import { describeValue, errorText, isObject, maxIssues, parseJson } from "@toolglot/internal";
import { replayDivergence } from "../codes.ts";
import { isSent, visibleText } from "../loop/decide.ts";
import { splitAction } from "../loop/own-calls.ts";
import type { Part } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import type { OwnCall } from "../loop/tools.ts";
import type { Answer, Repair, StepSetting, Verdict } from "../loop/types.ts";
import { plainJson } from "../plain-json.ts";
import { checkStopped, orStopped } from "../stop.ts";
import { endsByCall, type Output } from "./output.ts";
import type { OutputValidation } from "./types.ts";

/** Ends a run with a value in the form that the host asked for: by a call of `final_answer`, or by one JSON value as the answer. */
export function outputPart(run: Run, output: Output): Part {
  /** The accepted answer, once the model has called for it in this step. */
  let final: { value: unknown } | undefined;
  const { wording } = run;
  const { name, description, inputSchema } = output;

  /** Returns the result of a call of `final_answer`. One that is accepted is the end of the run. */
  async function take(call: OwnCall, earlier: readonly ToolResult[]): Promise<Omit<ToolResult, "callId" | "name">> {
    const failed = earlier.find(({ status }) => status !== "ok" && status !== "pending");
    if (final !== undefined) return refused("Superfluous", wording.answeredTwice);
    if (failed) return refused("NotAccepted", wording.answeredTooEarly(failed.name ?? failed.callId));
    const input = output.isWrapped && isObject(call.input) ? call.input.value : call.input;
    const validation = await validate(run, output, input);
    if (validation.success) {
      final = validation;
      return { status: "ok", content: [{ type: "text", text: wording.answerTaken }] };
    }
    const { issues } = validation;
    return refused("InvalidInput", wording.invalidAnswer(issues.map(issueText)), [...issues]);
  }

  return {
    ...(endsByCall(run.settings.protocol) && {
      tools: [
        {
          definition: plainJson({
            ...{ name, description: wording.finalAnswer(description), inputSchema },
            annotations: { readOnlyHint: true },
          }),
          yields: false,
          run: take,
        },
      ],
    }),
    instructions: (step) =>
      hasFinalAnswer(run, output, step)
        ? ""
        : wording.answerForm(JSON.stringify(output.jsonSchema, null, 2), description),
    beforeStep() {
      final = undefined;
      return undefined;
    },
    async restore(action, results, isOpen) {
      if (!isOpen || action.kind === "decline") return;
      for (const call of splitAction(run.tools, action).own) {
        const isTaken = results.some(({ callId, status }) => callId === call.callId && status === "ok");
        if (call.name === name && isTaken) await take(call, []);
      }
    },
    afterAnswer: (answer, verdict) => decideOutput(run, output, answer, verdict),
    afterActions: (results) =>
      final ? { status: "answered", text: toJsonText(final.value), value: final.value } : refusedAnswer(name, results),
  };
}

/** Whether the model of a step sees the tool that a run ends with. */
function hasFinalAnswer({ tools: known }: Run, { name }: Output, { protocol, tools }: StepSetting): boolean {
  return endsByCall(protocol) && known.ownTool(name) !== undefined && tools.some((tool) => tool.name === name);
}

/**
 * Validates a value by the host's schema.
 *
 * @throws `ToolglotError` `agent/hook-failed` when the schema throws, or returns no result.
 */
async function validate(run: Run, output: Output, value: unknown): Promise<OutputValidation> {
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

function refused(type: string, message: string, issues?: InputIssue[]): Omit<ToolResult, "callId" | "name"> {
  const error = { type, message, ...(issues && { issues }) };
  return { status: "error", content: [{ type: "text", text: message }], error };
}

/** Returns the repair of a final answer among the results that the model should correct. */
function refusedAnswer(name: string, results: readonly ToolResult[]): Repair | undefined {
  const wrong = results.find((result) => result.name === name && result.error?.type === "InvalidInput");
  if (!wrong?.error) return undefined;
  const { message, issues = [{ path: "", expected: "a JSON object", got: "something else", message }] } = wrong.error;
  return { kind: "repair", reason: "invalid-output", text: message, issues, isKnown: true };
}

/** Decides about an answer in text: one JSON value that fits ends the run, a plain text is no answer, other verdicts stay. */
async function decideOutput(run: Run, output: Output, answer: Answer, verdict: Verdict): Promise<Verdict> {
  const { wording } = run;
  if (answer.calls.length > 0 || verdict.kind === "fail") return verdict;
  if (answer.parsed.segments.some(isSent)) return verdict;
  const text = visibleText(answer);
  const value = parseJson(/^```\w*\s*\n([\s\S]*)\n\s*```$/.exec(text)?.[1] ?? text);
  const validation: OutputValidation =
    value === undefined ? { success: false, issues: [noJson(text)] } : await validate(run, output, value);
  if (validation.success) return { kind: "answer", text: toJsonText(validation.value), value: validation.value };
  const issues = [...validation.issues];
  if (verdict.kind === "repair") {
    const { keptAnswer: _, ...repair } = verdict;
    return { ...repair, issues };
  }
  if (answer.finish === "length") return { kind: "repair", reason: "truncated", text: wording.truncated, issues };
  const how = hasFinalAnswer(run, output, run.step) ? wording.answerByTool(output.name) : wording.answerByText;
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
