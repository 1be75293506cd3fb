import {
  type AuthorizationServerMetadata,
  buildDiscoveryUrls,
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { isObject, parseJson } from "@toolglot/internal";
import * as v from "valibot";
import { loginError, loginFault } from "../errors.ts";
import type { LoginServer } from "../types.ts";
import { type Place, safeUrl } from "./safe-fetch.ts";
import { unionOf } from "./scopes.ts";

/** The metadata of an authorization server (RFC 8414, OpenID Connect Discovery), as far as a login needs it. */
export type IssuerMetadata = AuthorizationServerMetadata & {
  device_authorization_endpoint?: string | undefined;
  revocation_endpoint?: string | undefined;
  revocation_endpoint_auth_methods_supported?: string[] | undefined;
};

/** Where one logs in for an MCP server. */
export interface Discovered {
  /** The authorization server, by the name that its metadata confirmed. */
  issuer: string;
  metadata: IssuerMetadata;
  /** The MCP server, by the name that it has for itself: sent with every request for a token, so that tokens are good there alone. */
  resource: string;
  /** What to ask for, separated by blanks. */
  scope?: string;
}

const texts = v.optional(v.array(v.string()));
const metadataSchema = v.looseObject({
  issuer: v.string(),
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  registration_endpoint: v.optional(v.string()),
  device_authorization_endpoint: v.optional(v.string()),
  revocation_endpoint: v.optional(v.string()),
  // Of RFC 8414 required; without it the code flow is meant by everybody.
  response_types_supported: v.optional(v.array(v.string()), ["code"]),
  scopes_supported: texts,
  code_challenge_methods_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  revocation_endpoint_auth_methods_supported: texts,
  client_id_metadata_document_supported: v.optional(v.boolean()),
  authorization_response_iss_parameter_supported: v.optional(v.boolean()),
});
const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
] as const;

/** Finds out where to log in. `missed`: scopes that the server wanted of the logins before. Rejects with `gateway/login-…`. */
export async function discover(server: LoginServer, fetch: FetchLike, missed?: string): Promise<Discovered> {
  const { name, url } = server;
  safeUrl(server, "the server's own address", url);
  const challenge = await challengeOf(server, fetch);
  const protectedResource = await resourceMetadata(server, challenge.resourceMetadataUrl, fetch);
  const { resource, authorization_servers: issuers = [], scopes_supported: offered } = protectedResource;
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
    const message = `its metadata is about another resource, ${JSON.stringify(resource)}: a token would be good there.`;
    throw loginError("gateway/login-untrusted", name, message);
  }
  const [issuer] = issuers;
  if (issuer === undefined) {
    throw loginError("gateway/login-unsupported", name, "its metadata names no authorization server.");
  }
  const metadata = await metadataOf(server, issuer, fetch);
  const wanted = server.oauth?.scopes?.join(" ") ?? challenge.scope ?? offered?.join(" ");
  const scope = withRenewal(unionOf(wanted, missed), metadata);
  return { issuer, metadata, resource, ...(scope && { scope }) };
}

/** Some authorization servers give refresh tokens only to those who ask for this scope; a person is not to be asked every hour. */
function withRenewal(scope: string | undefined, { scopes_supported: known = [] }: IssuerMetadata): string | undefined {
  if (scope === undefined || !known.includes("offline_access") || scope.split(" ").includes("offline_access")) {
    return scope;
  }
  return `${scope} offline_access`;
}

/** The server's answer to somebody without a token. */
async function challengeOf(
  { name, url, headers }: LoginServer,
  fetch: FetchLike,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
      // It begins nothing at a server that lets everybody in.
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  } catch (error) {
    throw loginFault(name, "the question for where to log in", error);
  }
}

async function resourceMetadata(
  { name, url }: LoginServer,
  resourceMetadataUrl: URL | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata> {
  let status = 0;
  const watched: FetchLike = async (address, init) => {
    const response = await fetch(address, init);
    status = response.status;
    return response;
  };
  try {
    return await discoverOAuthProtectedResourceMetadata(
      url,
      { ...(resourceMetadataUrl && { resourceMetadataUrl }) },
      watched,
    );
  } catch (error) {
    if (status === 0 || (status >= 200 && status < 300)) {
      throw loginFault(name, "the question for the server's metadata", error);
    }
    const message = `it says nothing of where to log in (HTTP ${status} for its metadata). If it takes a fixed token, put that into headers.`;
    throw loginError("gateway/login-unsupported", name, message);
  }
}

/**
 * Returns the metadata of an authorization server, of which every endpoint is safe and the issuer is, letter for letter, the one that was
 * looked up. The official client's function drops endpoints of OpenID providers, and lets a slash at the end pass.
 */
export async function metadataOf(server: Place, issuer: string, fetch: FetchLike): Promise<IssuerMetadata> {
  safeUrl(server, "the authorization server", issuer);
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const response = await attemptFetch(server.name, url, fetch);
    if (response.status >= 500 && response.status !== 502) {
      const message = `the authorization server answered the question for its metadata with HTTP ${response.status}.`;
      throw loginError("gateway/login-failed", server.name, message);
    }
    const found = response.ok ? parseJson(await response.text()) : undefined;
    // Some servers answer what they don't know with a page.
    if (!isObject(found)) continue;
    if (found.issuer !== issuer) {
      const message = `the metadata of the authorization server names another issuer than ${JSON.stringify(issuer)}, where it was looked up. Nothing was sent to it.`;
      throw loginError("gateway/login-untrusted", server.name, message);
    }
    const { success, output } = v.safeParse(metadataSchema, found);
    if (!success) {
      const message = "the metadata of the authorization server is not as RFC 8414 has it.";
      throw loginError("gateway/login-failed", server.name, message);
    }
    for (const name of endpoints) {
      const endpoint = output[name];
      if (endpoint !== undefined) safeUrl(server, `the ${name} of the authorization server`, endpoint);
    }
    return output as IssuerMetadata;
  }
  const message = `the authorization server ${JSON.stringify(issuer)} has no metadata (RFC 8414).`;
  throw loginError("gateway/login-unsupported", server.name, message);
}

async function attemptFetch(server: string, url: URL, fetch: FetchLike): Promise<Response> {
  try {
    return await fetch(url, { headers: { accept: "application/json" } });
  } catch (error) {
    throw loginFault(server, "the question for the metadata of the authorization server", error);
  }
}
