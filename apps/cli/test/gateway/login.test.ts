import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { loadConfig, openLogins, type UpstreamLogins } from "@toolglot/gateway";
import { expect, it, onTestFinished } from "vitest";
import { type Place, place, start } from "./support/gateway.ts";

const token = "access-0123456789";

/** A server behind a login, and its authorization server, which lets everybody in. */
async function atServer(settings: object = {}): Promise<{ at: Place; issuer: string; logins: UpstreamLogins }> {
  let issuer = "";
  const answers: Record<string, () => object> = {
    "/.well-known/oauth-protected-resource/mcp": () => ({
      resource: `${issuer}/mcp`,
      authorization_servers: [issuer],
    }),
    "/.well-known/oauth-authorization-server": () => ({
      issuer,
      ...Object.fromEntries(
        ["authorization", "token", "registration", "device_authorization"].map((name) => [
          `${name}_endpoint`,
          `${issuer}/${name}`,
        ]),
      ),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    }),
    "/device_authorization": () => ({
      ...{ device_code: "device-0123456789", user_code: "WDJB-MJHT", expires_in: 600, interval: 0 },
      verification_uri: `${issuer}/enter`,
    }),
    "/token": () => ({ access_token: token, token_type: "Bearer", expires_in: 3600 }),
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams: asked } = new URL(request.url ?? "/", issuer);
    const body = await text(request);
    if (pathname === "/authorization") {
      const back = new URL(asked.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code: "code-0123456789", state: asked.get("state") ?? "" }));
      return response.writeHead(302, { location: back.href }).end();
    }
    const answer = pathname === "/registration" ? { ...JSON.parse(body), client_id: "ours" } : answers[pathname]?.();
    const status = pathname === "/mcp" ? 401 : answer === undefined ? 404 : 200;
    return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = place();
  const url = `${issuer}/mcp`;
  const config = { mcpServers: { tracker: { url } }, gateway: { servers: { tracker: settings } } };
  writeFileSync(join(at.folder, "toolglot.json"), JSON.stringify(config));
  const stateDir = join(at.env.XDG_STATE_HOME ?? "", "toolglot");
  const logins = openLogins(
    await loadConfig({ files: [join(at.folder, "toolglot.json")], stateDir }),
  ) as UpstreamLogins;
  onTestFinished(() => logins.close());
  return { at, issuer, logins };
}

it("logs in at a server with a browser, says nothing that is secret, and logs out", async () => {
  const { at, issuer, logins } = await atServer();
  const running = start(at, "login", "tracker");
  const prompt = await running.seen("/authorization?", "stderr");
  await fetch(/http:\S+/.exec(prompt)?.[0] ?? "");
  const { code, stdout, stderr } = await running.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining(issuer)]);
  expect(await logins.info("tracker")).toMatchObject({ issuer });
  expect(stdout + stderr).not.toMatch(/0123456789/);
  expect(await at.run("logout", "tracker")).toMatchObject({ code: 0 });
  expect(await logins.info("tracker")).toBeUndefined();
});

it("logs in for devices, for whom it is told, where each caller has a login", async () => {
  const { at, logins } = await atServer({ credentials: "caller" });
  const running = start(at, "login", "tracker", "--device", "--principal", "ada");
  await running.seen("WDJB-MJHT", "stderr");
  expect((await running.ended).code).toBe(0);
  expect(await logins.info("tracker", { id: "ada" })).toBeDefined();
  expect(await logins.info("tracker", { id: "local" })).toBeUndefined();
});

it("knows no servers but those behind a URL", async () => {
  const { at } = await atServer();
  expect((await at.run("login", "traker")).code).toBe(2);
});
