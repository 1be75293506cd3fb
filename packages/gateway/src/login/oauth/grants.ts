import type { OAuthTokens } from "@modelcontextprotocol/client";
import { loginError } from "../errors.ts";
import type { LoginRecord } from "../store/login-store.ts";

/** The device authorization grant, RFC 8628. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** Returns a login with the tokens of an answer. Throws `gateway/login-unsupported` for tokens of another kind. */
export function granted(
  server: string,
  login: Pick<LoginRecord, "client" | "issuer" | "resource" | "scope" | "url">,
  tokens: OAuthTokens,
): LoginRecord {
  if (tokens.token_type.toLowerCase() !== "bearer") {
    throw loginError(
      "gateway/login-unsupported",
      server,
      "the authorization server gave a token that is no bearer token.",
    );
  }
  const { client, issuer, resource, url } = login;
  const scope = tokens.scope ?? login.scope;
  const obtainedAt = Date.now();
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = tokens;
  return {
    url,
    issuer,
    resource,
    client,
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scope !== undefined && { scope }),
    obtainedAt,
    ...(seconds !== undefined && Number.isFinite(seconds) && { expiresAt: obtainedAt + Math.max(0, seconds) * 1000 }),
  };
}
