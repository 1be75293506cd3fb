import type { ContentBlock, ToolResult, ToolStatus } from "../call.ts";
import { toJsonText } from "../json.ts";
import { contentText } from "../message.ts";
import type { Locale } from "../protocol.ts";
import { neutralize } from "../text/neutralize.ts";

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

/** Key of a result's metadata which marks content that is a part of JSON text, and so no longer JSON itself. */
const jsonKey = "toolglot/cut-json";

/** What a model reads of a result besides the words that its protocol puts around it. Each as it came, not neutralised. */
export interface ResultTexts {
  /** What went wrong. */
  message?: string;
  value?: string;
  /** `value` is JSON text, or what is left of one. */
  isJson?: true;
  stdout?: string;
  stderr?: string;
}

/** How a result reaches its model. */
export interface ResultForm {
  /** As a result part, which providers take as content: there it stands before data. Default false: data stands before content. */
  native?: boolean;
}

/**
 * Returns the texts a model reads of a result. All that shows, measures, cuts or keeps results asks here, so that they agree. An
 * error's words are not repeated by its content; a result part has an error's words in its content, where it has any.
 */
export function resultTexts(result: ToolResult, { native = false }: ResultForm = {}): ResultTexts {
  const { status, content, data, error, metadata } = result;
  const texts: ResultTexts = {};
  const isFailed = errorTypes[status] !== undefined;
  const said = contentText(content);
  if (typeof data === "string" && !(native && said !== "")) texts.value = data;
  else if (data !== undefined && !(native && said !== ""))
    Object.assign(texts, { value: toJsonText(data), isJson: true });
  else if (content.length > 0 && !(native && said === "")) texts.value = said;
  if (texts.value !== undefined && metadata?.[jsonKey] === true) texts.isJson = true;
  if (isFailed && error?.message && !(native && said !== "")) texts.message = error.message;
  // Runtimes give an error's words as its content too.
  const isTold = texts.value === texts.message || texts.value === `Error: ${texts.message}`;
  if (isFailed && isTold && !texts.isJson) delete texts.value;
  for (const stream of ["stdout", "stderr"] as const) {
    const text = printed(result, stream);
    if (text !== "") texts[stream] = text;
  }
  return texts;
}

/** Returns all that a model reads of a result as one text: what went wrong, the value, what was printed. */
export function resultText(result: ToolResult, form?: ResultForm): string {
  const texts = resultTexts(result, form);
  const { message = "", value = "", stdout, stderr } = texts;
  const parts = [message, value, stdout && `stdout:\n${stdout}`, stderr && `stderr:\n${stderr}`];
  return parts.filter((part) => part).join("\n");
}

/** Returns the same without the names of the files in the content, which stay beside a text that is cut. */
export function cuttableTexts(result: ToolResult, form: ResultForm = {}): ResultTexts {
  const { content, data, ...rest } = result;
  if (!content.some(isFile)) return resultTexts(result, form);
  const isData = data !== undefined && !form.native;
  return resultTexts({ ...rest, content: content.filter((block) => !isFile(block)), ...(isData && { data }) }, form);
}

/** Returns a result with other texts in place of its {@link cuttableTexts}. */
export function withTexts(result: ToolResult, changed: Omit<ResultTexts, "isJson">, form?: ResultForm): ToolResult {
  const { message, value, stdout, stderr } = changed;
  const texts = cuttableTexts(result, form);
  const files = result.content.filter(isFile);
  const shown = { ...result };
  if (message !== undefined && result.error) {
    shown.error = { ...result.error, message };
    // Content that said the same would now say more.
    if (texts.value === undefined) shown.content = files;
  }
  if (value !== undefined) {
    // A text is data as well, for those that write data otherwise than content.
    if (typeof result.data === "string" && !form?.native) shown.data = value;
    else delete shown.data;
    shown.content = [{ type: "text", text: value }, ...files];
    if (texts.isJson) shown.metadata = { ...result.metadata, [jsonKey]: true };
  }
  if (stdout !== undefined || stderr !== undefined)
    shown.logs = (["stdout", "stderr"] as const).flatMap((stream) => {
      const text = changed[stream] ?? texts[stream];
      return text === undefined ? [] : [{ stream, text }];
    });
  return shown;
}

