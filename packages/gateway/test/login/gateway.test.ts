import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolglot/core";
import { expect, it, onTestFinished, vi } from "vitest";
import { open } from "../gateway/support.ts";
import { authorizationServer } from "./authorization-server.ts";
import { browse, guardedServer, logIn, loginsOf } from "./support.ts";

async function gateway(settings: JsonObject = {}) {
  const as = await authorizationServer();
  const mcp = await guardedServer([as]);
  const opened = await open({ tracker: { url: mcp.url } }, settings);
  onTestFinished(() => opened.gateway.close());
  await opened.gateway.settled();
  const { url } = await opened.gateway.listen();
  const connect = async (token: string, options: ConstructorParameters<typeof Client>[1] = {}): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" }, options);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  };
  const client = await connect(opened.token);
  const namesOf = async (asked: Client): Promise<string[]> => (await asked.listTools()).tools.map(({ name }) => name);
  const names = (): Promise<string[]> => namesOf(client);
  return { ...opened, as, mcp, client, connect, url, names, namesOf };
}

/** Goes where a link leads, as somebody with a token here and an account there. Resolves with the status of the last page. */
async function follow(link: string, token: string, user: string): Promise<number> {
  const ticket = new URL(link).searchParams.get("for");
  const body = new URLSearchParams({ token, ...(ticket !== null && { for: ticket }) });
  const started = await fetch(link, { method: "POST", body });
  if (started.status !== 200) return started.status;
  const cookie = started.headers.getSetCookie().map((line) => line.split(";")[0]);
  const there = /<a href="([^"]+)"/.exec(await started.text())?.[1]?.replaceAll("&amp;", "&") ?? "";
  const sent = await fetch(there, { headers: { "x-test-user": user }, redirect: "manual" });
  return (await fetch(sent.headers.get("location") ?? "", { headers: { cookie: cookie.join("; ") } })).status;
}

