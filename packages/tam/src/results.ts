import { isRunnable, neutralize, type ParseResult, type ToolResult } from "@toolglot/core";
import { type ExplainOptions, explainResult, nothingRan } from "@toolglot/core/explain";
import { cutNote, type FormatResultsOptions, fitBudget, type Outcome, readOutcome } from "@toolglot/core/results";
import { checkKeys, parseJson } from "@toolglot/internal";
import { explainWording, template } from "./explain-wording.ts";
import type { TamBlock } from "./types.ts";

/**
 * Returns what the model reads after its plan ran: a block `<|[TOOL_RESULT]|>` in TAM's own grammar. Every step N has `status_N`,
 * which is `ok`, `error` or `pending`, and as far as there is one: `result_N` (text as it is, other data as JSON),
 * `error_N` (type, message, hint), `task_id_N`, `stdout_N`, `stderr_N`, and `cut_N`, which names what was cut. N is a
 * result's `metadata.step`, else its place; `request_id` is the first `metadata.requestId`. No results: an empty string.
 *
 * It never throws, and reads back under the rules for blocks: a value of several lines, or with white space at its ends,
 * stands between line breaks of its own. Marks of protocols and delimiters in values, which come from outside, get a
 * zero-width space.
 */
export function formatResults(results: readonly ToolResult[], options: FormatResultsOptions = {}): string {
  checkKeys("formatResults", options, 'maxChars:number locale:"zh"|"en"');
  if (results.length === 0) return "";
  const { maxChars = 16_000, locale = "en" } = options;
  const outcomes = results.map((result) => readOutcome(plain(result), locale));
  const numbers = stepNumbers(results);
  const texts = new Map<string, string>();
  for (const [at, outcome] of outcomes.entries())
    for (const [name, text] of fieldsOf(outcome)) texts.set(`${name}_${numbers[at]}`, text);
  const fitted = fitBudget(texts, maxChars);

  const requestId = results.map(({ metadata }) => metadata?.requestId).find((id) => typeof id === "string");
  const lines = requestId === undefined ? [] : [writeField("request_id", neutralize(requestId as string))];
  for (const [at, outcome] of outcomes.entries()) {
    const number = numbers[at];
    const task = taskOf(outcome).id;
    lines.push(writeField(`status_${number}`, outcome.status));
    if (task !== undefined) lines.push(writeField(`task_id_${number}`, task));
    const cuts: string[] = [];
    for (const [name] of fieldsOf(outcome)) {
      const key = `${name}_${number}`;
      const [text, whole] = [fitted.get(key) ?? "", texts.get(key) ?? ""];
      lines.push(writeField(key, text));
      if (text !== whole) cuts.push(cutNote[locale](key, text.length, whole.length));
    }
    if (cuts.length > 0) lines.push(writeField(`cut_${number}`, cuts.join("; ")));
  }
  return ["<|[TOOL_RESULT]|>", ...lines, "<|[END_RESULT]|>", ""].join("\n");
}

/** Steps by the numbers that their results carry, when all do and no two alike; else by their places. */
function stepNumbers(results: readonly ToolResult[]): number[] {
  const carried = results.map(({ metadata }) => metadata?.step);
  const known = carried.every((step): step is number => Number.isSafeInteger(step) && (step as number) >= 0);
  return known && new Set(carried).size === results.length ? carried : results.map((_, at) => at + 1);
}

/** Returns a result that shows its text as it is: in TAM nothing needs quotes. */
function plain(result: ToolResult): ToolResult {
  const { data, ...rest } = result;
  return typeof data === "string" ? { ...rest, content: [{ type: "text", text: data }] } : result;
}

/** Returns the handle of a task that was started, and whether the value holds nothing else. */
function taskOf({ status, value, isJson }: Outcome): { id?: string; alone?: true } {
  const data = status === "pending" && value !== undefined && isJson ? parseJson(value) : undefined;
  const id = (data as { task_id?: unknown } | null | undefined)?.task_id;
  if (typeof id !== "string" && typeof id !== "number") return {};
  return Object.keys(data as object).length === 1 ? { id: String(id), alone: true } : { id: String(id) };
}

/** Returns the fields of a step besides its status and task, in order. */
function fieldsOf(outcome: Outcome): [string, string][] {
  const { errorType, message, hint, source, line, column, value, stdout, stderr, note } = outcome;
  const fields: [string, string | undefined][] = [];
  if (errorType !== undefined) {
    const place = line === undefined ? "" : ` (line ${line}${column === undefined ? "" : `, column ${column}`})`;
    fields.push(["error", [`${errorType}: ${message}${place}`, source, hint].filter(Boolean).join("\n")]);
  }
  if (!taskOf(outcome).alone) fields.push(["result", value ?? note]);
  fields.push(["stdout", stdout], ["stderr", stderr]);
  return fields.filter((field): field is [string, string] => field[1] !== undefined);
}

const zeroWidthSpace = "\u200b";

/** Returns a value in which nothing ends it or opens a field: runs of `«`, and angles after a colon, get a zero-width space. */
export function protect(value: string): string {
  return value
    .replace(/[«《](?=[«《])/g, `$&${zeroWidthSpace}`)
    .replace(/([:：=][^\S\n]{0,99})([»》>])(?=[»》>])/g, `$1$2${zeroWidthSpace}`)
    .replace(/([\p{L}\p{N}_-][:：=][^\S\n]?)(?=»(?!\u200b))/gu, `$1${zeroWidthSpace}`);
}

/**
 * Writes a field of a result, with a value of any kind, protected. One of several lines, or with white space or angles at its
 * ends, gets lines of its own, so that it reads back as it is, less one line break at either end.
 */
function writeField(key: string, value: string): string {
  const text = protect(value);
  return /\n|^[\s»》>]|[\s«《<]$/.test(text) ? `${key}:»»»\n${text}\n«««` : `${key}:»»»${text}«««`;
}

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
