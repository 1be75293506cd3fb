import { isRunnable, type ParseResult } from "@toolglot/core";
import { type ExplainOptions, explainResult, nothingRan } from "@toolglot/core/explain";
import { explainWording } from "./explain-wording.ts";
import type { ToolsXmlBlock } from "./types.ts";
import { cdata } from "./xml-text.ts";

/**
 * Returns what the model should know about its own mistakes, as XML with the text in CDATA; undefined when there is nothing to explain: no
 * finding beyond `info`, and the one block can run, or the text is a plain answer. Each finding names its code, its place
 * and what to write instead; the last line shows the template.
 *
 * When nothing can run, it is a `<results>` whose one result has `type="FormatError"`, as if the format had been run and
 * failed. When the first block runs, it is `<format_notes>`, to be put behind the results.
 */
export function explain(result: ParseResult<ToolsXmlBlock>, options: ExplainOptions = {}): string | undefined {
  const words = explainWording[options.locale ?? "en"];
  const { blocks, diagnostics } = result;
  const runs = blocks.some((block) => isRunnable(block) && block.calls.length > 0);
  const isEmpty = blocks.length > 0 && blocks.every((block) => isRunnable(block) && block.calls.length === 0);
  const list = explainResult(result, options, {
    words,
    runs,
    findings: diagnostics,
    blocks: blocks.length,
    // The value of an error is not used.
    repaired: diagnostics.some(({ affects, severity }) => affects === "value" && severity === "warning"),
    remark: isEmpty && words.noCalls,
  });
  if (!list) return undefined;
  return runs
    ? `<format_notes>${cdata(`${list}\n${words.template}`)}</format_notes>\n`
    : `<results>\n<result status="error" type="FormatError">${cdata(`${nothingRan[options.locale ?? "en"]}\n${list}\n${words.template}`)}</result>\n</results>\n`;
}
