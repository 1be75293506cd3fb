import { isRunnable, neutralize, type ParseResult, type ToolResult } from "@toolglot/core";
import { type ExplainOptions, explainResult, nothingRan } from "@toolglot/core/explain";
import { type FormatResultsOptions, fitBudget, type Outcome, readOutcome } from "@toolglot/core/results";
import { checkKeys } from "@toolglot/internal";
import { explainWording } from "./explain-wording.ts";
import type { ToolsXmlBlock } from "./types.ts";
import { attributes, cdata, legal } from "./xml-text.ts";

const cutNote = {
  en: (shown: number, of: number) => `(the beginning and the end, ${shown} of ${of} characters)`,
  zh: (shown: number, of: number) => `（共 ${of} 个字符，只保留开头和结尾 ${shown} 个）`,
};

/**
 * Returns what the model reads after its calls were run: `<results>` with one `<result tool index status exit ms>` per result, in
 * the order given. `index` counts from 0; `status` is `ok`, `error` or `running`; `exit` and `ms` are the numbers of
 * `metadata.exit` and `metadata.ms`, when there are any; an error has its `type`. The text stands raw in CDATA: the
 * content or the data as JSON, for an error its message first. No results: an empty string.
 *
 * Well-formed XML whatever the results hold, and it never throws. Marks of protocols in the texts are neutralised, since
 * they come from outside; what XML 1.0 can't hold (control characters) becomes U+FFFD.
 */
export function formatResults(results: readonly ToolResult[], options: FormatResultsOptions = {}): string {
  checkKeys("formatResults", options, 'locale:"zh"|"en" maxChars:number');
  if (results.length === 0) return "";
  const { locale = "en", maxChars = 16_000 } = options;
  const outcomes = results.map((result) => readOutcome(result, locale));
  const texts = new Map(outcomes.map((outcome, index) => [index, bodyText(outcome, results[index] as ToolResult)]));
  const lines = [...fitBudget(texts, maxChars)].map(([index, text]) => {
    const { name, status, errorType } = outcomes[index] as Outcome;
    const { exit, ms } = results[index]?.metadata ?? {};
    const full = texts.get(index) as string;
    const values = attributes({
      tool: name,
      index,
      status: status === "pending" ? "running" : status,
      exit: wholeNumber(exit),
      ms: wholeNumber(ms),
      type: errorType,
    });
    const head = legal(values);
    if (full === "") return `<result${head}/>`;
    const note = text === full ? "" : `\n${cutNote[locale](text.length, full.length)}`;
    return `<result${head}>${cdata(text)}${note}</result>`;
  });
  return `<results>\n${lines.join("\n")}\n</results>\n`;
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? Math.round(value) : undefined;
}

/** Returns what is to be read: the error, the value, what was printed. Data that is a string stands as it is. */
function bodyText(outcome: Outcome, { data }: ToolResult): string {
  const { message, line, column, source, hint, note, stdout, stderr } = outcome;
  const value = typeof data === "string" ? neutralize(data) : outcome.value;
  const place = line === undefined ? "" : ` (${column === undefined ? line : `${line}:${column}`})`;
  return [
    message === undefined ? "" : message + place,
    source === undefined ? "" : `    | ${source}`,
    hint ?? "",
    value ?? note ?? "",
    stdout === undefined ? "" : `stdout:\n${stdout}`,
    stderr === undefined ? "" : `stderr:\n${stderr}`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

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
