import type { FetchLike } from "@modelcontextprotocol/client";
import { loginError, loginFault } from "../errors.ts";
import type { LoginRecord } from "../store/login-store.ts";
import type { LogoutResult } from "../types.ts";
import { clientRequest } from "./client-request.ts";
import { metadataOf } from "./discover.ts";

/** Has the authorization server end the tokens of a login (RFC 7009), where it can. Never rejects. */
export async function revoke(
  server: string,
  { issuer, client, accessToken, refreshToken }: LoginRecord,
  fetch: FetchLike,
): Promise<Pick<LogoutResult, "isRevoked" | "reason">> {
  try {
    const metadata = await metadataOf(server, issuer, fetch);
    const { revocation_endpoint: endpoint, token_endpoint_auth_methods_supported: ofTokens = [] } = metadata;
    if (endpoint === undefined) {
      throw loginError("gateway/login-unsupported", server, "the authorization server has no way to end tokens.");
    }
    const methods = metadata.revocation_endpoint_auth_methods_supported ?? ofTokens;
    // The refresh token first: what it could still make would outlive the access token.
    for (const [hint, token] of Object.entries({ refresh_token: refreshToken, access_token: accessToken })) {
      if (token === undefined) continue;
      const response = await clientRequest(endpoint, { token, token_type_hint: hint }, client, methods, fetch);
      if (response.ok) continue;
      const message = `the authorization server answered the end of its tokens with HTTP ${response.status}.`;
      throw loginError("gateway/login-refused", server, message);
    }
    return { isRevoked: true };
  } catch (error) {
    return { isRevoked: false, reason: loginFault(server, "the end of its tokens", error).message };
  }
}
