import { expect, it } from "vitest";
import type { LoginPrompt } from "../../src/login/index.ts";
import { clientOf, logIn, site, whoami } from "./support.ts";

it("logs in without a browser here: a person enters the code elsewhere", async () => {
  const { as, mcp, logins } = await site();
  as.behaviour.devicePending = ["authorization_pending", "authorization_pending"];
  const prompts: LoginPrompt[] = [];
  const visit = (prompt: LoginPrompt) => {
    prompts.push(prompt);
    as.allowDevice("ada");
  };
  await logIn(logins, "tracker", { device: true, visit });
  expect(prompts).toMatchObject([{ kind: "device", code: "WDJB-MJHT", url: `${as.issuer}/enter` }]);
  expect(as.tokenRequests).toHaveLength(3);
  expect(as.tokenRequests.every(({ resource }) => resource === mcp.url)).toBe(true);
  expect(as.registrations).toMatchObject([
    { grant_types: expect.arrayContaining(["urn:ietf:params:oauth:grant-type:device_code"]) },
  ]);
  expect(await whoami(clientOf(logins, mcp.url))).toBe("ada");
});

it.each(["access_denied", "expired_token", "invalid_grant"])("ends with %s", async (answer) => {
  const { as, logins } = await site();
  as.behaviour.devicePending = [answer];
  const error = expect.objectContaining({ code: "gateway/login-refused", message: expect.stringContaining(answer) });
  await expect(logIn(logins, "tracker", { device: true, visit: () => {} })).rejects.toEqual(error);
});

it("is refused where the authorization server has no such login, or a person would be sent to no safe place", async () => {
  const { as, logins } = await site();
  as.behaviour.metadata = { device_authorization_endpoint: undefined };
  const login = () => logIn(logins, "tracker", { device: true, visit: () => {} });
  await expect(login()).rejects.toMatchObject({ code: "gateway/login-unsupported" });
  expect(as.registrations).toEqual([]);
  as.behaviour.metadata = { device_authorization_endpoint: "http://as.example/device" };
  await expect(login()).rejects.toMatchObject({ code: "gateway/login-untrusted" });
});

it("gives up while it waits", async () => {
  const { logins } = await site();
  const given = new AbortController();
  const visit = () => given.abort();
  const login = logIn(logins, "tracker", { device: true, visit, signal: given.signal });
  await expect(login).rejects.toMatchObject({ code: "gateway/login-cancelled" });
});
