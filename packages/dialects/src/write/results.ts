import type { Locale, ToolResult } from "@toolglot/core";
import { cutNote, fitBudget, type Outcome, readOutcome } from "@toolglot/core/results";
import { parseJson } from "@toolglot/internal";
import type { DialectRow } from "../table/types.ts";
import { neutralizeMarks } from "./neutralize-marks.ts";
import { ValueWriter } from "./values.ts";

/** How `hermes` writes results; dialects without a form of their own follow it. */
const plain: NonNullable<DialectRow["results"]> = {
  open: "",
  item: "<tool_response>\n{content}\n</tool_response>",
  close: "",
  role: "user",
};

/** Writes results for a dialect that is at hand, as `formatResults` does. */
export function writeResults(
  results: readonly ToolResult[],
  dialect: DialectRow,
  locale: Locale = "en",
  budget = 16_000,
): string {
  if (results.length === 0) return "";
  const { open, item, close, separator = "\n", as } = dialect.results ?? plain;
  const outcomes = results.map((result) => readOutcome(result, locale));
  const texts = new Map(outcomes.map((outcome, index) => [index, neutralizeMarks(bodyText(outcome))]));
  const items = [...fitBudget(texts, budget)].map(([index, text]) => {
    const full = texts.get(index) as string;
    const note = text === full ? "" : `\n(${cutNote[locale]("content", text.length, full.length)})`;
    const values: Record<string, string> = {
      name: neutralizeMarks(outcomes[index]?.name ?? ""),
      callId: neutralizeMarks(results[index]?.callId ?? ""),
      content: written(text + note, isValue(outcomes[index]) && note === "", dialect, as),
    };
    return item.replace(/\{(name|callId|content)\}/g, (_, place: string) => values[place] as string);
  });
  return open + items.join(separator) + close;
}

/** Returns a content as the dialect writes values; whole JSON stays, where that is JSON. */
function written(text: string, isJson: boolean, dialect: DialectRow, as: "json" | "gemma" | undefined): string {
  if (as === undefined || (as === "json" && isJson)) return text;
  // Its delimiters are marks, and neutralised.
  const writer = new ValueWriter(dialect, (path, why) => {
    throw new TypeError(`formatResults: ${path}: ${why}`);
  });
  return writer.string(text, "content", as);
}

/** Whether the content is a JSON value and nothing else. */
function isValue(outcome: Outcome | undefined): boolean {
  return outcome?.isJson === true && bodyText(outcome) === outcome.value && parseJson(outcome.value) !== undefined;
}

function bodyText({ errorType, message, line, column, source, hint, note, value, stdout, stderr }: Outcome): string {
  const place = line === undefined ? "" : ` (${column === undefined ? line : `${line}:${column}`})`;
  return [
    message === undefined ? "" : `${errorType}: ${message}${place}`,
    source === undefined ? "" : `    | ${source}`,
    hint ?? "",
    value ?? note ?? "",
    stdout === undefined ? "" : `stdout:\n${stdout}`,
    stderr === undefined ? "" : `stderr:\n${stderr}`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}
