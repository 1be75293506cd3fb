import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { expect, it, onTestFinished } from "vitest";
import type { LoginPrompt } from "../../src/login/index.ts";
import { authorizationServer, listening } from "./authorization-server.ts";
import { browse, clientOf, guardedServer, logIn, loginsOf, memoryStore, site, whoami } from "./support.ts";

it("logs in with a browser, and calls then go through as that person", async () => {
  const { as, mcp, logins } = await site();
  const client = clientOf(logins, mcp.url);
  await expect(client.listTools()).rejects.toMatchObject({
    code: "toolkit/mcp-unauthorised",
    cause: { message: "it wants a login: run toolglot gateway login tracker" },
  });
  const info = await logIn(logins);
  expect(info).toMatchObject({ server: "tracker", issuer: as.issuer, scope: "read write", isRenewable: true });
  expect(await logins.info("tracker")).toEqual(info);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["whoami", "of_ada"]);
  expect(await whoami(client)).toBe("ada");
  expect(as.registrations).toMatchObject([{ application_type: "native", token_endpoint_auth_method: "none" }]);
  expect(as.tokenRequests).toMatchObject([{ grant_type: "authorization_code", resource: mcp.url }]);
});

it("registers once, and comes back to the registered port where that is free", async () => {
  const { as, logins, options } = await site();
  await logIn(logins);
  await logIn(loginsOf(options));
  expect(as.registrations).toHaveLength(1);
  const [taken] = [...as.clients.values()].flatMap(({ redirects }) => redirects);
  const other = createServer().listen(Number(new URL(taken ?? "").port), "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  onTestFinished(() => void other.close());
  await logIn(logins);
  expect(as.registrations).toHaveLength(2);
});

it("asks for what is configured, else for what the challenge names, and for renewal where that is a scope", async () => {
  const asked: (string | null)[] = [];
  const visit = ({ url }: LoginPrompt) => {
    asked.push(new URL(url).searchParams.get("scope"));
    return browse(url);
  };
  const named = await site({ oauth: { scopes: ["a", "b"] } });
  await logIn(named.logins, "tracker", { visit });
  const challenged = await site();
  challenged.mcp.challenge = ', scope="only this"';
  challenged.as.behaviour.metadata = { scopes_supported: ["offline_access"] };
  await logIn(challenged.logins, "tracker", { visit });
  expect(asked).toEqual(["a b", "only this offline_access"]);
});

it("asks the next time for the scopes that a server missed, and for those that there were, until one logs out", async () => {
  const { mcp, logins, as } = await site();
  const asked: (string | null)[] = [];
  const visit = ({ url }: LoginPrompt) => {
    asked.push(new URL(url).searchParams.get("scope"));
    return browse(url);
  };
  mcp.challenge = ', scope="read"';
  await logIn(logins, "tracker", { visit });
  const scopes = ["admin", "write"];
  for (const scope of scopes) {
    mcp.scope = scope;
    const client = clientOf(logins, mcp.url);
    await expect(whoami(client)).rejects.toMatchObject({
      message: expect.stringContaining(`wants an authorisation with the scope "${scope}"`),
      cause: { message: expect.stringContaining("run toolglot gateway login tracker") },
    });
    await client.close();
  }
  // Not even where the login has ended meanwhile.
  as.expireAll();
  await logIn(logins, "tracker", { visit });
  expect(await whoami(clientOf(logins, mcp.url))).toBe("ada");
  expect(asked).toEqual(["read", "read admin write"]);
  expect(as.registrations.map(({ scope }) => scope)).toEqual(["read", "read admin write"]);
  await logins.logout("tracker");
  await logIn(logins, "tracker", { visit });
  expect(asked.at(-1)).toBe("read");
  expect(as.registrations).toHaveLength(2);
});

it("takes the configured client with its secret, and does not register", async () => {
  const { as, logins } = await site({ oauth: { clientId: "ours", clientSecret: "s3cret+/= ä" } });
  as.clients.set("ours", { redirects: [], secret: "s3cret+/= ä" });
  const visit = ({ url }: LoginPrompt) => {
    as.clients.get("ours")?.redirects.push(new URL(url).searchParams.get("redirect_uri") ?? "");
    return browse(url);
  };
  as.behaviour.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
  await logIn(logins, "tracker", { visit });
  expect(as.registrations).toEqual([]);
  expect(as.tokenRequests).toMatchObject([{ client_id: "ours", client_secret: "s3cret+/= ä" }]);
});

it.each([
  [true, "https://toolglot.example/client.json"],
  [false, undefined],
])("shows the client metadata document where the server takes it: %s", async (takesDocuments, clientId) => {
  const { as, logins } = await site({ oauth: { clientMetadataUrl: "https://toolglot.example/client.json" } });
  as.behaviour.takesDocuments = takesDocuments;
  await logIn(logins);
  expect(as.registrations).toHaveLength(takesDocuments ? 0 : 1);
  if (clientId !== undefined) expect(as.tokenRequests).toMatchObject([{ client_id: clientId }]);
});

it.each<[string, object, string, RegExp]>([
  ["without S256", { code_challenge_methods_supported: ["plain"] }, "gateway/login-unsupported", /S256/],
  ["without a word on PKCE", { code_challenge_methods_supported: undefined }, "gateway/login-unsupported", /S256/],
  ["with another issuer", { issuer: "https://evil.example" }, "gateway/login-untrusted", /another issuer/],
  [
    "with an unsafe endpoint",
    { token_endpoint: "http://as.example/t" },
    "gateway/login-untrusted",
    /token_endpoint.*https/,
  ],
  [
    "with an address that is a program",
    { authorization_endpoint: "file:///bin/sh" },
    "gateway/login-untrusted",
    /https/,
  ],
  ["without endpoints", { token_endpoint: undefined }, "gateway/login-failed", /RFC 8414/],
  ["without registration", { registration_endpoint: undefined }, "gateway/login-unsupported", /oauth\.clientId/],
])("refuses an authorization server %s, before anybody is sent there", async (_case, metadata, code, message) => {
  const { as, logins } = await site();
  as.behaviour.metadata = { ...metadata };
  const prompts: LoginPrompt[] = [];
  const error = await logins
    .login("tracker", { openBrowser: false, onPrompt: (prompt) => prompts.push(prompt) })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(prompts).toEqual([]);
  expect(as.registrations).toEqual([]);
});

it("takes an issuer's name letter for letter: a slash at the end is another name", async () => {
  const { as, mcp, logins } = await site();
  mcp.metadata = { authorization_servers: [`${as.issuer}/`] };
  await expect(logIn(logins)).rejects.toMatchObject({ code: "gateway/login-untrusted" });
});

it.each<[string, string | undefined, boolean, boolean]>([
  ["the right one", "own", false, true],
  ["the right one, announced", "own", true, true],
  ["none", undefined, false, true],
  ["none, though it was announced", undefined, true, false],
  ["another", "https://evil.example", false, false],
  ["one with a slash more", "own/", false, false],
  ["an empty one", "", false, false],
])("compares the issuer in the answer: %s", async (_case, iss, isAnnounced, isTaken) => {
  const { as, logins } = await site();
  as.behaviour.iss = iss?.replace("own", as.issuer);
  as.behaviour.metadata = { authorization_response_iss_parameter_supported: isAnnounced };
  const login = logIn(logins);
  if (isTaken) await login;
  else await expect(login).rejects.toMatchObject({ code: "gateway/login-untrusted" });
  // A code that may be another's is shown to nobody.
  expect(as.tokenRequests).toHaveLength(isTaken ? 1 : 0);
});

it("does not believe another's refusal, either", async () => {
  const { as, logins } = await site();
  Object.assign(as.behaviour, { refuses: true, iss: "https://evil.example" });
  await expect(logIn(logins)).rejects.toMatchObject({ code: "gateway/login-untrusted" });
  as.behaviour.iss = as.issuer;
  const refused = expect.objectContaining({
    code: "gateway/login-refused",
    message: expect.stringContaining("access_denied"),
  });
  await expect(logIn(logins)).rejects.toEqual(refused);
  expect(await logins.info("tracker")).toBeUndefined();
});

it("passes over answers to questions that it did not ask, and takes the right one after them", async () => {
  const { logins } = await site();
  const statuses: number[] = [];
  const visit = async ({ url }: LoginPrompt) => {
    const asked = new URL(url).searchParams;
    const here = asked.get("redirect_uri") ?? "";
    const state = asked.get("state") ?? "";
    const foreign = ["", "?code=x", "?code=x&state=", "?code=x&state=y", `?code=x&state=${state}&state=${state}`];
    for (const query of foreign) statuses.push((await fetch(here + query)).status);
    statuses.push((await fetch(`${new URL(here).origin}/other?state=${state}&code=x`)).status);
    statuses.push((await fetch(`${here}?state=${state}&code=x`, { method: "POST" })).status);
    statuses.push((await browse(url)).status);
  };
  await logIn(logins, "tracker", { visit });
  expect(statuses).toEqual([400, 400, 400, 400, 400, 404, 405, 200]);
});

it("says in the browser whether it worked, in the browser's language, and lets the page do nothing", async () => {
  const { as, logins } = await site();
  const pages: Response[] = [];
  const visit = async ({ url }: LoginPrompt) => {
    const there = await fetch(url, { redirect: "manual" });
    pages.push(await fetch(there.headers.get("location") ?? "", { headers: { "accept-language": "zh-CN" } }));
  };
  await logIn(logins, "tracker", { visit });
  as.behaviour.tokenFault = { status: 400, body: '{"error":"invalid_grant"}' };
  await expect(logIn(logins, "tracker", { visit })).rejects.toMatchObject({ code: "gateway/login-refused" });
  expect(pages.map(({ status }) => status)).toEqual([200, 400]);
  expect(await pages[0]?.text()).toMatch(/lang="zh"[\s\S]*已登录 tracker/);
  expect(pages[0]?.headers.get("content-security-policy")).toContain("default-src 'none'");
});

it("gives up when it is told to, and when nobody comes; its port is free then", async () => {
  const { logins } = await site();
  const given = new AbortController();
  let here = "";
  const visit = ({ url }: LoginPrompt) => {
    here = new URL(url).searchParams.get("redirect_uri") ?? "";
    given.abort();
  };
  const cancelled = { code: "gateway/login-cancelled" };
  await expect(logIn(logins, "tracker", { visit, signal: given.signal })).rejects.toMatchObject(cancelled);
  await expect(fetch(here)).rejects.toThrow();
  await expect(logIn(logins, "tracker", { visit: () => {}, timeoutMs: 50 })).rejects.toMatchObject(cancelled);
});

it("says what is wrong with servers that have no login", async () => {
  const { as, mcp, logins } = await site();
  await expect(logins.login("traker", { onPrompt: () => {} })).rejects.toThrow(/Did you mean "tracker"/);
  mcp.metadata = { authorization_servers: [] };
  await expect(logIn(logins)).rejects.toMatchObject({ code: "gateway/login-unsupported" });
  mcp.metadata = { resource: "https://other.example/mcp" };
  await expect(logIn(logins)).rejects.toMatchObject({ code: "gateway/login-untrusted" });
  const open = await listening({ fetch: () => new Response("nothing", { status: 404 }) });
  const plain = loginsOf({ stateDir: "/nowhere", servers: [{ name: "plain", url: open }] });
  await expect(logIn(plain, "plain")).rejects.toThrow(/put that into headers/);
  const closed = await listening({ fetch: () => new Response(null, { status: 401 }) });
  const keyed = loginsOf({ stateDir: "/nowhere", servers: [{ name: "keyed", url: closed }], store: memoryStore() });
  await expect(clientOf(keyed, closed, "keyed").listTools()).rejects.toMatchObject({
    cause: { message: expect.stringContaining("check the token in its headers") },
  });
  const far = loginsOf({ stateDir: "/nowhere", servers: [{ name: "far", url: "http://mcp.example/mcp" }] });
  await expect(logIn(far, "far")).rejects.toMatchObject({ code: "gateway/login-untrusted" });
  expect(as.registrations).toEqual([]);
});

it("sends the server's own headers to the server alone", async () => {
  const headers = { "x-api-key": "k-0123456789" };
  const sent: [string, string | null][] = [];
  const watch: typeof fetch = (url, init) => {
    sent.push([String(url), new Headers(init?.headers).get("x-api-key")]);
    return fetch(url, init);
  };
  const { mcp, logins } = await site({ headers }, { fetch: watch });
  await logIn(logins);
  expect(sent.length).toBeGreaterThan(3);
  expect(sent.filter(([, key]) => key !== null)).toEqual([[mcp.url, "k-0123456789"]]);
});

it("gives a new issuer neither the client nor the tokens of the old one", async () => {
  const [before, after] = [await authorizationServer(), await authorizationServer()];
  const mcp = await guardedServer([before, after]);
  const server = { name: "tracker", url: mcp.url };
  const { logins, options } = await site({}, { servers: [server] });
  await logIn(logins);
  mcp.metadata = { authorization_servers: [after.issuer] };
  before.expireAccess();
  const bodies: string[] = [];
  const watched = loginsOf({
    ...options,
    fetch: async (url, init) => {
      if (String(url).startsWith(after.issuer)) bodies.push(`${url} ${JSON.stringify(init)} ${init?.body}`);
      return await fetch(url, init);
    },
  });
  await logIn(watched);
  expect(after.registrations).toHaveLength(1);
  expect(bodies.length).toBeGreaterThan(2);
  for (const known of [...before.secrets, ...before.clients.keys()]) expect(bodies.join()).not.toContain(known);
  expect((await watched.info("tracker"))?.issuer).toBe(after.issuer);
  expect(await whoami(clientOf(watched, mcp.url))).toBe("ada");
});

it("does not send a configured client's secret to an issuer that the server names later", async () => {
  const [before, after] = [await authorizationServer(), await authorizationServer()];
  const mcp = await guardedServer([before, after]);
  const oauth = { clientId: "ours", clientSecret: "s3cret-of-ours" };
  const { logins } = await site({}, { servers: [{ name: "tracker", url: mcp.url, oauth }] });
  const visit = ({ url }: LoginPrompt) => {
    const redirects = [new URL(url).searchParams.get("redirect_uri") ?? ""];
    for (const one of [before, after]) one.clients.set("ours", { redirects, secret: "s3cret-of-ours" });
    return browse(url);
  };
  await logIn(logins, "tracker", { visit });
  mcp.metadata = { authorization_servers: [after.issuer] };
  await expect(logIn(logins, "tracker", { visit })).rejects.toMatchObject({ code: "gateway/login-untrusted" });
  expect(after.tokenRequests).toEqual([]);
  await logins.logout("tracker");
  await logIn(logins, "tracker", { visit });
  expect(after.tokenRequests).toHaveLength(1);
});

it("gives a server that took the name of another none of its tokens", async () => {
  const { as, logins, options } = await site();
  await logIn(logins);
  const other = await guardedServer([as]);
  const changed = loginsOf({ ...options, servers: [{ name: "tracker", url: other.url }] });
  await expect(clientOf(changed, other.url).listTools()).rejects.toMatchObject({ code: "toolkit/mcp-unauthorised" });
  expect(other.seen).toEqual([]);
  expect(await changed.info("tracker")).toBeUndefined();
});

it("registers anew when the authorization server has forgotten the client", async () => {
  const { as, logins } = await site();
  await logIn(logins);
  as.behaviour.tokenFault = { status: 401, body: '{"error":"invalid_client"}' };
  await expect(logIn(logins)).rejects.toMatchObject({ code: "gateway/login-refused" });
  as.behaviour.tokenFault = undefined;
  await logIn(logins);
  expect(as.registrations).toHaveLength(2);
});

it("passes over a page in the place of metadata, and finds that of an OpenID provider behind it", async () => {
  const { as, mcp, logins } = await site();
  const behind: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname;
    if (path === "/.well-known/oauth-authorization-server") return new Response("<html>", { status: 200 });
    const real =
      path === "/.well-known/openid-configuration" ? `${as.issuer}/.well-known/oauth-authorization-server` : url;
    return await fetch(real, init);
  };
  const openId = loginsOf({
    stateDir: (await scratchFolder()).path,
    servers: [{ name: "tracker", url: mcp.url }],
    fetch: behind,
    store: memoryStore(),
  });
  await logIn(openId);
  expect(await openId.logout("tracker")).toEqual({ wasLoggedIn: true, isRevoked: true });
  expect(await logins.info("tracker")).toBeUndefined();
});

