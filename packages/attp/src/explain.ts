import { isRunnable, type ParseResult } from "@toolglot/core";
import { type ExplainOptions as CommonOptions, explainResult, nothingRan } from "@toolglot/core/explain";
import { checkKeys } from "@toolglot/internal";
import { explainWording } from "./explain-wording.ts";
import { tomlText } from "./toml-text.ts";
import type { AttpDocument } from "./types.ts";

/** How mistakes are explained to the model. */
export interface ExplainOptions extends CommonOptions {
  /** What programs are written in, for advice about code. Default `python`. */
  language?: "python" | "javascript";
}

/**
 * Returns what the model should know about its own mistakes, as a TOML document; undefined when there is nothing to explain: no
 * finding beyond `info`, and the one document can run, or the text is a plain answer. Each finding names its code, its place and what to write
 * instead; the last line shows the template.
 *
 * When nothing can run, it is a `[tool_result]` with `error_type = "FormatError"`, as if the format had been run and
 * failed. When the first document runs, it is a `[format_notes]` table, to be put behind the result.
 *
 * @example
 * ```ts
 * const result = parse("[tool_call]\nstatus = 'done'\n");
 * const explanation = explain(result); // a TOML document for the model, undefined where nothing is to be explained
 * ```
 */
export function explain(result: ParseResult<AttpDocument>, options: ExplainOptions = {}): string | undefined {
  checkKeys("explain", options, 'source:string locale:"zh"|"en" mode:"single"|"loop" language:"python"|"javascript"');
  const words = explainWording[options.locale ?? "en"](options.language);
  const { blocks } = result;
  const findings = result.diagnostics.filter(({ severity }) => severity !== "info");
  const runs = blocks.some(isRunnable);
  const list = explainResult(result, options, {
    words,
    runs,
    findings,
    blocks: blocks.length + findings.filter(({ code }) => code === "attp/unread-document").length,
    repaired: findings.some(({ affects }) => affects === "value"),
    options: ['language:"python"|"javascript"'],
  });
  if (!list) return undefined;
  if (runs) return `[format_notes]\nnotes = ${tomlText(list)}\ntemplate = ${tomlText(words.template)}\n`;
  return [
    "[tool_result]",
    'status = "error"',
    'error_type = "FormatError"',
    `message = ${tomlText(`${nothingRan[options.locale ?? "en"]}\n${list}`)}`,
    `hint = ${tomlText(words.template)}`,
    "",
  ].join("\n");
}
