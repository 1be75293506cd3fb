import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject } from "@toolglot/internal";
import type { McpListedTool } from "./types.ts";

/** Where the pages of a list end that never ends, and where a list of tools does. */
export const maxPages = 64;
const maxTools = 10_000;

const unusableKey = "toolglot/unusable";

/**
 * Sees the lists of tools before the official client does, which throws a whole list away for one tool that is none. Such a tool
 * is replaced by one that says why.
 */
export function watchLists(transport: Transport, isTool: (value: unknown) => boolean): void {
  const asked = new Set<unknown>();
  const { send } = transport;
  transport.send = (message, options) => {
    if ("method" in message && message.method === "tools/list" && "id" in message) asked.add(message.id);
    return send.call(transport, message, options);
  };
  const { onmessage } = transport;
  transport.onmessage = (message: JSONRPCMessage, extra) => {
    if (!("method" in message) && asked.delete(message.id) && "result" in message) {
      const { tools } = message.result as { tools?: unknown };
      if (Array.isArray(tools)) {
        // One more than may be: so it is seen that there are more.
        const usable = tools
          .slice(0, maxTools + 1)
          .map((tool, index) => (isTool(tool) ? tool : replacement(tool, index)));
        message.result = { ...message.result, tools: usable };
      }
    }
    onmessage?.(message, extra);
  };
}

/** The tools of a list, with those that are none marked. */
export function toListed(tools: readonly unknown[]): McpListedTool[] {
  const listed = (tools as McpListedTool[]).slice(0, maxTools).map((tool) => {
    const unusable = (tool as { _meta?: Record<string, unknown> })._meta?.[unusableKey];
    return typeof unusable === "string" ? { ...tool, unusable } : tool;
  });
  if (tools.length > maxTools) {
    const unusable = `the list has more than ${maxTools} tools, and the others are left out too`;
    listed.push({ ...(tools[maxTools] as McpListedTool), unusable });
  }
  return listed;
}

function replacement(given: unknown, index: number): unknown {
  const { name, inputSchema } = isObject(given) ? given : {};
  const isNamed = typeof name === "string" && name !== "";
  const { type } = isObject(inputSchema) ? inputSchema : {};
  const why = !isNamed
    ? "it has no name"
    : type === "object"
      ? "its description has fields of a wrong kind"
      : "its input schema is none of an object";
  return {
    name: isNamed ? name.slice(0, 200) : `number ${index + 1}`,
    inputSchema: { type: "object" },
    _meta: { [unusableKey]: why },
  };
}