it("shows the tool to log in, leads a person through it, and then the server's tools", async () => {
  const { as, mcp, client, url, approver, lines, names } = await gateway();
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
  expect(await names()).not.toContain("tracker__whoami");
  const { content } = await client.callTool({ name: "tracker__connect", arguments: {} });
  const [link = ""] = JSON.stringify(content).match(/http:[^" ]+/) ?? [];
  expect(link).toBe(`${new URL(url).origin}/connect/tracker`);
  expect(await follow(link, approver, "team")).toBe(200);
  await vi.waitFor(async () => expect(await names()).toContain("tracker__whoami"), { timeout: 20_000 });
  expect(await names()).not.toContain("tracker__connect");
  const answer = await client.callTool({ name: "tracker__whoami", arguments: {} });
  expect(answer.content).toEqual([{ type: "text", text: "team" }]);
  for (const secret of as.secrets) expect(JSON.stringify([lines, answer])).not.toContain(secret);
  // The gateway's own tokens stay here.
  expect(mcp.seen.filter((token) => token.startsWith("tg1_"))).toEqual([]);
});

it("has the tools after a login with the command, without a restart, and none after a logout", async () => {
  const { mcp, folder, names, client } = await gateway();
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
  const command = loginsOf({ stateDir: folder, servers: [{ name: "tracker", url: mcp.url }] });
  await logIn(command, "tracker", { visit: ({ url }) => browse(url, "ada") });
  await vi.waitFor(async () => expect(await names()).toContain("tracker__whoami"), { timeout: 20_000 });
  await command.logout("tracker");
  const refused = await client.callTool({ name: "tracker__whoami", arguments: {} });
  expect(refused.isError).toBe(true);
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
});

it("calls with each caller's own login, and asks those who have none to log in", async () => {
  const { mcp, client, connect, token, approver, names, namesOf, folder } = await gateway({
    servers: { tracker: { credentials: "caller" } },
  });
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
  const other = await connect(approver);
  const linkOf = async (asked: Client, name: string): Promise<string> => {
    const { content } = await asked.callTool({ name, arguments: {} });
    return JSON.stringify(content).match(/http:[^" ]+/)?.[0] ?? "";
  };
  const first = await linkOf(client, "tracker__connect");
  expect(await follow(first, approver, "bob")).toBe(403);
  expect(await follow(first, token, "bob")).toBe(200);
  await vi.waitFor(async () => expect(await names()).toContain("tracker__whoami"), { timeout: 20_000 });
  const whoami = (asked: Client) => asked.callTool({ name: "tracker__whoami", arguments: {} });
  expect((await whoami(client)).content).toEqual([{ type: "text", text: "bob" }]);
  // Each has what the server lists for their own account.
  expect(await names()).toContain("tracker__of_bob");
  expect((await namesOf(other)).filter((name) => name.startsWith("tracker__"))).toEqual(["tracker__connect"]);
  const seen = mcp.seen.length;
  const pending = await whoami(other);
  expect(pending._meta?.["toolglot/outcome"]).toMatchObject({ status: "pending", dispatched: false });
  expect(pending.isError).toBe(true);
  expect(mcp.seen).toHaveLength(seen);
  expect(await follow(await linkOf(other, "tracker__whoami"), approver, "ada")).toBe(200);
  const answers = await Promise.all([client, other, client, other].map(whoami));
  expect(answers.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual(["bob", "ada", "bob", "ada"]);
  expect(await namesOf(other)).toEqual(expect.arrayContaining(["tracker__of_ada", "tracker__whoami"]));
  expect(await namesOf(other)).not.toContain("tracker__of_bob");
  expect(await names()).not.toContain("tracker__of_ada");
  const theirs = await other
    .callTool({ name: "tracker__of_bob", arguments: {} })
    .catch((error: Error) => error.message);
  expect(theirs).toContain("tracker__of_bob not found");
  // One's logout is nobody else's.
  const servers = [{ name: "tracker", url: mcp.url, credentials: "caller" as const }];
  await loginsOf({ stateDir: folder, servers }).logout("tracker", { id: "agent" });
  await vi.waitFor(async () => {
    expect((await whoami(client))._meta?.["toolglot/outcome"]).toMatchObject({ status: "pending" });
  });
  expect((await whoami(other)).content).toEqual([{ type: "text", text: "ada" }]);
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
  expect(await names()).not.toContain("tracker__whoami");
  // Nobody is left.
  await loginsOf({ stateDir: folder, servers }).logout("tracker");
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
});

it.each(["2025-11-25", "2026-07-28"])(
  "shows a client with URL mode where to log in, and then makes the call (%s)",
  async (revision) => {
    const { connect, token, names } = await gateway({ servers: { tracker: { credentials: "caller" } } });
    await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
    const newest = revision === "2026-07-28";
    const client = await connect(token, {
      capabilities: { elicitation: { url: {} } },
      ...(newest ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] }),
    });
    const shown: Record<string, unknown>[] = [];
    let goes = false;
    client.setRequestHandler("elicitation/create", ({ params }) => {
      shown.push(params);
      // They log in while the call waits.
      if (goes) setTimeout(() => void follow(String(Object(params).url), token, "bob"), 50);
      return { action: goes ? "accept" : "decline" };
    });
    const whoami = (): ReturnType<Client["callTool"]> => client.callTool({ name: "tracker__whoami", arguments: {} });
    const declined = await whoami();
    expect(declined._meta?.["toolglot/outcome"]).toMatchObject({ status: "pending", dispatched: false });
    goes = true;
    const { content: made, _meta } = await whoami();
    expect(made).toEqual([{ type: "text", text: "bob" }]);
    expect(_meta?.["toolglot/outcome"]).toMatchObject({ status: "done" });
    expect(shown).toEqual(
      Array(2).fill(expect.objectContaining({ mode: "url", url: expect.stringMatching(/\/connect\/tracker\?for=/) })),
    );
    // Nobody is asked who has a login.
    expect((await whoami()).content).toEqual(made);
    expect(shown).toHaveLength(2);
  },
);