/** Whether content is no text. */
export const isFile = (block: ContentBlock): boolean =>
  block.type === "image" || block.type === "audio" || (block.type === "resource" && block.data !== undefined);

/** Returns a result in words for the model. Never throws, whatever the value holds. */
export function readOutcome(result: ToolResult, locale: Locale = "en"): Outcome {
  const words = wording[locale];
  const errorType = errorTypes[result.status];
  const outcome: Outcome = {
    name: neutralize(result.name ?? result.callId),
    status: errorType ? "error" : result.status === "pending" ? "pending" : "ok",
  };
  const { message, isJson, ...texts } = resultTexts(result);
  if (errorType) {
    const { error } = result;
    outcome.errorType = neutralize(ownType(result) ?? errorType);
    outcome.message = neutralize(message ?? words[errorType]);
    if (error?.line !== undefined) outcome.line = error.line;
    if (error?.column !== undefined) outcome.column = error.column;
    if (error?.sourceLine !== undefined) outcome.source = neutralize(error.sourceLine);
    if (error?.hint !== undefined) outcome.hint = neutralize(error.hint);
  }
  if (result.status === "pending") outcome.note = words.pending;
  for (const [name, text] of Object.entries(texts) as ["value" | "stdout" | "stderr", string][])
    outcome[name] = neutralize(text);
  if (isJson) outcome.isJson = true;
  else if (typeof result.data === "string")
    Object.assign(outcome, { value: neutralize(toJsonText(result.data)), isJson: true });
  else if (outcome.value === outcome.message) delete outcome.value;
  return outcome;
}

/** Returns the error's own type, where it is more specific than the status. A doubt has one cure, whatever its origin. */
function ownType({ status, error }: ToolResult): string | undefined {
  return status === "in-doubt" || (status === "denied" && error?.type === "ToolError") ? undefined : error?.type;
}

/** Joins log entries of a stream, which are lines, with or without their line end. */
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

/** Note of how much of a field was cut. */
export const cutNote: Record<Locale, (name: string, shown: number, of: number) => string> = {
  en: (name, shown, of) => `${name}: the beginning and the end, ${shown} of ${of} characters`,
  zh: (name, shown, of) => `${name}：共 ${of} 个字符，只保留开头和结尾 ${shown} 个`,
};

/** Returns the start of a text, `room` UTF-16 units at most; no character is cut in two. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(room - 1)) ? room - 1 : room;
  return text.slice(0, Math.max(0, end));
}

/** Returns the beginning of a text, three fifths of `room`, and its end; no character is cut in two. */
export function cutEnds(text: string, room: number): { head: string; tail: string } {
  const head = cutText(text, Math.floor(room * 0.6));
  const from = text.length - (room - Math.floor(room * 0.6));
  return { head, tail: text.slice(/[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from) };
}

/**
 * Returns how many UTF-16 units each text may have, so that together they have `budget` at most: what is longer than an even share is
 * cut, so that short texts stay whole and long ones get what those leave.
 */
export function shareBudget<Key>(texts: ReadonlyMap<Key, string>, budget: number): Map<Key, number> {
  const byLength = [...texts].sort((a, b) => a[1].length - b[1].length);
  const rooms = new Map<Key, number>();
  let left = budget;
  for (const [index, [key, text]] of byLength.entries()) {
    const room = Math.min(text.length, Math.max(0, Math.floor(left / (byLength.length - index))));
    rooms.set(key, room);
    left -= room;
  }
  return rooms;
}

/** Texts cut to their {@link shareBudget}: the beginning, `…`, the end. The order stays. */
export function fitBudget<Key>(texts: ReadonlyMap<Key, string>, budget: number): Map<Key, string> {
  const rooms = shareBudget(texts, budget);
  return new Map(
    [...texts].map(([key, text]) => {
      const room = rooms.get(key) ?? 0;
      if (text.length <= room) return [key, text];
      const { head, tail } = cutEnds(text, Math.max(0, room - 1));
      return [key, room === 0 ? "" : `${head}…${tail}`];
    }),
  );
}
