import { type FetchLike, selectClientAuthMethod } from "@modelcontextprotocol/client";

/** The gateway, as an authorization server knows it. */
export interface OAuthClient {
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
}

/** Posts a form for which the official client has no function. It names the client as that one does when it asks for tokens. */
export async function clientRequest(
  url: string,
  form: Readonly<Record<string, string | undefined>>,
  client: OAuthClient,
  methods: string[],
  fetch: FetchLike,
): Promise<Response> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  const headers: Record<string, string> = { accept: "application/json" };
  const { client_id: id, client_secret: secret } = client;
  if (selectClientAuthMethod(client, methods) === "client_secret_basic") {
    headers.authorization = `Basic ${Buffer.from(`${id}:${secret ?? ""}`, "latin1").toString("base64")}`;
  } else {
    body.set("client_id", id);
    if (secret !== undefined) body.set("client_secret", secret);
  }
  return await fetch(url, { method: "POST", headers, body, redirect: "error" });
}
