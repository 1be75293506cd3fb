import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished, vi } from "vitest";
import { open } from "../gateway/support.ts";
import { authorizationServer } from "./authorization-server.ts";
import { browse, guardedServer, logIn, loginsOf } from "./support.ts";

async function gateway(settings = {}) {
  const as = await authorizationServer();
  const mcp = await guardedServer([as]);
  const opened = await open({ tracker: { url: mcp.url } }, settings);
  onTestFinished(() => opened.gateway.close());
  await opened.gateway.settled();
  const { url } = await opened.gateway.listen();
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${opened.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  return { ...opened, as, mcp, client, url, names };
}

it("shows the tool to log in, leads a person through it, and then the server's tools", async () => {
  const { as, mcp, client, url, approver, lines, names } = await gateway();
  await vi.waitFor(async () => expect(await names()).toContain("tracker__connect"), { timeout: 20_000 });
  expect(await names()).not.toContain("tracker__whoami");
  const { content } = await client.callTool({ name: "tracker__connect", arguments: {} });
  const [link = ""] = JSON.stringify(content).match(/http:[^" ]+/) ?? [];
  expect(link).toBe(`${new URL(url).origin}/connect/tracker`);
  const body = new URLSearchParams({ token: approver });
  const started = await fetch(link, { method: "POST", body });
  const cookie = started.headers.getSetCookie().map((line) => line.split(";")[0]);
  const there = /<a href="([^"]+)"/.exec(await started.text())?.[1]?.replaceAll("&amp;", "&") ?? "";
  const sent = await fetch(there, { headers: { "x-test-user": "team" }, redirect: "manual" });
  const done = await fetch(sent.headers.get("location") ?? "", { headers: { cookie: cookie.join("; ") } });
  expect(done.status).toBe(200);
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
