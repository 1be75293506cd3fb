import { sentOf } from "./exact.ts";
import { mendedIn } from "./mended.ts";
import type { McpListedTool } from "./types.ts";

/** Where the pages of a list end that never ends, and where a list of tools does. */
export const maxPages = 64;
export const maxTools = 10_000;

/** Key of the reason why a tool can't be used. */
export const unusableKey = "toolglot/unusable";

/** Returns the tools of a list, with those that are none marked. */
export function toListed(tools: readonly unknown[]): McpListedTool[] {
  const listed = (tools as McpListedTool[]).slice(0, maxTools).map((tool) => {
    const unusable = (tool as { _meta?: Record<string, unknown> })._meta?.[unusableKey];
    const notes = mendedIn(tool);
    const sent = sentOf(tool);
    return {
      ...tool,
      ...(sent && { sent }),
      ...(typeof unusable === "string" && { unusable }),
      ...(notes.length > 0 && { notes }),
    };
  });
  if (tools.length > maxTools) {
    const unusable = `the list has more than ${maxTools} tools, and the others are left out too`;
    listed.push({ ...(tools[maxTools] as McpListedTool), unusable });
  }
  return listed;
}
