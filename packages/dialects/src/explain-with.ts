import { isRunnable, type ParseResult } from "@toolglot/core";
import { type ExplainOptions, explainResult, nothingRan } from "@toolglot/core/explain";
import { explainWording } from "./explain-wording.ts";
import type { DialectId } from "./table/ids.ts";
import type { Dialect, DialectRow } from "./table/types.ts";
import type { DialectBlock } from "./types.ts";
import { neutralizeMarks } from "./write/neutralize-marks.ts";
import type { WriteCalls } from "./write/serialize.ts";

/** Options of `explain`. */
export interface ExplainDialectOptions extends ExplainOptions {
  /** The dialect whose form is shown. Default: that of the first block, else `hermes`. */
  dialect?: DialectId | (string & {}) | Dialect;
}

/** Explains mistakes with the form of a dialect that is at hand, as `explain` does. A dialect that is never written has no form, nor has one that is unknown. */
export function explainWith(
  result: ParseResult<DialectBlock>,
  dialect: DialectRow | undefined,
  options: ExplainOptions,
  write: WriteCalls,
): string | undefined {
  const { locale = "en" } = options;
  const words = explainWording[locale];
  const { blocks, diagnostics } = result;
  const first = blocks.find(({ inReasoning, shown }) => !inReasoning && !shown);
  const runs = first !== undefined && isRunnable(first) && first.calls.length > 0;
  const lost = runs ? first.rejected.length : 0;
  const list = explainResult(result, options, {
    words,
    runs,
    findings: diagnostics,
    blocks: blocks.length,
    // The value of an error is not used.
    repaired: diagnostics.some(({ affects, severity }) => affects === "value" && severity === "warning"),
    remark: lost > 0 && words.lost(lost),
  });
  if (list === undefined || (list === "" && (runs || blocks.length === 0))) return undefined;
  const head = runs ? words.notes : nothingRan[locale];
  const form =
    dialect?.write && `${words.template}\n${write(dialect, [{ name: "tool_name", input: { parameter: "value" } }])}`;
  return `${[head, neutralizeMarks(list), form].filter(Boolean).join("\n")}\n`;
}
