import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { principal } from "@toolglot/trp-core";
import fc from "fast-check";
import { Hono } from "hono";
import { expect, it } from "vitest";
import type { ConnectOptions, GatewayLogins, UpstreamLoginsOptions } from "../../src/login/index.ts";
import { type AuthorizationServer, authorizationServer } from "./authorization-server.ts";
import { clientOf, type Guarded, guardedServer, loginsOf, memoryStore, whoami } from "./support.ts";

const people = ["ada", "bob"] as const;
const tokenOf = (who: string): string => `tg1_token_of_${who}`;
const origin = "https://tools.example";

/** Whose token a header has; `boss` is an approver. */
const whose = (authorization: string | undefined) => {
  const id = /^Bearer tg1_token_of_(ada|bob|boss)$/.exec(authorization ?? "")?.[1];
  return id === undefined ? undefined : principal({ id, roles: id === "boss" ? ["approver"] : [] });
};

interface Gateway {
  as: AuthorizationServer;
  /** By name: `one` and `two` want a login of each caller, `all` has one for all. */
  mcp: Record<"all" | "one" | "two", Guarded>;
  logins: GatewayLogins;
  options: UpstreamLoginsOptions;
  app: Hono;
}

async function gateway(changes: Partial<ConnectOptions> = {}): Promise<Gateway> {
  const as = await authorizationServer();
  const [one, two, all] = [await guardedServer([as]), await guardedServer([as]), await guardedServer([as])];
  const servers: UpstreamLoginsOptions["servers"] = [
    { name: "one", url: one.url, credentials: "caller" },
    { name: "two", url: two.url, credentials: "caller" },
    { name: "all", url: all.url },
  ];
  const options = {
    // Of locks alone.
    stateDir: (await scratchFolder()).path,
    servers,
    store: memoryStore(),
    publicUrl: `${origin}/ignored`,
    secret: "x".repeat(43),
  };
  const logins = loginsOf(options);
  return { as, mcp: { one, two, all }, logins, options, app: await mounted(logins, changes) };
}

async function mounted(logins: GatewayLogins, changes: Partial<ConnectOptions> = {}): Promise<Hono> {
  const routes = await logins.connectRoutes({
    identify: (context) => whose(context.req.header("authorization")),
    authenticate: async (authorization) => whose(authorization),
    ...changes,
  });
  return new Hono().route("/connect", routes as unknown as Hono);
}

/** A browser: it keeps cookies, and sends them where they belong. */
class Browser {
  readonly #jar = new Map<string, { value: string; path: string }>();

  async go(app: Hono, url: string, init: RequestInit = {}): Promise<Response> {
    const path = new URL(url).pathname;
    const cookie = [...this.#jar]
      .filter(([, kept]) => path.startsWith(kept.path))
      .map(([name, { value }]) => `${name}=${value}`);
    const headers = { ...(init.headers as Record<string, string>), cookie: cookie.join("; ") };
    const response = await app.request(url, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.#jar.delete(name);
      else this.#jar.set(name, { value, path: /path=([^;]+)/i.exec(line)?.[1] ?? "/" });
    }
    return response;
  }
}

const page = (server: string): string => `${origin}/connect/${server}`;

/** Sends the form of the page, with a token; resolves with the answer. */
async function begin(app: Hono, browser: Browser, server: string, who: string, ticket?: string): Promise<Response> {
  const body = new URLSearchParams({ token: tokenOf(who), ...(ticket !== undefined && { for: ticket }) });
  return await browser.go(app, page(server), { method: "POST", body, headers: { "sec-fetch-site": "same-origin" } });
}

/** Where the page leads on to. */
async function onward(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  const href = /<a href="([^"]+)"/.exec(await response.text())?.[1] ?? "";
  return href.replaceAll("&amp;", "&");
}

/** The authorization server's answer, as the address that a browser is sent to. `user`: who is signed in there. */
async function answerOf(authorizationUrl: string, user: string): Promise<string> {
  const response = await fetch(authorizationUrl, { headers: { "x-test-user": user }, redirect: "manual" });
  return response.headers.get("location") ?? "";
}

