import { isRunnable, neutralize, type ParseResult } from "@toolglot/core";
import { type ExplainOptions, explainResult, nothingRan } from "@toolglot/core/explain";
import { explainWording, template } from "./explain-wording.ts";
import { writeField } from "./results.ts";
import type { TamBlock } from "./types.ts";

/**
 * Returns what the model should know about its own mistakes; undefined when there is nothing to explain: no finding beyond `info`, and
 * the one block can run, or the text is a plain answer. Each finding names its code, its place and what to write instead;
 * the template stands at the end.
 *
 * When nothing can run, it begins with a `<|[TOOL_RESULT]|>` whose `error` is a FormatError, as if the format had been run
 * and failed. When the first block runs, it is a list of notes, to be put behind the result. The message of a step's error is
 * left to the step's result then.
 */
export function explain(result: ParseResult<TamBlock>, options: ExplainOptions = {}): string | undefined {
  const words = explainWording[options.locale ?? "en"];
  const { blocks } = result;
  const first = blocks.find(({ inReasoning, shown }) => !inReasoning && !shown);
  const runs = first !== undefined && isRunnable(first);
  const steps = runs ? first.steps : [];
  const inResults = new Set(steps.flatMap(({ errors }) => errors.map(({ message }) => message)));
  const findings = result.diagnostics.filter(
    ({ severity, message }) => severity === "warning" || (severity === "error" && !inResults.has(message)),
  );
  const list = explainResult(result, options, {
    words,
    runs,
    findings,
    blocks: blocks.length,
    repaired: findings.some(({ affects }) => affects === "value"),
  });
  if (list === undefined || (list === "" && (runs || blocks.length === 0))) return undefined;
  const points = neutralize(list);
  const advice = `${words.template}\n${template}\n`;
  if (runs) return `${words.notes}\n${points}\n${advice}`;
  const fields = [
    writeField("status", "error"),
    writeField("error", `FormatError: ${nothingRan[options.locale ?? "en"]}\n${points}`.trim()),
  ];
  return ["<|[TOOL_RESULT]|>", ...fields, "<|[END_RESULT]|>", advice].join("\n");
}
