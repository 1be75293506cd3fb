import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolglot/core";
import { someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Toolkit, ToolkitError } from "../../src/index.ts";
import { createMcpClient, type McpClient, type McpListedTool } from "../../src/mcp/index.ts";
import { final } from "../support.ts";
import { fixture } from "./support.ts";

/** Those of the official tool for clients, but for skills, which the toolkit does not load from servers. */
const scenarios = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
  ...[
    "metadata-default",
    "metadata-var1",
    "metadata-var2",
    "metadata-var3",
    "basic-cimd",
    "scope-from-www-authenticate",
    "scope-from-scopes-supported",
    "scope-omitted-when-undefined",
    "scope-step-up",
    "scope-retry-limit",
    "token-endpoint-auth-basic",
    "token-endpoint-auth-post",
    "token-endpoint-auth-none",
    "pre-registration",
    "2025-03-26-oauth-metadata-backcompat",
    "2025-03-26-oauth-endpoint-fallback",
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "authorization-server-migration",
    "iss-supported",
    "iss-not-advertised",
    "iss-supported-missing",
    "iss-wrong-issuer",
    "iss-unexpected",
    "iss-normalized",
    "metadata-issuer-mismatch",
    "client-credentials-jwt",
    "client-credentials-basic",
    "enterprise-managed-authorization",
    "dpop",
    "dpop-nonce",
    "wif-jwt-bearer",
  ].map((name) => `auth/${name}`),
];

interface Order {
  url: string;
  scenario: string;
  context?: Record<string, string> & { toolCalls?: Call[] };
}

interface Call {
  name: string;
  arguments: JsonObject;
}

/** As a host writes one that keeps everything in memory. */
function memoryProvider({ client_id, client_secret }: NonNullable<Order["context"]> = {}): OAuthClientProvider {
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  let verifier = "";
  let discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
  let information: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  if (client_id !== undefined) information = { client_id, ...(client_secret !== undefined && { client_secret }) };
  return {
    redirectUrl: "http://localhost:3000/callback",
    clientMetadata: { client_name: "toolglot", redirect_uris: ["http://localhost:3000/callback"] },
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    clientInformation: () => information,
    saveClientInformation: (given) => {
      information = given;
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: () => {},
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (given) => {
      discovery = given;
    },
    discoveryState: () => discovery,
  };
}

/** As a host takes one of the official client's. */
function providerOf(scenario: string, context: Record<string, string> = {}): OAuthClientProvider {
  const { client_id: clientId = "", client_secret: clientSecret = "" } = context;
  switch (scenario) {
    case "auth/client-credentials-basic":
      return new ClientCredentialsProvider({ clientId, clientSecret });
    case "auth/client-credentials-jwt":
      return new PrivateKeyJwtProvider({
        clientId,
        privateKey: context.private_key_pem ?? "",
        algorithm: context.signing_algorithm ?? "",
      });
    case "auth/enterprise-managed-authorization":
    case "auth/cross-app-access-complete-flow":
      return new CrossAppAccessProvider({
        clientId,
        clientSecret,
        assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, scope, fetchFn }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            ...{ tokenEndpoint: context.idp_token_endpoint ?? "", audience, resource, fetchFn },
            ...{ idToken: context.idp_id_token ?? "", clientId: context.idp_client_id ?? "" },
            ...(scope !== undefined && { scope }),
          });
          return jwtAuthGrant;
        },
      });
    case "auth/wif-jwt-bearer":
      return {
        ...memoryProvider({ client_id: clientId }),
        redirectUrl: undefined,
        prepareTokenRequest: (scope) =>
          new URLSearchParams({
            grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
            assertion: context.valid_jwt ?? "",
            ...(scope !== undefined && { scope }),
          }),
      };
    case "auth/dpop":
    case "auth/dpop-nonce": {
      const session = DpopSession.create();
      return { ...memoryProvider(context), dpop: () => session };
    }
    case "auth/authorization-server-migration": {
      // The official client asks nobody anew while it has what it found before.
      const { discoveryState, saveDiscoveryState, ...provider } = memoryProvider(context);
      return provider;
    }
    default:
      return memoryProvider(context);
  }
}

/** What a person and a browser do at the address. */
async function consent(client: McpClient, error: unknown): Promise<void> {
  if (!ToolkitError.isInstance(error) || error.code !== "toolkit/mcp-unauthorised") throw error;
  const response = await fetch(String(error.data.authorizationUrl), { redirect: "manual" });
  await client.finishAuth(new URL(String(response.headers.get("location"))).searchParams);
}

/** One call of each tool: with numbers, texts, and the schema of the first where one is asked for. */
function callsOf(tools: readonly McpListedTool[]): Call[] {
  const [first] = tools;
  return tools
    .filter(({ unusable }) => unusable === undefined)
    .map(({ name, inputSchema: { properties = {} } }) => {
      const values: JsonObject = { a: 5, b: 3, schema: (first?.inputSchema ?? {}) as JsonObject };
      return { name, arguments: Object.fromEntries(Object.keys(properties).map((key) => [key, values[key] ?? "x"])) };
    });
}

/** A host that registers the server's tools and calls each. */
async function play({ url, scenario, context }: Order): Promise<void> {
  const refused: Error[] = [];
  const client = createMcpClient({
    name: "conformance",
    transport: {
      type: "http",
      url,
      ...(scenario.startsWith("auth/") && { authProvider: providerOf(scenario, context) }),
    },
    elicitation: () => ({ action: "accept", content: {} }),
    onError: (error) => {
      if (ToolkitError.isInstance(error)) refused.push(error);
    },
  });
  const kit = new Toolkit();
  try {
    const asked = async <Result>(ask: () => Promise<Result>, tries = 2): Promise<Result> =>
      ask().catch(async (error: unknown) => {
        await consent(client, error);
        return tries > 1 ? asked(ask, tries - 1) : ask();
      });
    await asked(() => kit.registerMcpClient(client));
    for (const { name, arguments: input } of context?.toolCalls ?? callsOf(await asked(() => client.listTools()))) {
      const call = { name, input };
      for (let tries = 0; tries < 3; tries += 1) {
        const { status } = await final(kit, call);
        const refusal = refused.shift();
        if (status === "ok" || refusal === undefined) break;
        await consent(client, refusal);
      }
    }
  } finally {
    await kit.close();
    await client.close();
  }
}

// The tool starts the client as a command; this one calls back.
const host = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  await play(JSON.parse(Buffer.concat(chunks).toString()) as Order).then(
    () => response.end(),
    (error: Error) => response.writeHead(500).end(String(error.stack)),
  );
});
beforeAll(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)));
afterAll(() => void host.close());

const tool = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** Runs the official tool with one of its scenarios: its exit code and its words. */
function conformance(scenario: string): Promise<{ code: number; said: string }> {
  const { port } = host.address() as AddressInfo;
  const command = `"${process.execPath}" ${fixture("forward.mjs")} ${port}`;
  const args = [
    "--import",
    fixture("lean-conformance.mjs"),
    tool,
    "client",
    "--scenario",
    scenario,
    "--command",
    command,
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr });
    });
  });
}

const always = ["elicitation-sep1034-client-defaults", "auth/scope-step-up"];

it.each(someOf(scenarios, 0, always))("passes the official scenario %s", async (scenario) => {
  const { code, said } = await conformance(scenario);
  expect(code, said).toBe(0);
  expect(said).toMatch(/0 failed/);
});
