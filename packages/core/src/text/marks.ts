import type { Fence } from "./fence.ts";

/** The text protocols: what one of them writes is a foreign format to the others. */
export type TextProtocol = "attp" | "tam" | "toolsxml";

const reasoning = /<(\/?)(?:think|thinking|thought)(?:\s[^<>\n]{0,200})?>/iy;
const reasoningStart =
  /^<\/?(?:t|th|thi|thin|think|thinki|thinkin|thinking|tho|thou|thoug|though|thought)?$|^<\/?(?:think|thinking|thought)\s[^<>\n]{0,200}$/i;

/** The longest text that may still become a reasoning tag. */
const longestTag = 220;

/** A reasoning tag at an index: its length and whether it opens, `undefined` for none, `"more"` when more text decides. */
export function reasoningTag(
  text: string,
  at: number,
  ended: boolean,
): { length: number; opens: boolean } | "more" | undefined {
  reasoning.lastIndex = at;
  const match = reasoning.exec(text);
  if (match) return { length: match[0].length, opens: match[1] === "" };
  if (ended || text.length - at > longestTag) return undefined;
  return reasoningStart.test(text.slice(at)) ? "more" : undefined;
}

const result = /^[ \t]*(\[tool_result\]|<\|\[TOOL_RESULT\]\|>|<results(?=[\s>])|<tool_response>)/i;

/** The result marker that a line opens: what only the host may write. */
export function resultMarker(line: string): string | undefined {
  return result.exec(line)?.[1];
}

/** Whether an unfinished line may still open a result marker. */
export function mayBecomeResult(line: string): boolean {
  const text = line.trimStart();
  return text.length < 20 && /^(?:\[(?:t|$)|<(?:[|rt]|$)|$)/i.test(text);
}

const foreign: { format: string; protocol?: TextProtocol; pattern: RegExp }[] = [
  { format: "a ToolsXML block", protocol: "toolsxml", pattern: /^[ \t]*<tools>/im },
  { format: "a TAM block", protocol: "tam", pattern: /^[ \t]*<\|\[[ \t]*REQUEST_TOOL[ \t]*\]\|>/im },
  {
    format: "an ATTP document",
    protocol: "attp",
    pattern: /^(?:\[tool_call\][ \t\r]*$|thought[ \t]*=[ \t]*(?:"""|'''))/m,
  },
  { format: "a SEARCH/REPLACE block", pattern: /^<{5,9} ?SEARCH\b/m },
  {
    format: "a JSON tool call",
    pattern:
      /^[ \t]*(?:<(?:tool_call|function_calls?|invoke|function=)[\s>"\w]|[[{]{1,2}\s{0,40}"(?:tool_calls|function_call)"\s{0,9}:|[[{]{1,2}\s{0,40}"(?:id|type|name|tool|tool_name|function|action)"\s{0,9}:[\s\S]{0,300}?"(?:arguments|parameters|args|input|action_input)"\s{0,9}:)/im,
  },
];

/** Calls in a format that is not the reader's own, the first place of each format. */
export function findForeign(text: string, own: string): { format: string; start: number; end: number }[] {
  return foreign.flatMap(({ format, protocol, pattern }) => {
    const match = protocol === own ? null : pattern.exec(text);
    if (!match) return [];
    const start = match.index + match[0].length - match[0].trimStart().length;
    return [{ format, start, end: match.index + match[0].trimEnd().length }];
  });
}

/** A line of a text, as a grammar sees it. */
export interface LineProbe {
  /** Text around the line; it may go on after it. */
  text: string;
  /** Index of the line's first unit in `text`. */
  at: number;
  /** Index of the line's end, without its line break; -1 while the line is not complete. */
  end: number;
  /** Offset of the line in the whole text. */
  offset: number;
  /** The innermost open fence. */
  fence: Fence | undefined;
  /** Nothing but blank and held lines stands between the fence's opening line and this one. */
  firstInFence: boolean;
  /** Offset where a block begins if one begins here: that of the first held line, else of this line. */
  blockStart: number;
}
