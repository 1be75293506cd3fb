import { toJsonText } from "../json.ts";
import { contentText } from "../message.ts";
import type { Locale } from "../protocol.ts";
import { neutralize } from "../text/neutralize.ts";
import type { ToolResult, ToolStatus } from "../tool.ts";

/** A result as a protocol writes it down for the model. All texts are neutralised: they come from outside. */
export interface Outcome {
  /** The tool's name, else the call's id. */
  name: string;
  status: "ok" | "error" | "pending";
  /** The value: data as JSON text, else the content's text. An error has one only when the tool gave one. */
  value?: string;
  /** `value` is JSON text. */
  isJson?: true;
  errorType?: string;
  /** Never empty for an error. */
  message?: string;
  line?: number;
  column?: number;
  /** The line of the model's code in which the error happened. */
  source?: string;
  hint?: string;
  /** For a call that has no result yet. */
  note?: string;
  stdout?: string;
  stderr?: string;
}

const wording = {
  en: {
    Denied: "The call was denied, and was not run.",
    Interrupted: "The call was interrupted before it ended.",
    InDoubt: "It is not known whether the call took effect. Find out before you call it again.",
    Error: "The call failed.",
    pending: "Started; there is no result yet.",
  },
  zh: {
    Denied: "该调用被拒绝，没有执行。",
    Interrupted: "该调用在结束前被中断。",
    InDoubt: "无法确定该调用是否已生效。再次调用之前请先查明。",
    Error: "该调用失败。",
    pending: "已启动，尚无结果。",
  },
} as const;

/** The error type of a result that ended without success and without an error of its own. */
const errorTypes: Partial<Record<ToolStatus, "Denied" | "Interrupted" | "InDoubt" | "Error">> = {
  error: "Error",
  denied: "Denied",
  interrupted: "Interrupted",
  "in-doubt": "InDoubt",
};

/** What a result says, in words for the model. Never throws, whatever the value holds. */
export function readOutcome(result: ToolResult, locale: Locale = "en"): Outcome {
  const words = wording[locale];
  const errorType = errorTypes[result.status];
  const outcome: Outcome = {
    name: neutralize(result.name ?? result.callId),
    status: errorType ? "error" : result.status === "pending" ? "pending" : "ok",
  };
  if (errorType) {
    const { error } = result;
    outcome.errorType = neutralize(ownType(result) ?? errorType);
    outcome.message = neutralize(error?.message || words[errorType]);
    if (error?.line !== undefined) outcome.line = error.line;
    if (error?.column !== undefined) outcome.column = error.column;
    if (error?.sourceLine !== undefined) outcome.source = neutralize(error.sourceLine);
    if (error?.hint !== undefined) outcome.hint = neutralize(error.hint);
  }
  if (result.status === "pending") outcome.note = words.pending;
  if (result.data !== undefined) {
    outcome.value = neutralize(toJsonText(result.data));
    outcome.isJson = true;
  } else if (result.content.length > 0) {
    const text = neutralize(contentText(result.content));
    // Runtimes give an error's words as its content too.
    if (text !== outcome.message && text !== `Error: ${outcome.message}`) outcome.value = text;
  }
  for (const stream of ["stdout", "stderr"] as const) {
    const text = printed(result, stream);
    if (text !== "") outcome[stream] = neutralize(text);
  }
  return outcome;
}

/** The type that the error itself has, where it says more than the status. A doubt has one cure, whatever it comes from. */
function ownType({ status, error }: ToolResult): string | undefined {
  return status === "in-doubt" || (status === "denied" && error?.type === "ToolError") ? undefined : error?.type;
}

/** Log entries are lines, with or without their line end. */
function printed({ logs = [] }: ToolResult, stream: "stdout" | "stderr"): string {
  const texts = logs.flatMap((entry) => (entry.stream === stream ? [entry.text] : []));
  return texts.map((text, index) => (index < texts.length - 1 && !text.endsWith("\n") ? `${text}\n` : text)).join("");
}

/** How results are written. */
export interface FormatResultsOptions {
  /** UTF-16 units that values, output and messages may take together; the rest is cut, with a note. Default 16,000. */
  maxChars?: number;
  /** Language of what is added: notes, messages that a result lacks. Default `en`. */
  locale?: Locale;
}

/** Says of a field how much of it was cut. */
export const cutNote: Record<Locale, (name: string, shown: number, of: number) => string> = {
  en: (name, shown, of) => `${name}: the first ${shown} of ${of} characters`,
  zh: (name, shown, of) => `${name}：共 ${of} 个字符，只保留前 ${shown} 个`,
};

/** The start of a text, `room` UTF-16 units at most; no character is cut in two. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(room - 1)) ? room - 1 : room;
  return text.slice(0, Math.max(0, end));
}

/**
 * Texts cut so that together they take `budget` UTF-16 units at most: what is longer than an even share is cut, so that
 * short texts stay whole and long ones get what those leave. The order stays.
 */
export function fitBudget<Key>(texts: ReadonlyMap<Key, string>, budget: number): Map<Key, string> {
  const byLength = [...texts].sort((a, b) => a[1].length - b[1].length);
  const fitted = new Map(texts);
  let left = budget;
  for (const [index, [key, text]] of byLength.entries()) {
    const room = Math.min(text.length, Math.max(0, Math.floor(left / (byLength.length - index))));
    fitted.set(key, cutText(text, room));
    left -= room;
  }
  return fitted;
}
