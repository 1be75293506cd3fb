import type { OwnTool } from "../loop/own-calls.ts";
import type { RunState } from "../loop/run-state.ts";
import { plainJson } from "../plain-json.ts";
import { takeFinalAnswer } from "./answers.ts";
import { endsByCall } from "./output.ts";

/** The tool that a run ends with; undefined where answers are no calls, and the answer is text. */
export function finalAnswerTool(run: RunState): OwnTool | undefined {
  const { output } = run.settings;
  if (output === undefined || !endsByCall(run.settings.protocol)) return undefined;
  const { name, description, inputSchema } = output;
  const text = run.wording.finalAnswer(description);
  const annotations = { readOnlyHint: true };
  return {
    definition: plainJson({ name, description: text, inputSchema, annotations }),
    yields: false,
    run: (call, earlier) => takeFinalAnswer(run, output, call, earlier),
  };
}
