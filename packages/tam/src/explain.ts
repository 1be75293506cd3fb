import {
  type Diagnostic,
  isRunnable,
  type Locale,
  neutralize,
  type ParseResult,
  type ProtocolMode,
} from "@toolglot/core";
import { tellFindings } from "@toolglot/core/explain";
import { checkKeys } from "@toolglot/internal";
import { type ExplainWording, explainWording, template } from "./explain-wording.ts";
import type { TamBlock } from "./types.ts";
import { writeField } from "./write-field.ts";

/** How a model is told about its mistakes. */
export interface ExplainOptions {
  /** The text that was parsed: with it, findings say their line and show it. */
  source?: string;
  /** Default `en`. */
  locale?: Locale;
  /** In `single` mode an answer without a block is a mistake too. Default `loop`. */
  mode?: ProtocolMode;
}

/**
 * What to tell the model about its own mistakes; undefined when there is nothing to tell: no finding beyond `info`, and
 * the one block can run, or the text is a plain answer. Each finding names its code, its place and what to write instead;
 * the template stands at the end.
 *
 * When nothing can run, it begins with a `<|[TOOL_RESULT]|>` whose `error` is a FormatError, as if the format had been run
 * and failed. When the first block runs, it is a list of notes, to be put behind the result. What a step's error says is
 * left to the step's result then.
 */
export function explain(result: ParseResult<TamBlock>, options: ExplainOptions = {}): string | undefined {
  checkKeys<ExplainOptions>("explain", options, { source: true, locale: true, mode: true });
  const { mode, ...telling } = options;
  const words = explainWording[options.locale ?? "en"];
  const { blocks } = result;
  const first = blocks.find(({ inReasoning }) => !inReasoning);
  const runs = first !== undefined && isRunnable(first);
  const steps = runs ? first.steps : [];
  const told = new Set(steps.flatMap(({ errors }) => errors.map(({ message }) => message)));
  const findings = result.diagnostics.filter(
    ({ severity, message }) => severity === "warning" || (severity === "error" && !told.has(message)),
  );
  // In the loop, text without a block is the answer: slips around it are no reason to send it back.
  if (blocks.length === 0 && mode !== "single" && !findings.some(meantAsCall)) return undefined;
  const remarks = remarksOn(blocks, findings, runs, words, mode);
  const lines = [...remarks, ...tellFindings(findings, { ...telling, advice: words.advice })];
  if (lines.length === 0 && (runs || blocks.length === 0)) return undefined;
  const list = neutralize(lines.map((line) => `- ${line}`).join("\n"));
  const advice = `${words.template}\n${template}\n`;
  if (runs) return `${words.notes}\n${list}\n${advice}`;
  const fields = [writeField("status", "error"), writeField("error", `FormatError: ${words.failed}\n${list}`.trim())];
  return ["<|[TOOL_RESULT]|>", ...fields, "<|[END_RESULT]|>", advice].join("\n");
}

/** Whether a finding shows that text without a block was to do something. */
function meantAsCall({ code, severity }: Diagnostic): boolean {
  return severity === "error" || code === "core/foreign-format" || code === "core/fabricated-result";
}

/** What no single diagnostic says. */
function remarksOn(
  blocks: readonly TamBlock[],
  findings: readonly Diagnostic[],
  runs: boolean,
  words: ExplainWording,
  mode: ProtocolMode | undefined,
): string[] {
  const remarks: string[] = [];
  if (blocks.length === 0 && mode === "single") remarks.push(words.noBlock);
  if (blocks.length > 1 && runs) remarks.push(words.severalBlocks(blocks.length));
  if (!runs && blocks.some((block) => block.inReasoning)) remarks.push(words.inReasoning);
  if (blocks.some((block) => block.afterFabricatedResult)) remarks.push(words.afterFabricatedResult);
  if (runs && findings.some(({ affects }) => affects === "value")) remarks.push(words.repairedValue);
  return remarks;
}