it("logs a principal in with a browser, and counts for that principal alone", async () => {
  const { as, app, logins, mcp } = await gateway();
  const link = logins.connectLink("one", { id: "ada" }) ?? "";
  const browser = new Browser();
  const asked = await browser.go(app, link);
  expect(asked.status).toBe(401);
  const form = await asked.text();
  expect(form).toContain('name="token"');
  const ticket = /name="for" value="([^"]+)"/.exec(form)?.[1];
  const started = await begin(app, browser, "one", "ada", ticket);
  const csp = started.headers.get("content-security-policy") ?? "";
  expect(csp).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  const [cookie = ""] = started.headers.getSetCookie();
  expect(cookie).toMatch(/HttpOnly/i);
  expect(cookie).toMatch(/SameSite=Lax/i);
  expect(cookie).toMatch(/Secure/i);
  const done = await browser.go(app, await answerOf(await onward(started), "ada"));
  expect(done.status).toBe(200);
  expect(as.registrations).toMatchObject([{ application_type: "web", redirect_uris: [`${page("one")}/callback`] }]);
  expect(await whoami(clientOf(logins, mcp.one.url, "one", { id: "ada" }))).toBe("ada");
  for (const [server, who] of [
    ["one", "bob"],
    ["two", "ada"],
  ] as const) {
    const other = clientOf(logins, mcp[server].url, server, { id: who });
    const error: unknown = await other.listTools().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "toolkit/mcp-unauthorised" });
    expect((error as Error).cause).toMatchObject({ message: expect.stringContaining(`/connect/${server}?for=`) });
  }
  expect(mcp.two.seen).toEqual([]);
});

it("refuses a link in another's hands, one that was changed, and one that is over", async () => {
  const { app, logins } = await gateway();
  const ticketOf = (server: string, id: string) =>
    new URL(logins.connectLink(server, { id }) ?? "").searchParams.get("for") ?? "";
  const good = ticketOf("one", "ada");
  const tickets = [
    ticketOf("one", "bob"),
    ticketOf("two", "ada"),
    `${good}x`,
    good.replace(/^\d/, "2"),
    "",
    "1.x",
    good.replace(/^\d+/, "1"),
  ];
  for (const ticket of tickets) expect((await begin(app, new Browser(), "one", "ada", ticket)).status).toBe(403);
  expect((await begin(app, new Browser(), "one", "ada", good)).status).toBe(200);
});

it("takes an answer in the browser alone in which its principal began", async () => {
  const { app, logins } = await gateway();
  const [adas, bobs] = [new Browser(), new Browser()];
  const adasAnswer = await answerOf(await onward(await begin(app, adas, "one", "ada")), "ada");
  const bobsAnswer = await answerOf(await onward(await begin(app, bobs, "one", "bob")), "bob");
  // Each is sent the other's answer: Ada's account would become Bob's.
  for (const [browser, answer] of [
    [bobs, adasAnswer],
    [adas, bobsAnswer],
    [new Browser(), adasAnswer],
  ] as const) {
    expect((await browser.go(app, answer)).status).toBe(400);
  }
  // Somebody else is signed in in that browser by now.
  const headers = { authorization: `Bearer ${tokenOf("bob")}` };
  expect((await adas.go(app, adasAnswer.replace("callback?", "callback?x=1&"), { headers })).status).toBe(400);
  expect(await logins.info("one", { id: "ada" })).toBeUndefined();
  expect((await bobs.go(app, bobsAnswer)).status).toBe(200);
  expect(await logins.info("one", { id: "bob" })).toBeDefined();
  // Used up.
  expect((await bobs.go(app, bobsAnswer)).status).toBe(400);
});

it("takes an answer at another replica with the same secret, and at none with another", async () => {
  const { app, options, logins } = await gateway();
  const browser = new Browser();
  const answer = await answerOf(await onward(await begin(app, browser, "one", "ada")), "ada");
  const stranger = await mounted(loginsOf({ ...options, secret: "y".repeat(43) }));
  expect((await browser.go(stranger, answer)).status).toBe(400);
  expect((await browser.go(await mounted(loginsOf(options)), answer)).status).toBe(200);
  expect(await logins.info("one", { id: "ada" })).toBeDefined();
});

it("lets an approver alone log in for everybody, also with the link that another's call was answered with", async () => {
  const { app, logins, mcp } = await gateway();
  expect((await begin(app, new Browser(), "all", "ada")).status).toBe(403);
  const told = JSON.stringify(await logins.connectTool("all").call({ id: "ada" }));
  expect(told).toContain(`${page("all")} in a browser and sign in with the gateway token of an approver`);
  const browser = new Browser();
  const answer = await answerOf(await onward(await begin(app, browser, "all", "boss")), "team");
  expect((await browser.go(app, answer)).status).toBe(200);
  expect(await whoami(clientOf(logins, mcp.all.url, "all"))).toBe("team");
});

