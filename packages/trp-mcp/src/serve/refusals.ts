import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { errorResponse } from "./tracked-response.ts";

/** The revision that is begun without a session. */
const newest = "2026-07-28";

/** Refuses what comes to a gate that closes. */
export function closing(): Response {
  return errorResponse(503, { code: -32000, message: "The gateway is closing." });
}

/** Refuses a revision that a header names and nobody here speaks. What `initialize` offers is bargained about. */
export function unknownRevision(request: Request, body: unknown): Response | undefined {
  const requested = request.headers.get("mcp-protocol-version");
  if (requested === null || SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) return undefined;
  const { id, method } = Object(body) as { id?: unknown; method?: unknown };
  if (method === "initialize") return undefined;
  const data = { supported: [newest, ...SUPPORTED_PROTOCOL_VERSIONS], requested };
  return errorResponse(400, { code: -32022, message: `Unsupported protocol version: ${requested}`, data }, { id });
}
