import { isObject } from "@toolglot/internal";
import type { McpCallResult } from "@toolglot/toolkit";

/**
 * What a program gets of a result: its `structuredContent`, else its text. `isReplayed`: words of the gateway stand before the server's.
 */
export function programValue(result: McpCallResult, isReplayed: boolean): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  return textOf(isReplayed ? { ...result, content: (result.content ?? []).slice(1) } : result);
}

/** The blocks of a result as one text; in the place of pictures and the like, what they are. */
export function textOf({ content = [] }: McpCallResult): string {
  return content.map(blockText).join("\n");
}

function blockText(block: { type: string }): string {
  const { text, uri, mimeType, resource } = block as Record<string, unknown>;
  if (typeof text === "string") return text;
  if (isObject(resource)) return typeof resource.text === "string" ? resource.text : `[resource ${resource.uri}]`;
  return `[${[block.type, uri, mimeType].filter((part) => typeof part === "string").join(" ")}]`;
}
