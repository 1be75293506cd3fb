import { type ContentBlock, ToolError, toJsonText } from "@toolglot/core";
import { errorTypes } from "../errors.ts";
import { ToolResponse, type ToolResponseFields } from "./response.ts";

/** What the model reads of a tool that gave nothing. Providers refuse empty text, and models call again. */
const noOutput = "(no output)";

/** Checks whether this is the content of a tool that gave nothing. Such a response has no data; the same text given has. */
export function isNoOutput(content: readonly ContentBlock[]): boolean {
  const [block] = content;
  return content.length === 1 && block?.type === "text" && block.text === noOutput;
}

/**
 * Returns what a tool gave, as a response. A string is text; content blocks stay as they are; `undefined` is the text
 * "(no output)"; any other value is data, with its JSON as text. `ToolError` for what has no JSON at all.
 */
export function toResponse(value: unknown, stream: boolean, isLast: boolean): ToolResponse {
  if (ToolResponse.isInstance(value)) return value.isLast === isLast ? value : value.with({ isLast });
  const fields: ToolResponseFields = { content: [], stream, isLast };
  if (value === undefined) fields.content = noOutput;
  else if (isBlocks(value)) fields.content = value;
  else if (isBlock(value)) fields.content = [value];
  else {
    fields.content = typeof value === "string" ? value : jsonText(value);
    fields.data = value;
  }
  return new ToolResponse(fields);
}

function jsonText(value: unknown): string {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new ToolError(`the tool gave a ${typeof value}, which has no form in JSON`, {
      data: { type: errorTypes.invalidOutput },
    });
  }
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // Circles, big integers, getters that throw: toJsonText has a word for each.
  }
  return toJsonText(value);
}

/** Checks whether a value is a non-empty array of nothing but content blocks. */
function isBlocks(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, mediaType, uri, data, url } = value as Record<string, unknown>;
  switch (type) {
    case "text":
      return typeof text === "string" && Object.keys(value).length === 2;
    case "image":
    case "audio":
      return typeof mediaType === "string" && (typeof data === "string" || typeof url === "string");
    case "resource":
      return typeof uri === "string";
    default:
      return false;
  }
}
