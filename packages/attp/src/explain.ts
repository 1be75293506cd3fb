import { type Diagnostic, isRunnable, type Locale, type ParseResult, type ProtocolMode } from "@toolglot/core";
import { tellFindings } from "@toolglot/core/explain";
import { checkKeys } from "@toolglot/internal";
import { type ExplainWording, explainWording } from "./explain-wording.ts";
import { tomlText } from "./toml-text.ts";
import type { AttpDocument } from "./types.ts";

/** How a model is told about its mistakes. */
export interface ExplainOptions {
  /** The text that was parsed: with it, findings say their line and show it. */
  source?: string;
  /** Default `en`. */
  locale?: Locale;
  /** In `single` mode an answer without a document is a mistake too. Default `loop`. */
  mode?: ProtocolMode;
  /** What programs are written in, for advice about code. Default `python`. */
  language?: "python" | "javascript";
}

/**
 * What to tell the model about its own mistakes, as a TOML document; undefined when there is nothing to tell: no
 * finding beyond `info`, and the one document can run, or the text is a plain answer. Each finding names its code, its place and what to write
 * instead; the last line shows the template.
 *
 * When nothing can run, it is a `[tool_result]` with `error_type = "FormatError"`, as if the format had been run and
 * failed. When the first document runs, it is a `[format_notes]` table, to be put behind the result.
 */
export function explain(result: ParseResult<AttpDocument>, options: ExplainOptions = {}): string | undefined {
  checkKeys("explain", options, { source: true, locale: true, mode: true, language: true });
  const words = explainWording[options.locale ?? "en"]();
  const { mode, language, ...telling } = options;
  const advice = language === "javascript" ? { ...words.advice, ...words.javascript } : words.advice;
  const { blocks } = result;
  const runnable = blocks.some(isRunnable);
  const findings = result.diagnostics.filter(({ severity }) => severity !== "info");
  // In the loop, text without a document is the answer: slips around it are no reason to send it back.
  if (blocks.length === 0 && mode !== "single" && !findings.some(meantAsCall)) return undefined;
  const remarks = remarksOn(blocks, findings, runnable, words, mode);
  const lines = [...remarks, ...tellFindings(findings, { ...telling, advice })];
  if (lines.length === 0) return undefined;
  if (runnable) return `[format_notes]\nnotes = ${tomlText(list(lines))}\ntemplate = ${tomlText(words.template)}\n`;
  return [
    "[tool_result]",
    'status = "error"',
    'error_type = "FormatError"',
    `message = ${tomlText(`${words.failed}\n${list(lines)}`)}`,
    `hint = ${tomlText(words.template)}`,
    "",
  ].join("\n");
}

/** Whether a finding shows that text without a document was to do something. */
function meantAsCall({ code, severity }: Diagnostic): boolean {
  return severity === "error" || code === "core/foreign-format" || code === "core/fabricated-result";
}

/** What no single diagnostic says. */
function remarksOn(
  blocks: readonly AttpDocument[],
  findings: readonly Diagnostic[],
  runnable: boolean,
  words: ExplainWording,
  mode: ProtocolMode | undefined,
): string[] {
  const remarks: string[] = [];
  if (blocks.length === 0 && mode === "single") remarks.push(words.noDocument);
  const count = blocks.length + findings.filter(({ code }) => code === "attp/unread-document").length;
  if (count > 1 && runnable) remarks.push(words.severalDocuments(count));
  if (!runnable && blocks.some((block) => block.inReasoning)) remarks.push(words.inReasoning);
  if (blocks.some((block) => block.afterFabricatedResult)) remarks.push(words.afterFabricatedResult);
  if (runnable && findings.some(({ affects }) => affects === "value")) remarks.push(words.repairedValue);
  return remarks;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
