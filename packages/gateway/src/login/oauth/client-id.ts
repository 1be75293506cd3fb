import { type FetchLike, type OAuthClientMetadata, registerClient } from "@modelcontextprotocol/client";
import { attempt, defined } from "@toolglot/internal";
import { isLoopback } from "../../http/hosts.ts";
import { loginError, loginFault } from "../errors.ts";
import type { KeptClient, LoginStore } from "../store/login-store.ts";
import type { OAuthSettings } from "../types.ts";
import type { OAuthClient } from "./client-request.ts";
import type { IssuerMetadata } from "./discover.ts";
import { deviceGrant } from "./grants.ts";
import { covers, unionOf } from "./scopes.ts";

/** As whom the gateway logs in. Everything is of one issuer: another one gets none of it. */
export interface ClientRequest {
  server: string;
  issuer: string;
  metadata: IssuerMetadata;
  /** Where the answers go to. */
  redirectUri: string;
  /** What a registration is kept under: `loopback`, or the address. */
  place: string;
  scope?: string | undefined;
  oauth?: OAuthSettings | undefined;
}

/** Returns the client that needs no registration: the configured one, or the document that describes it. */
function knownClient({ metadata, oauth = {} }: Pick<ClientRequest, "metadata" | "oauth">): OAuthClient | undefined {
  const { clientId, clientSecret, clientMetadataUrl } = oauth;
  if (clientId !== undefined) {
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  }
  const document = clientMetadataUrl === undefined ? undefined : attempt(() => new URL(clientMetadataUrl));
  const isTaken = metadata.client_id_metadata_document_supported === true;
  if (isTaken && clientMetadataUrl !== undefined && document?.protocol === "https:" && document.pathname !== "/") {
    return { client_id: clientMetadataUrl, token_endpoint_auth_method: "none" };
  }
  return undefined;
}

/** Resolves with a client: one that needs no registration, one that was registered before, or a new one. Rejects with `gateway/login-…`. */
export async function clientFor(request: ClientRequest, store: LoginStore, fetch: FetchLike): Promise<OAuthClient> {
  const { server, issuer, redirectUri, place, scope, oauth } = request;
  const known = knownClient(request);
  if (known !== undefined) {
    if (oauth?.clientId !== undefined) await checkBound(server, oauth.clientId, issuer, store);
    return known;
  }
  const kept = await store.readClient(issuer, place);
  if (kept?.redirectUri === redirectUri && covers(kept.scope, scope)) return kept.client;
  // Servers of one issuer share a registration.
  const all = unionOf(kept?.scope, scope);
  const client = await register({ ...request, scope: all }, fetch);
  const made: KeptClient = { client, redirectUri, ...defined({ scope: all }) };
  await store.writeClient(issuer, place, made);
  return client;
}

async function checkBound(server: string, clientId: string, issuer: string, store: LoginStore): Promise<void> {
  const bound = await store.boundIssuer(server, clientId, issuer);
  if (bound === issuer) return;
  const message = `the server names ${JSON.stringify(issuer)} as its authorization server, and oauth.clientId was used at ${JSON.stringify(bound)} before. Nothing was sent. If the change is right, log out, and set oauth.clientId for the new one.`;
  throw loginError("gateway/login-untrusted", server, message);
}

async function register(request: ClientRequest, fetch: FetchLike): Promise<OAuthClient> {
  const { server, issuer, metadata, redirectUri, scope } = request;
  if (metadata.registration_endpoint === undefined) {
    const message =
      "the authorization server registers no clients by itself. Register one there by hand, and set oauth.clientId for this server.";
    throw loginError("gateway/login-unsupported", server, message);
  }
  const methods = metadata.token_endpoint_auth_methods_supported;
  const method = ["none", "client_secret_basic", "client_secret_post"].find((one) => methods?.includes(one));
  const clientMetadata: OAuthClientMetadata = {
    client_name: "toolglot gateway",
    redirect_uris: [redirectUri],
    grant_types: [
      "authorization_code",
      "refresh_token",
      ...(metadata.device_authorization_endpoint === undefined ? [] : [deviceGrant]),
    ],
    response_types: ["code"],
    // A gateway that people reach at an address of its own is no program on their machine.
    application_type: isLoopback(new URL(redirectUri).hostname) ? "native" : "web",
    token_endpoint_auth_method: methods === undefined ? "none" : (method ?? "none"),
  };
  try {
    const made = await registerClient(issuer, {
      metadata,
      clientMetadata,
      ...(scope !== undefined && { scope }),
      fetchFn: fetch,
    });
    const { client_id, client_secret, token_endpoint_auth_method } = made;
    return {
      client_id,
      ...(client_secret !== undefined && { client_secret }),
      ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
    };
  } catch (error) {
    throw loginFault(server, "the registration of this gateway", error);
  }
}
