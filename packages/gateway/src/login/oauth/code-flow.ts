import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  exchangeAuthorization,
  type FetchLike,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { loginError, loginFault, shownCode } from "../errors.ts";
import type { LoginRecord, LoginStore } from "../store/login-store.ts";
import type { LoginServer } from "../types.ts";
import { type ClientRequest, clientFor } from "./client-id.ts";
import type { OAuthClient } from "./client-request.ts";
import { type Discovered, metadataOf } from "./discover.ts";
import { granted } from "./grants.ts";

/** A login between the question and its answer. Whoever has it can finish it: it is secret. */
export interface StartedLogin {
  url: string;
  issuer: string;
  /** Whether the answer must name its issuer. */
  namesIssuer: boolean;
  resource: string;
  scope?: string;
  client: OAuthClient;
  redirectUri: string;
  verifier: string;
  /** Comes back with the answer. */
  state: string;
}

/** Checks that an authorization server takes PKCE with S256. Without it, whoever reads a code could use it. */
export function checkPkce(server: string, { metadata }: Discovered): void {
  if (metadata.code_challenge_methods_supported?.includes("S256")) return;
  const message =
    "the authorization server does not say that it takes PKCE with S256: whoever reads its answer could use it.";
  throw loginError("gateway/login-unsupported", server, message);
}

/** Begins the authorization code flow: `authorizationUrl` is where a person has to go. Rejects with `gateway/login-…`. */
export async function startCodeFlow(
  server: LoginServer,
  found: Discovered,
  { redirectUri, place }: Pick<ClientRequest, "place" | "redirectUri">,
  store: LoginStore,
  fetch: FetchLike,
): Promise<{ authorizationUrl: string; started: StartedLogin }> {
  const { name, url, oauth } = server;
  const { issuer, metadata, resource, scope } = found;
  checkPkce(name, found);
  const client = await clientFor({ server: name, issuer, metadata, redirectUri, place, scope, oauth }, store, fetch);
  const state = randomBytes(32).toString("base64url");
  const asked = { metadata, clientInformation: client, redirectUrl: redirectUri, state, resource };
  const { authorizationUrl, codeVerifier: verifier } = await startAuthorization(issuer, {
    ...asked,
    ...(scope !== undefined && { scope }),
  }).catch((error: unknown) => {
    throw loginFault(name, "the question for an authorization", error);
  });
  const namesIssuer = metadata.authorization_response_iss_parameter_supported === true;
  const login = { url, issuer, namesIssuer, resource, ...(scope !== undefined && { scope }) };
  return { authorizationUrl: authorizationUrl.href, started: { ...login, client, redirectUri, verifier, state } };
}

/** Checks whether an answer is the one to a question. */
export function isAnswerTo({ state }: Pick<StartedLogin, "state">, answer: URLSearchParams): boolean {
  const [given = "", ...more] = answer.getAll("state");
  const [one, other] = [Buffer.from(given), Buffer.from(state)];
  return more.length === 0 && one.length === other.length && timingSafeEqual(one, other);
}

/** Exchanges the code of an answer, whose state was checked, for tokens. Rejects with `gateway/login-…`. */
export async function finishCodeFlow(
  server: string,
  started: StartedLogin,
  answer: URLSearchParams,
  store: LoginStore,
  fetch: FetchLike,
): Promise<LoginRecord> {
  const { issuer, namesIssuer, client, verifier, redirectUri, resource } = started;
  for (const name of ["code", "iss", "error"]) {
    if (answer.getAll(name).length < 2) continue;
    throw loginError("gateway/login-untrusted", server, `the answer has ${name} twice.`);
  }
  try {
    const iss = answer.get("iss") ?? undefined;
    // Before anything of it is believed: an error may be another's, too.
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: namesIssuer });
    const refusal = answer.get("error");
    if (refusal !== null) {
      throw loginError(
        "gateway/login-refused",
        server,
        `the authorization server answered with ${shownCode(refusal)}.`,
      );
    }
    const code = answer.get("code");
    if (code === null || code === "") throw loginError("gateway/login-failed", server, "the answer has no code.");
    const tokens = await exchangeAuthorization(issuer, {
      metadata: await metadataOf(server, issuer, fetch),
      clientInformation: client,
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier: verifier,
      redirectUri,
      resource,
      fetchFn: fetch,
    });
    return granted(server, started, tokens);
  } catch (error) {
    // The registration is gone there: the next login makes a new one.
    if (isUnknownClient(error)) await store.removeClient(issuer, client.client_id);
    throw loginFault(server, "the exchange of the code", error);
  }
}

/** Checks whether an authorization server does not know the gateway any more. */
export function isUnknownClient(error: unknown): boolean {
  return OAuthError.isInstance(error) && ["invalid_client", "unauthorized_client"].includes(error.code);
}
