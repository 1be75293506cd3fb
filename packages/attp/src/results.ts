import { contentText, type Locale, neutralize, type ToolResult, type ToolStatus, toJsonText } from "@toolglot/core";
import { cutText, tomlLine, tomlText } from "./toml-text.ts";

/** How results are written. */
export interface FormatResultsOptions {
  /** UTF-16 units that values, output and messages may take together; the rest is cut, and said so. Default 16,000. */
  budget?: number;
  /** Language of what is added: notes, messages that a result lacks. Default `en`. */
  locale?: Locale;
}

const wording = {
  en: {
    cut: (name: string, shown: number, of: number) => `${name}: the first ${shown} of ${of} characters`,
    Denied: "The call was denied, and was not run.",
    Interrupted: "The call was interrupted before it ended.",
    InDoubt: "It is not known whether the call took effect. Find out before you call it again.",
    Error: "The call failed.",
    pending: "Started; there is no result yet.",
  },
  zh: {
    cut: (name: string, shown: number, of: number) => `${name}：共 ${of} 个字符，只保留前 ${shown} 个`,
    Denied: "该调用被拒绝，没有执行。",
    Interrupted: "该调用在结束前被中断。",
    InDoubt: "无法确定该调用是否已生效。再次调用之前请先查明。",
    Error: "该调用失败。",
    pending: "已启动，尚无结果。",
  },
} as const;

type Wording = (typeof wording)[Locale];

/** The error type of a result that ended without success and without an error of its own. */
const errorTypes: Partial<Record<ToolStatus, "Denied" | "Interrupted" | "InDoubt" | "Error">> = {
  error: "Error",
  denied: "Denied",
  interrupted: "Interrupted",
  "in-doubt": "InDoubt",
};

/**
 * What the model reads after its program ran: a TOML document with one table `[tool_result]`. `status` is `success` or
 * `error`; `result` is the value as JSON text; `stdout` and `stderr` are what the program printed; an error has
 * `error_type`, `message` and, when known, `line`, `source` (the line itself) and `hint`. What was cut stands in `cut`.
 * A result without data gives its content as a JSON string. Several results become several `[[tool_result]]`, each with
 * its `call`. No results: an empty string.
 *
 * Valid TOML whatever the values hold, and it never throws. Marks of protocols in the values are neutralised, since
 * they come from outside.
 */
export function formatResults(results: readonly ToolResult[], options: FormatResultsOptions = {}): string {
  const words = wording[options.locale ?? "en"];
  const share = Math.floor((options.budget ?? 16_000) / Math.max(1, results.length));
  return results
    .map((result) => {
      const head = results.length > 1 ? ["[[tool_result]]", `call = ${tomlLine(callName(result))}`] : ["[tool_result]"];
      return `${[...head, ...resultLines(result, share, words)].join("\n")}\n`;
    })
    .join("\n");
}

function callName({ name, callId }: ToolResult): string {
  return name === undefined ? callId : `${name} (${callId})`;
}

function resultLines(result: ToolResult, budget: number, words: Wording): string[] {
  const errorType = errorTypes[result.status];
  const lines = [`status = ${errorType ? '"error"' : '"success"'}`];
  const value = jsonValue(result, errorType !== undefined);
  const texts = new Map<string, string>();
  if (errorType) {
    const { error } = result;
    const ownType = result.status === "error" || result.status === "interrupted" ? error?.type : undefined;
    texts.set("error_type", neutralize(ownType ?? errorType));
    texts.set("message", neutralize(error?.message || words[errorType]));
    if (error?.line !== undefined) texts.set("line", String(error.line));
    if (error?.column !== undefined) texts.set("column", String(error.column));
    if (error?.sourceLine !== undefined) texts.set("source", neutralize(error.sourceLine));
    if (error?.hint !== undefined) texts.set("hint", neutralize(error.hint));
  }
  if (result.status === "pending") texts.set("note", words.pending);
  if (value !== undefined) texts.set("result", value);
  for (const stream of ["stdout", "stderr"] as const) {
    const text = printed(result, stream);
    if (text !== "") texts.set(stream, neutralize(text));
  }
  const cuts: string[] = [];
  for (const [name, text] of shareOut(texts, budget)) {
    const full = texts.get(name) as string;
    if (text !== full) cuts.push(words.cut(name, text.length, full.length));
    lines.push(`${name} = ${asToml(name, text)}`);
  }
  if (cuts.length > 0) lines.push(`cut = ${tomlLine(cuts.join("; "))}`);
  return lines;
}

/** The value as JSON text; undefined when an error has none. */
function jsonValue(result: ToolResult, isError: boolean): string | undefined {
  if (result.data === undefined && result.content.length === 0) return isError ? undefined : "null";
  const text = toJsonText(result.data === undefined ? contentText(result.content) : result.data);
  // DEL is the one character that JSON allows raw and TOML does not.
  return neutralize(text).replaceAll("\u007f", "\\u007f");
}

/** Log entries are lines, with or without their line end. */
function printed({ logs = [] }: ToolResult, stream: "stdout" | "stderr"): string {
  const texts = logs.flatMap((entry) => (entry.stream === stream ? [entry.text] : []));
  return texts.map((text, index) => (index < texts.length - 1 && !text.endsWith("\n") ? `${text}\n` : text)).join("");
}

function asToml(name: string, text: string): string {
  if (name === "line" || name === "column") return text;
  if (name === "error_type" || name === "note") return tomlLine(text);
  return (name === "message" || name === "hint" || name === "source") && !text.includes("\n")
    ? tomlLine(text)
    : tomlText(text);
}

/** Cuts what is longer than an even share, so that short texts stay whole and long ones get what those leave. */
function shareOut(texts: ReadonlyMap<string, string>, budget: number): Map<string, string> {
  const byLength = [...texts].sort((a, b) => a[1].length - b[1].length);
  const rooms = new Map<string, number>();
  let left = budget;
  for (const [index, [name, text]] of byLength.entries()) {
    const room = Math.min(text.length, Math.max(0, Math.floor(left / (byLength.length - index))));
    rooms.set(name, room);
    left -= room;
  }
  return new Map(
    [...texts].map(([name, text]) => [name, /^(line|column)$/.test(name) ? text : cutText(text, rooms.get(name) ?? 0)]),
  );
}
