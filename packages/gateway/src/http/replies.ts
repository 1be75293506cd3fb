import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** An answer in JSON that nobody keeps: `{ error: { code, message } }`. */
export function refuse(context: Context, status: ContentfulStatusCode, code: string, message: string): Response {
  return context.json({ error: { code, message } }, status, { "cache-control": "no-store" });
}

/** A refusal in the words of JSON-RPC, before the request was given to the MCP side. */
export function refuseRpc(context: Context, status: ContentfulStatusCode, code: number, message: string): Response {
  return context.json({ jsonrpc: "2.0", id: null, error: { code, message } }, status, { "cache-control": "no-store" });
}
