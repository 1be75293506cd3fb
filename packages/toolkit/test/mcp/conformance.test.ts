import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Toolkit, ToolkitError } from "../../src/index.ts";
import { createMcpClient, type McpClient } from "../../src/mcp/index.ts";
import { final } from "../support.ts";
import { fixture } from "./support.ts";

/** Those of the official tool for clients of 2025-11-25. */
const scenarios = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
];

interface Order {
  url: string;
  scenario: string;
  context?: { client_id?: string; client_secret?: string };
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

/** What a person and a browser do at the address. */
async function consent(client: McpClient, error: unknown): Promise<void> {
  if (!ToolkitError.isInstance(error) || error.code !== "toolkit/mcp-unauthorised") throw error;
  const response = await fetch(String(error.data.authorizationUrl), { redirect: "manual" });
  await client.finishAuth(new URL(String(response.headers.get("location"))).searchParams);
}

/** A host that registers the server's tools and calls each. */
async function play({ url, scenario, context }: Order): Promise<void> {
  const refused: Error[] = [];
  const client = createMcpClient({
    name: "conformance",
    transport: { type: "http", url, ...(scenario.startsWith("auth/") && { authProvider: memoryProvider(context) }) },
    elicitation: () => ({ action: "accept", content: {} }),
    onError: (error) => {
      if (ToolkitError.isInstance(error)) refused.push(error);
    },
  });
  const kit = new Toolkit();
  try {
    await kit.registerMcpClient(client).catch(async (error: unknown) => {
      await consent(client, error);
      await kit.registerMcpClient(client);
    });
    for (const { name } of kit.definitions()) {
      const call = { name, input: name === "add_numbers" ? { a: 5, b: 3 } : {} };
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
