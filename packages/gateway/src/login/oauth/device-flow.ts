import { type FetchLike, fetchToken, OAuthError } from "@modelcontextprotocol/client";
import { parseJson, sleep } from "@toolglot/internal";
import * as v from "valibot";
import { loginError, loginFault, shownCode } from "../errors.ts";
import type { LoginRecord, LoginStore } from "../store/login-store.ts";
import type { LoginPrompt, LoginServer } from "../types.ts";
import { clientFor } from "./client-id.ts";
import { clientRequest, type OAuthClient } from "./client-request.ts";
import type { Discovered } from "./discover.ts";
import { deviceGrant, granted } from "./grants.ts";
import { safeUrl } from "./safe-fetch.ts";

const grantSchema = v.object({
  device_code: v.string(),
  user_code: v.pipe(v.string(), v.maxLength(100)),
  verification_uri: v.string(),
  verification_uri_complete: v.optional(v.string()),
  expires_in: v.pipe(v.number(), v.minValue(0)),
  interval: v.optional(v.pipe(v.number(), v.minValue(0)), 5),
});
type DeviceGrant = v.InferOutput<typeof grantSchema>;

/** Nobody comes back to this machine: the address is only for registrations, which want one. */
const nowhere = "http://127.0.0.1/callback";

/** Logs in with the device authorization grant (RFC 8628): a person enters a code somewhere else. Rejects with `gateway/login-…`. */
export async function deviceFlow(
  server: LoginServer,
  found: Discovered,
  store: LoginStore,
  fetch: FetchLike,
  { onPrompt, signal }: { onPrompt(prompt: LoginPrompt): void; signal: AbortSignal },
): Promise<LoginRecord> {
  const { name, url, oauth } = server;
  const { issuer, metadata, resource, scope } = found;
  if (metadata.device_authorization_endpoint === undefined) {
    throw loginError(
      "gateway/login-unsupported",
      name,
      "the authorization server has no login for devices: leave out --device.",
    );
  }
  const request = { server: name, issuer, metadata, redirectUri: nowhere, place: "device", scope, oauth };
  const client = await clientFor(request, store, fetch);
  const grant = await begin(name, found, client, fetch);
  const expiresAt = Date.now() + grant.expires_in * 1000;
  const { verification_uri: address, verification_uri_complete: completeUrl, user_code: code } = grant;
  onPrompt({
    kind: "device",
    url: safeUrl(name, "the address to enter the code at", address),
    code,
    ...(completeUrl !== undefined && { completeUrl: safeUrl(name, "the address to enter the code at", completeUrl) }),
    expiresAt,
  });
  for (let pauseMs = grant.interval * 1000; ; ) {
    if (!(await sleep(Math.max(pauseMs, 100), signal))) throw signal.reason;
    if (Date.now() > expiresAt) {
      throw loginError("gateway/login-cancelled", name, `nobody entered the code ${code} in time.`);
    }
    try {
      const tokens = await fetchToken(pollingAs(client, grant), issuer, { metadata, resource, fetchFn: fetch });
      return granted(name, { url, issuer, resource, client, ...(scope !== undefined && { scope }) }, tokens);
    } catch (error) {
      const answer = OAuthError.isInstance(error) ? error.code : undefined;
      // As RFC 8628, 3.5 has it. A connection that failed is tried again later, too.
      if (answer === "slow_down") pauseMs += 5000;
      else if (answer === undefined && isNetwork(error)) pauseMs = Math.max(1000, pauseMs * 2);
      else if (answer !== "authorization_pending") throw loginFault(name, "the question for tokens", error);
    }
  }
}

async function begin(name: string, found: Discovered, client: OAuthClient, fetch: FetchLike): Promise<DeviceGrant> {
  const { metadata, resource, scope } = found;
  const methods = metadata.token_endpoint_auth_methods_supported ?? [];
  let response: Response;
  try {
    const endpoint = metadata.device_authorization_endpoint as string;
    response = await clientRequest(endpoint, { scope, resource }, client, methods, fetch);
  } catch (error) {
    throw loginFault(name, "the question for a code", error);
  }
  const answer = parseJson(await response.text());
  if (!response.ok) {
    const code = (answer as { error?: unknown } | undefined)?.error;
    const why = typeof code === "string" ? shownCode(code) : `HTTP ${response.status}`;
    throw loginError("gateway/login-refused", name, `the question for a code was answered with ${why}.`);
  }
  const { success, output } = v.safeParse(grantSchema, answer);
  if (success) return output;
  throw loginError("gateway/login-failed", name, "the answer to the question for a code is not as RFC 8628 has it.");
}

/** What the official client asks when it asks for tokens. */
function pollingAs(client: OAuthClient, { device_code }: DeviceGrant): Parameters<typeof fetchToken>[0] {
  const none = (): never => {
    throw new TypeError("the device flow sends nobody away");
  };
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    tokens: () => undefined,
    saveTokens: none,
    redirectToAuthorization: none,
    saveCodeVerifier: none,
    codeVerifier: none,
    prepareTokenRequest: () => new URLSearchParams({ grant_type: deviceGrant, device_code }),
  };
}

function isNetwork(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");
}
