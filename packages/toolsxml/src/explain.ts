import { type Diagnostic, isRunnable, type Locale, type ParseResult, type ProtocolMode } from "@toolglot/core";
import { tellFindings } from "@toolglot/core/explain";
import { checkKeys } from "@toolglot/internal";
import { explainWording } from "./explain-wording.ts";
import type { ToolsXmlBlock } from "./types.ts";
import { cdata } from "./xml-text.ts";

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
 * What to tell the model about its own mistakes, as XML with the text in CDATA; undefined when there is nothing to tell: no
 * finding beyond `info`, and the one block can run, or the text is a plain answer. Each finding names its code, its place
 * and what to write instead; the last line shows the template.
 *
 * When nothing can run, it is a `<results>` whose one result has `type="FormatError"`, as if the format had been run and
 * failed. When the first block runs, it is `<format_notes>`, to be put behind the results.
 */
export function explain(result: ParseResult<ToolsXmlBlock>, options: ExplainOptions = {}): string | undefined {
  checkKeys<ExplainOptions>("explain", options, { source: true, locale: true, mode: true });
  const { mode, ...telling } = options;
  const words = explainWording[options.locale ?? "en"];
  const { blocks, diagnostics } = result;
  // In the loop, text without a block is the answer: slips around it are no reason to send it back.
  if (blocks.length === 0 && mode !== "single" && !diagnostics.some(meantAsCall)) return undefined;
  const runs = blocks.some((block) => isRunnable(block) && block.calls.length > 0);
  const remarks = [
    blocks.length === 0 && mode === "single" && words.noBlock,
    blocks.length > 1 && runs && words.severalBlocks(blocks.length),
    blocks.length > 0 && blocks.every((block) => isRunnable(block) && block.calls.length === 0) && words.noCalls,
    !runs && blocks.some((block) => block.inReasoning) && words.inReasoning,
    blocks.some((block) => block.afterFabricatedResult) && words.afterFabricatedResult,
    runs && diagnostics.some(mayHaveChanged) && words.repairedValue,
  ].filter((remark) => remark !== false);
  const lines = [...remarks, ...tellFindings(diagnostics, { ...telling, advice: words.advice })];
  if (lines.length === 0) return undefined;
  const list = lines.map((line) => `- ${line}`).join("\n");
  return runs
    ? `<format_notes>${cdata(`${list}\n${words.template}`)}</format_notes>\n`
    : `<results>\n<result status="error" type="FormatError">${cdata(`${words.failed}\n${list}\n${words.template}`)}</result>\n</results>\n`;
}

/** Whether a finding shows that text without a block was to do something. */
function meantAsCall({ code, severity }: Diagnostic): boolean {
  return severity === "error" || code === "core/foreign-format" || code === "core/fabricated-result";
}

/** A repair of a value; an error's value is not used. */
function mayHaveChanged({ affects, severity }: Diagnostic): boolean {
  return affects === "value" && severity === "warning";
}
