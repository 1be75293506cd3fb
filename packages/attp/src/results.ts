import type { Locale, ToolResult } from "@toolglot/core";
import { cutNote, type FormatResultsOptions, fitBudget, readOutcome } from "@toolglot/core/results";
import { checkKeys } from "@toolglot/internal";
import { tomlLine, tomlText } from "./toml-text.ts";

/**
 * Returns what the model reads after its program ran: a TOML document with one table `[tool_result]`. `status` is `success` or
 * `error`; `result` is the value as JSON text; `stdout` and `stderr` are what the program printed; an error has
 * `error_type`, `message` and, when known, `line`, `source` (the line itself) and `hint`. What was cut stands in `cut`. `state` is
 * `rolled-back` after a program of a session (`metadata.session`) whose variables could not be kept.
 * A result without data has its content as a JSON string. Several results become several `[[tool_result]]`, each with
 * its `call`. No results: an empty string.
 *
 * Valid TOML whatever the values hold, and it never throws. Marks of protocols in the values are neutralised, since
 * they come from outside.
 */
export function formatResults(results: readonly ToolResult[], options: FormatResultsOptions = {}): string {
  checkKeys("formatResults", options, 'maxChars:number locale:"zh"|"en"');
  const locale = options.locale ?? "en";
  const share = Math.floor((options.maxChars ?? 16_000) / Math.max(1, results.length));
  return results
    .map((result) => {
      const head = results.length > 1 ? ["[[tool_result]]", `call = ${tomlLine(callName(result))}`] : ["[tool_result]"];
      return `${[...head, ...resultLines(result, share, locale)].join("\n")}\n`;
    })
    .join("\n");
}

function callName({ name, callId }: ToolResult): string {
  return name === undefined ? callId : `${name} (${callId})`;
}

function resultLines(result: ToolResult, maxChars: number, locale: Locale): string[] {
  const outcome = readOutcome(result, locale);
  const isError = outcome.status === "error";
  const lines = [`status = ${isError ? '"error"' : '"success"'}`];
  if (isRolledBack(result)) lines.push('state = "rolled-back"');
  const texts = new Map<string, string>();
  const add = (name: string, text: string | number | undefined): void => {
    if (text !== undefined) texts.set(name, String(text));
  };
  add("error_type", outcome.errorType);
  add("message", outcome.message);
  add("line", outcome.line);
  add("column", outcome.column);
  add("source", outcome.source);
  add("hint", outcome.hint);
  add("note", outcome.note);
  const { value = isError ? undefined : "null" } = outcome;
  // Content is no JSON yet; and DEL is the one character that JSON allows raw and TOML does not.
  if (value !== undefined)
    add(
      "result",
      (outcome.value === undefined || outcome.isJson ? value : JSON.stringify(value)).replaceAll("\u007f", "\\u007f"),
    );
  add("stdout", outcome.stdout);
  add("stderr", outcome.stderr);
  const cuts: string[] = [];
  for (const [name, cut] of fitBudget(texts, maxChars)) {
    const full = texts.get(name) as string;
    const text = name === "line" || name === "column" ? full : cut;
    if (text !== full) cuts.push(cutNote[locale](name, text.length, full.length));
    lines.push(`${name} = ${asToml(name, text)}`);
  }
  if (cuts.length > 0) lines.push(`cut = ${tomlLine(cuts.join("; "))}`);
  return lines;
}

/** Whether the session of the program is as before it: an executor states it in `metadata.session`. */
function isRolledBack({ metadata }: ToolResult): boolean {
  return (metadata?.session as { state?: unknown } | undefined)?.state === "rolled-back";
}

function asToml(name: string, text: string): string {
  if (name === "line" || name === "column") return text;
  if (name === "error_type" || name === "note") return tomlLine(text);
  return (name === "message" || name === "hint" || name === "source") && !text.includes("\n")
    ? tomlLine(text)
    : tomlText(text);
}
