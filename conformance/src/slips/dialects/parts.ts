import type { Dialect } from "@toolglot/dialects";
import type { Written } from "../slip.ts";
import type { Input } from "./write.ts";

const token = /<[^<>\s]*>|\[\/?[A-Z_]+\]|```\w*|\w+|[^\w\s]/g;

/** The text with something else in place of a part. */
export const put = (text: string, start: number, end: number, piece: string): string =>
  text.slice(0, start) + piece + text.slice(end);

/** Changes the text outside of its values. */
export function outside({ text, values }: Written, change: (part: string) => string): string | undefined {
  let at = 0;
  let out = "";
  for (const [start, end] of values) {
    out += change(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  out += change(text.slice(at));
  return out === text ? undefined : out;
}

/** Tokens of the format's own, with their places. */
export function tokensOf({ text, values }: Written): { at: number; end: number; is: string }[] {
  return [...text.matchAll(token)]
    .map(({ 0: is, index: at }) => ({ at, end: at + is.length, is }))
    .filter(({ at, end }) => !values.some(([start, stop]) => at < stop && end > start));
}

export const textsOf = (markers: Dialect["open"] | undefined): string[] =>
  (markers ?? []).map((marker) => ("text" in marker ? marker.text.trim() : "")).filter((text) => text !== "");

/** Marks of a dialect that stand around calls. */
export const wrapOf = ({ open, close, call }: Dialect): { open: string; close: string } => ({
  open: textsOf(open)[0] ?? textsOf(call.open && [call.open])[0] ?? "",
  close: textsOf(close)[0] ?? textsOf(call.close && [call.close])[0] ?? "",
});

/** Wrappers that models take for their own. */
export const wrappers: readonly (readonly [string, string])[] = [
  ["<tool_call>", "</tool_call>"],
  ["<tool_calls>", "</tool_calls>"],
  ["<function_calls>", "</function_calls>"],
  ["[TOOL_CALLS]", "[/TOOL_CALLS]"],
  ["<|tool_call|>", "<|/tool_call|>"],
];

/** Whether signs other than quotes stand around nothing that a swap of quotes would end. */
export const isPlain = ({ file, text }: Input): boolean => !/["'\\\n`“”]/.test(file + text);
