import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { authorizationServer } from "../../../../packages/gateway/test/login/authorization-server.ts";
import { browse, guardedServer, loginsOf } from "../../../../packages/gateway/test/login/support.ts";
import { place, start } from "./support/gateway.ts";

async function atServer(settings: object = {}) {
  const as = await authorizationServer();
  const mcp = await guardedServer([as]);
  const at = place();
  const config = { mcpServers: { tracker: { url: mcp.url } }, gateway: { servers: { tracker: settings } } };
  writeFileSync(join(at.folder, "toolglot.json"), JSON.stringify(config));
  const credentials = "credentials" in settings ? ("caller" as const) : ("shared" as const);
  const servers = [{ name: "tracker", url: mcp.url, credentials }];
  const logins = loginsOf({ stateDir: join(at.env.XDG_STATE_HOME ?? "", "toolglot"), servers });
  return { as, mcp, at, logins };
}

it("logs in at a server with a browser, says nothing that is secret, and logs out", async () => {
  const { as, at, logins } = await atServer();
  const running = start(at, "login", "tracker");
  const prompt = await running.seen("/authorize?", "stderr");
  await browse(/http:\S+/.exec(prompt)?.[0] ?? "", "ada");
  const { code, stdout, stderr } = await running.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining(as.issuer)]);
  expect(await logins.info("tracker")).toMatchObject({ issuer: as.issuer });
  for (const secret of as.secrets) expect(stdout + stderr).not.toContain(secret);
  expect(await at.run("logout", "tracker")).toMatchObject({ code: 0 });
  expect(await logins.info("tracker")).toBeUndefined();
});

it("logs in for devices, for whom it is told, where each caller has a login", async () => {
  const { as, at, logins } = await atServer({ credentials: "caller" });
  const running = start(at, "login", "tracker", "--device", "--principal", "ada");
  await running.seen("WDJB-MJHT", "stderr");
  as.allowDevice("ada");
  expect((await running.ended).code).toBe(0);
  expect(await logins.info("tracker", { id: "ada" })).toBeDefined();
  expect(await logins.info("tracker", { id: "local" })).toBeUndefined();
});

it("knows no servers but those behind a URL", async () => {
  const { at } = await atServer();
  expect((await at.run("login", "traker")).code).toBe(2);
});
