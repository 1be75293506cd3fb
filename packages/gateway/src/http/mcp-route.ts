import { isNestedDeeper } from "@toolglot/internal";
import type { Handler } from "hono";
import { isJsonType, readBody, textOf } from "./body.ts";
import { refuseRpc } from "./replies.ts";
import type { HostEnv, McpGate } from "./types.ts";

/** What a body may have at most: bytes, and levels of nesting. */
const maxBytes = 4 * 1024 * 1024;
const maxDepth = 64;

/** Creates the handler of the MCP path: what is no JSON of a sensible size never reaches the MCP side. The caller is known. */
export function mcpRoute(gate: McpGate): Handler<HostEnv> {
  return async (context) => {
    const { req } = context;
    const identity = context.get("identity");
    if (!["POST", "GET", "DELETE"].includes(req.method)) {
      context.header("allow", "GET, POST, DELETE, OPTIONS");
      return refuseRpc(context, 405, -32000, "This path takes POST, GET and DELETE.");
    }
    if (req.method !== "POST") return gate(req.raw, { identity, body: undefined });
    if (!isJsonType(req.header("content-type"))) {
      return refuseRpc(context, 415, -32000, "Send JSON, with Content-Type: application/json.");
    }
    const encoding = req.header("content-encoding");
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
      return refuseRpc(context, 415, -32000, "Send the body without Content-Encoding.");
    }
    const bytes = await readBody(req.raw, maxBytes).catch(() => "cut-off" as const);
    // Half a body is never taken for a whole one.
    if (bytes === "cut-off") return refuseRpc(context, 400, -32700, "The body ended early.");
    if (bytes === undefined) return refuseRpc(context, 413, -32000, `A body may have at most ${maxBytes} bytes.`);
    if (isNestedDeeper(bytes, maxDepth)) {
      return refuseRpc(context, 400, -32700, `The body is nested deeper than ${maxDepth} levels.`);
    }
    const text = textOf(bytes);
    if (text === undefined) return refuseRpc(context, 400, -32700, "The body is not UTF-8.");
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return refuseRpc(context, 400, -32700, "The body is not JSON.");
    }
    return gate(req.raw, { identity, body });
  };
}
