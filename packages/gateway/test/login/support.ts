import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import type { SecretStore } from "@toolglot/secrets";
import { createMcpClient, type McpClient } from "@toolglot/toolkit/mcp";
import { Hono } from "hono";
import { onTestFinished } from "vitest";
import {
  createUpstreamLogins,
  type GatewayLogins,
  type LoginOptions,
  type LoginPrompt,
  type LoginServer,
  type UpstreamLoginsOptions,
} from "../../src/login/index.ts";
import { type AuthorizationServer, authorizationServer, listening } from "./authorization-server.ts";

/** An MCP server behind a login. */
export interface Guarded {
  url: string;
  /** What its resource metadata says besides; a test may change it. */
  metadata: Record<string, unknown>;
  /** Bearer tokens that came to it. */
  seen: string[];
  /** What its challenge says besides `resource_metadata`. */
  challenge: string;
  /** What a call of a tool needs a token for, besides what others need. */
  scope?: string;
}

/** An MCP server of the official SDK, with a tool that says whose token came, and one that its holder alone has, for tokens of these authorization servers. */
export async function guardedServer(issuers: readonly AuthorizationServer[]): Promise<Guarded> {
  const handler = createMcpHandler(({ authInfo }) => {
    const server = new McpServer({ name: "guarded", version: "1.0.0" });
    server.registerTool(
      "whoami",
      { description: "Says who calls.", annotations: { readOnlyHint: true } },
      (context) => ({
        content: [{ type: "text", text: String(context.http?.authInfo?.clientId) }],
      }),
    );
    server.registerTool(`of_${authInfo?.clientId}`, { annotations: { readOnlyHint: true } }, () => ({ content: [] }));
    return server;
  });
  const app = new Hono();
  const state: Guarded = { url: "", metadata: {}, seen: [], challenge: "" };
  app.get("/.well-known/oauth-protected-resource/mcp", (context) =>
    context.json({
      resource: state.url,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      scopes_supported: ["read", "write"],
      ...state.metadata,
    }),
  );
  app.all("/mcp", async (context) => {
    const token = /^Bearer (.+)$/.exec(context.req.header("authorization") ?? "")?.[1];
    if (token !== undefined) state.seen.push(token);
    const grant = issuers.map((server) => server.check(token ?? "")).find((one) => one !== undefined);
    if (grant?.resource !== state.url) {
      const where = `${new URL(state.url).origin}/.well-known/oauth-protected-resource/mcp`;
      return context.body(null, 401, {
        "www-authenticate": `Bearer resource_metadata="${where}"${state.challenge}`,
      });
    }
    const isCall = (await context.req.raw.clone().text()).includes("tools/call");
    if (isCall && state.scope !== undefined && !grant.scope.split(" ").includes(state.scope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${state.scope}"`;
      return context.body(null, 403, { "www-authenticate": challenge });
    }
    // The SDK hands on what was found out of a token; the name of its holder goes as the client's.
    const authInfo = { token: token ?? "", clientId: grant.user, scopes: [] };
    return await handler.fetch(context.req.raw, { authInfo });
  });
  state.url = `${await listening(app)}/mcp`;
  return state;
}

/** A login of a test: an authorization server, a server behind it, and logins in a folder of their own. */
export interface Site {
  as: AuthorizationServer;
  mcp: Guarded;
  logins: GatewayLogins;
  /** What the logins were made with: others that are made with it share what is kept. */
  options: UpstreamLoginsOptions;
}

/** What is kept stays in memory, unless `options` say otherwise: to unlock a file takes long, on purpose. */
export async function site(
  server: Partial<LoginServer> = {},
  changes: Partial<UpstreamLoginsOptions> = {},
): Promise<Site> {
  const as = await authorizationServer();
  const mcp = await guardedServer([as]);
  const stateDir = (await scratchFolder()).at("state");
  const servers = [{ name: "tracker", url: mcp.url, ...server }];
  const options: UpstreamLoginsOptions = { stateDir, servers, store: memoryStore(), ...changes };
  return { as, mcp, logins: loginsOf(options), options };
}

/** The same, with logins in an encrypted file. */
export async function fileSite(server: Partial<LoginServer> = {}): Promise<Site> {
  const { as, mcp, options } = await site(server);
  const { store: _, ...kept } = options;
  return { as, mcp, logins: loginsOf(kept), options: kept };
}

export function loginsOf(options: UpstreamLoginsOptions): GatewayLogins {
  const logins = createUpstreamLogins({ watchMs: 20, ...options });
  onTestFinished(() => logins.close());
  return logins;
}

/** Opens an address as a browser does, and stays where it was sent. */
export async function browse(url: string, user = "ada"): Promise<Response> {
  const there = await fetch(url, { headers: { "x-test-user": user }, redirect: "manual" });
  const back = there.headers.get("location");
  return back === null ? there : await fetch(back);
}

/** Logs in as a person who does as they are told. */
export async function logIn(
  logins: GatewayLogins,
  server = "tracker",
  options: Partial<LoginOptions> & { user?: string; visit?: (prompt: LoginPrompt) => unknown } = {},
): Promise<ReturnType<GatewayLogins["login"]> extends Promise<infer Info> ? Info : never> {
  const { user = "ada", visit = ({ url }) => browse(url, user), ...rest } = options;
  const visits: unknown[] = [];
  const onPrompt: LoginOptions["onPrompt"] = (prompt) => visits.push(visit(prompt));
  try {
    return await logins.login(server, { openBrowser: false, onPrompt, ...rest });
  } finally {
    await Promise.allSettled(visits);
  }
}

/** An MCP client that signs with the login. */
export function clientOf(logins: GatewayLogins, url: string, name = "tracker", principal?: { id: string }): McpClient {
  const authProvider = logins.authProviderOf(name, principal);
  const client = createMcpClient({
    name,
    transport: { type: "http", url, authProvider, fetch: logins.fetchOf(name, principal) },
  });
  onTestFinished(() => client.close());
  return client;
}

/** Calls the tool that says whose token came. */
export async function whoami(client: McpClient): Promise<string> {
  const { content } = await client.callTool({ name: "whoami", arguments: {}, repeatable: true });
  const [first] = (content ?? []) as readonly { text?: string }[];
  return first?.text ?? "";
}

/** Logins in this process's memory: nothing has to be unlocked. */
export function memoryStore(): SecretStore {
  const entries = new Map<string, { name: string; scope: string; at: number; value: string }>();
  const keyOf = (name: string, scope: string): string => JSON.stringify([name, scope]);
  return {
    kind: "memory",
    list: async () => [...entries.values()].map(({ name, scope, at }) => ({ name, scope, at })),
    get: async (name, scope) => entries.get(keyOf(name, scope)),
    set: async (name, scope, { value }) => {
      entries.set(keyOf(name, scope), { name, scope, at: performance.now(), value });
    },
    remove: async (name, scope) => entries.delete(keyOf(name, scope)),
  };
}