it("shows strangers no names, forms of other sites nothing, and everybody a page in their language", async () => {
  const { app, as } = await gateway();
  const get = (path: string, headers: Record<string, string> = {}) => app.request(origin + path, { headers });
  expect((await get("/connect/nothing")).status).toBe(401);
  const bearer = { authorization: `Bearer ${tokenOf("ada")}` };
  expect((await get("/connect/nothing", bearer)).status).toBe(404);
  expect(await (await get("/connect/one", { ...bearer, "accept-language": "zh-CN" })).text()).toContain('lang="zh"');
  const hostile = await (await get("/connect/%3Cscript%3Ealert(1)%3C%2Fscript%3E")).text();
  expect(hostile).not.toContain("<script>");
  const post = (headers: Record<string, string>, body: string) =>
    app.request(page("one"), { method: "POST", headers, body: new URLSearchParams({ token: body }) });
  expect((await post({ "sec-fetch-site": "cross-site" }, tokenOf("ada"))).status).toBe(403);
  expect((await post({}, "tg1_wrong")).status).toBe(401);
  expect((await post({}, "x".repeat(10_000))).status).toBe(413);
  as.behaviour.metadata = { code_challenge_methods_supported: [] };
  const impossible = await post({}, tokenOf("ada"));
  expect(impossible.status).toBe(502);
  expect(await impossible.text()).toContain("S256");
});

it("offers a tool in place of tools that are behind a login", async () => {
  const { logins, app, options } = await gateway();
  const { tool, call } = logins.connectTool("one");
  expect(tool).toMatchObject({
    name: "one__connect",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false },
  });
  const { content } = await call({ id: "ada" });
  const [link = ""] = JSON.stringify(content).match(/https:[^" ]+/) ?? [];
  const browser = new Browser();
  expect((await browser.go(app, link)).status).toBe(401);
  const ticket = new URL(link).searchParams.get("for") ?? "";
  await browser.go(app, await answerOf(await onward(await begin(app, browser, "one", "ada", ticket)), "ada"));
  expect(JSON.stringify(await call({ id: "ada" }))).toContain("has a login");
  // Without an address of its own, the gateway waits on its machine.
  const { publicUrl: _, ...local } = options;
  const here = loginsOf(local);
  const said = JSON.stringify(await here.connectTool("all").call({ id: "ada" }));
  const again = JSON.stringify(await here.connectTool("all").call({ id: "ada" }));
  const [there = ""] = said.match(/http:[^" ]+/) ?? [];
  expect(again).toContain("http:");
  expect((await fetch(await answerOf(there, "ada"))).status).toBe(200);
  expect(await here.info("all")).toBeDefined();
});

it("never mixes logins of callers, in whatever order two people log in at two servers", async () => {
  const { as, app, logins, mcp } = await gateway();
  const pairs = people.flatMap((who) => (["one", "two"] as const).map((server) => ({ who, server })));
  const step = fc.record({
    act: fc.constantFrom("begin", "finish", "swap", "call", "logout", "expire"),
    pair: fc.constantFrom(...pairs),
    other: fc.constantFrom(...pairs),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), fc.boolean(), async (steps, isShort) => {
      as.behaviour.firstLifeS = isShort ? 0 : 3600;
      const browsers = { ada: new Browser(), bob: new Browser() };
      const answers = new Map<string, string>();
      const known = new Set<string>();
      const keyOf = ({ who, server }: (typeof pairs)[number]) => `${who} at ${server}`;
      for (const { who, server } of pairs) await logins.logout(server, { id: who });
      for (const { act, pair, other } of steps) {
        const { who, server } = pair;
        const answer = answers.get(keyOf(pair));
        if (act === "begin") {
          const asked = await onward(await begin(app, browsers[who], server, who));
          answers.set(keyOf(pair), await answerOf(asked, who));
        } else if (act === "finish" && answer !== undefined) {
          answers.delete(keyOf(pair));
          expect((await browsers[who].go(app, answer)).status).toBe(200);
          known.add(keyOf(pair));
        } else if (act === "swap" && answer !== undefined && (other.who !== who || other.server !== server)) {
          // The answer in another's browser, or at another server.
          const moved = answer.replace(`/connect/${server}/`, `/connect/${other.server}/`);
          expect((await browsers[other.who].go(app, moved)).status).toBe(400);
        } else if (act === "logout") {
          await logins.logout(server, { id: who });
          known.delete(keyOf(pair));
        } else if (act === "expire") {
          as.expireAccess();
        }
        const given = await logins.authProviderOf(server, { id: who }).token();
        expect(given !== undefined).toBe(known.has(keyOf(pair)));
        const grant = as.check(given ?? "");
        if (grant !== undefined) expect([grant.user, grant.resource]).toEqual([who, mcp[server].url]);
      }
    }),
    { numRuns: 25 },
  );
});