it("lets the caller see what its own function threw, and frees the port", async () => {
  const { logins } = await site();
  let here = "";
  const onPrompt = ({ url }: LoginPrompt) => {
    here = new URL(url).searchParams.get("redirect_uri") ?? "";
    throw new RangeError("no terminal");
  };
  await expect(logins.login("tracker", { openBrowser: false, onPrompt })).rejects.toThrow(RangeError);
  await expect(fetch(here)).rejects.toThrow();
});

it("has this machine send nothing to itself for a server elsewhere", async () => {
  const sent: string[] = [];
  const elsewhere: typeof fetch = async (url) => {
    sent.push(String(url));
    const found = { resource: "https://mcp.example/mcp", authorization_servers: ["http://127.0.0.1:9"] };
    return String(url).endsWith("/mcp") ? new Response(null, { status: 401 }) : Response.json(found);
  };
  const { path: stateDir } = await scratchFolder();
  const servers = [{ name: "far", url: "https://mcp.example/mcp" }];
  const logins = loginsOf({ stateDir, servers, fetch: elsewhere, store: memoryStore() });
  await expect(logIn(logins, "far")).rejects.toMatchObject({ code: "gateway/login-untrusted" });
  expect(sent.filter((url) => url.includes("127.0.0.1"))).toEqual([]);
});

it("withstands requests to its port that are none", async () => {
  const { logins } = await site();
  const visit = async ({ url }: LoginPrompt) => {
    const { port, host } = new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
    for (const line of ["GET // HTTP/1.1", "GET http://[ HTTP/1.1", "nonsense", "OPTIONS * HTTP/1.1"]) {
      const socket = connect(Number(port), "127.0.0.1").setEncoding("latin1");
      socket.end(`${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 40\d/);
    }
    await browse(url);
  };
  await logIn(logins, "tracker", { visit });
});

it("does not follow an authorization server elsewhere with what it sends", async () => {
  const { as, logins } = await site();
  const got: string[] = [];
  as.behaviour.movedTo = await listening({
    fetch: async (request) => {
      got.push(await request.text());
      return new Response("{}");
    },
  });
  await expect(logIn(logins)).rejects.toMatchObject({ code: "gateway/login-refused" });
  expect(got).toEqual([]);
});
