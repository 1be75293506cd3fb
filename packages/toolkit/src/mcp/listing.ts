import { sentOf } from "./exact.ts";
import { mendedIn } from "./mended.ts";
import type { McpListedTool } from "./types.ts";

/** Where the pages of a list end that never ends, and where a list of tools does. */
export const maxPages = 64;
export const maxTools = 10_000;

/** Key of the reason why a tool can't be used. */
export const unusableKey = "toolglot/unusable";

/**
 * Returns the tools of a list, with those that are none marked. `sent`: the names that the server sent; the official client leaves tools out
 * whose input can't be put into headers, as the protocol wants it.
 */
export function toListed(tools: readonly unknown[], sent: readonly string[]): McpListedTool[] {
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
    return listed;
  }
  const names = new Set(listed.map(({ name }) => name));
  const unusable = "its declarations of x-mcp-header are not as the protocol has them";
  for (const name of new Set(sent)) {
    // Those that can't be used stand there under a shorter name.
    if (names.has(name) || names.has(name.slice(0, 200))) continue;
    listed.push({ name, inputSchema: { type: "object" }, unusable });
  }
  return listed;
}
