import { type ContentBlock, contentText, toJsonText } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { ToolResponse } from "../call/response.ts";
import { mendedIn } from "./mended.ts";
import type { McpCallResult, McpContentBlock, McpProgress } from "./types.ts";

/** Returns a server's result as a response: blocks as content, structured content as data, `isError` as status. */
export function responseOf(result: McpCallResult, keepRaw: boolean): ToolResponse {
  const warnings = mendedIn(result).map((text) => `The server's answer has a field that can't be read: ${text}.`);
  const given = Array.isArray(result.content) ? result.content : [];
  const content = given.map((block) => toBlock(block, warnings));
  const { structuredContent: data, isError = false, notes = [] } = result;
  if (content.length === 0) content.push({ type: "text", text: data === undefined ? "(no output)" : toJsonText(data) });
  if (notes.length > 0) content.push({ type: "text", text: notes.join("\n") });
  warnings.push(...notes);
  const metadata = { ...(warnings.length > 0 && { warnings }), ...(keepRaw && { raw: result }) };
  return new ToolResponse({
    content,
    status: isError ? "error" : "ok",
    ...(isError && { error: { type: "ToolError", message: contentText(content) } }),
    data,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}

/** Returns a progress notification as a chunk. It shows where the tool stands, and is no part of the result. */
export function progressChunk(given: McpProgress): ToolResponse {
  const { progress, total, message } = given;
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  const content = message === undefined || message === "" ? `Progress: ${count}` : message;
  return new ToolResponse({ content, metadata: { progress: given }, stream: true, isLast: false });
}

/** Returns one block as core has it. */
export function toBlock(given: { type: string }, warnings: string[]): ContentBlock {
  const block = given as McpContentBlock;
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: block.type, mediaType: block.mimeType, data: block.data };
    case "resource_link": {
      const title = block.title ?? block.name;
      return { type: "resource", uri: block.uri, ...defined({ mediaType: block.mimeType, title }) };
    }
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource;
      return { type: "resource", uri, ...defined({ mediaType: mimeType, text, data: blob }) };
    }
    default:
      warnings.push(`The server gave a block of the unknown type ${JSON.stringify(given.type)}: it is shown as JSON.`);
      return { type: "text", text: toJsonText(given) };
  }
}
