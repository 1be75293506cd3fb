import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { expect, it, onTestFinished, vi } from "vitest";
import { bundledScript } from "../../../../bundled-script.ts";
import { clientOf, fileSite, logIn, loginsOf, type Site, site, whoami } from "./support.ts";

/** Stops the time of day; what it returns moves it on. */
function clock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.setSystemTime(Date.now() + ms);
}

const unauthorised = { code: "toolkit/mcp-unauthorised" };

it("renews a token before it ends, with the token that came last", async () => {
  const { as, mcp, logins } = await site();
  as.behaviour.firstLifeS = 0;
  await logIn(logins);
  const client = clientOf(logins, mcp.url);
  expect(await whoami(client)).toBe("ada");
  as.behaviour.laterLifeS = 0;
  const given = await logins.authProviderOf("tracker").token();
  expect(as.check(given ?? "")?.user).toBe("ada");
  const grants = as.tokenRequests.map(({ grant_type: grant, resource }) => [grant, resource]);
  expect(grants).toEqual([
    ["authorization_code", mcp.url],
    ["refresh_token", mcp.url],
  ]);
});

it("renews a token that the server refuses before its time, once for all calls", async () => {
  const { as, mcp, logins } = await site();
  const later = clock();
  await logIn(logins);
  const client = clientOf(logins, mcp.url);
  await client.listTools();
  later(60_000);
  as.expireAccess();
  expect(await Promise.all(Array.from({ length: 8 }, () => whoami(client)))).toEqual(Array(8).fill("ada"));
  expect(as.tokenRequests.filter(({ grant_type }) => grant_type === "refresh_token")).toHaveLength(1);
});

it("does not renew for ever when a server refuses what is new", async () => {
  const { as, mcp, logins } = await site();
  await logIn(logins);
  mcp.url = `${mcp.url}?another=resource`;
  const client = clientOf(logins, mcp.url);
  await expect(client.listTools()).rejects.toMatchObject(unauthorised);
  expect(as.tokenRequests.length).toBeLessThan(3);
});

it("asks for a login when the refresh token is over, and forgets what is of no more use", async () => {
  const { as, mcp, logins } = await site();
  as.behaviour.firstLifeS = 0;
  await logIn(logins);
  as.expireAll();
  const changes: string[] = [];
  logins.onChange((server) => changes.push(server));
  const client = clientOf(logins, mcp.url);
  await expect(client.listTools()).rejects.toMatchObject(unauthorised);
  expect(await logins.info("tracker")).toBeUndefined();
  await vi.waitFor(() => expect(changes).toEqual(["tracker"]));
  as.behaviour.firstLifeS = 3600;
  await logIn(logins);
  expect(await whoami(client)).toBe("ada");
});

it("asks for a login when there is no refresh token, but not before the access token is over", async () => {
  const { as, mcp, logins } = await site();
  const later = clock();
  as.behaviour.renews = false;
  await logIn(logins);
  const provider = logins.authProviderOf("tracker");
  later(3_590_000);
  expect(as.check((await provider.token()) ?? "")?.user).toBe("ada");
  later(10_000);
  expect(await provider.token()).toBeUndefined();
  await expect(clientOf(logins, mcp.url).listTools()).rejects.toMatchObject(unauthorised);
});

it("goes on with a token that is still good while the authorization server is away, and keeps the login", async () => {
  const { as, logins } = await site();
  const later = clock();
  await logIn(logins);
  as.behaviour.tokenFault = { status: 503, body: "away" };
  const provider = logins.authProviderOf("tracker");
  const before = await provider.token();
  later(3_550_000);
  expect(await provider.token()).toBe(before);
  expect(as.tokenRequests).toHaveLength(2);
  later(50_000);
  // It can't be renewed now, which is not that a person is needed.
  await expect(provider.token()).rejects.toMatchObject({ code: "gateway/login-refused" });
  as.behaviour.tokenFault = undefined;
  const after = await provider.token();
  expect(after).not.toBe(before);
  expect(as.check(after ?? "")?.user).toBe("ada");
});

/** Starts processes that ask for a token at the word `go`. */
async function renewers(count: number, { options, mcp }: Site): Promise<ChildProcess[]> {
  const program = join(import.meta.dirname, "processes/renewer.ts");
  const script = (await scratchFolder({ "renewer.cjs": await bundledScript(program) })).at("renewer.cjs");
  const children = Array.from({ length: count }, () => fork(script, [options.stateDir, mcp.url]));
  onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
  const ready = await Promise.all(children.map((child) => once(child, "message")));
  expect(ready.flat().filter((word) => word === "ready")).toHaveLength(count);
  return children;
}

it("renews once when two processes come at the same time", async () => {
  const found = await fileSite();
  const { as } = found;
  Object.assign(as.behaviour, { firstLifeS: 0, slowMs: 200 });
  await logIn(found.logins);
  const children = await renewers(2, found);
  const answers = children.map((child) => once(child, "message"));
  for (const child of children) child.send("go");
  const tokens = (await Promise.all(answers)).map(([token]) => String(token));
  expect(new Set(tokens).size).toBe(1);
  expect(as.check(tokens[0] ?? "")?.user).toBe("ada");
  expect(as.tokenRequests.filter(({ grant_type }) => grant_type === "refresh_token")).toHaveLength(1);
});

it("takes over from a process that died while it renewed", async () => {
  const found = await fileSite();
  const { as } = found;
  Object.assign(as.behaviour, { firstLifeS: 0, slowMs: 600_000 });
  await logIn(found.logins);
  for (const child of await renewers(1, found)) {
    child.send("go");
    await vi.waitFor(() => expect(as.tokenRequests).toHaveLength(2), { timeout: 20_000 });
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  as.behaviour.slowMs = 0;
  // The authorization server had not used the refresh token up.
  expect(as.check((await found.logins.authProviderOf("tracker").token()) ?? "")?.user).toBe("ada");
});

it("hears of logins and logouts of other processes", async () => {
  const { mcp, logins, options } = await site();
  const here = loginsOf(options);
  const changes: [string, unknown][] = [];
  here.onChange((server) => changes.push([server, undefined]));
  await logIn(logins);
  await vi.waitFor(() => expect(changes).toHaveLength(1));
  expect(await whoami(clientOf(here, mcp.url))).toBe("ada");
  await logins.logout("tracker");
  await vi.waitFor(() => expect(changes).toHaveLength(2));
});

it("logs out: tokens are ended there and forgotten here, at once for everybody", async () => {
  const { as, mcp, logins, options } = await site();
  await logIn(logins);
  const other = clientOf(loginsOf(options), mcp.url);
  expect(await whoami(other)).toBe("ada");
  const [token = ""] = mcp.seen;
  expect(await logins.logout("tracker")).toEqual({ wasLoggedIn: true, isRevoked: true });
  expect(as.check(token)).toBeUndefined();
  const before = mcp.seen.length;
  await expect(other.callTool({ name: "whoami", arguments: {}, repeatable: true })).rejects.toThrow(/authorisation/);
  expect(mcp.seen).toHaveLength(before);
  expect(await logins.logout("tracker")).toEqual({ wasLoggedIn: false, isRevoked: false });
});

it.each<[string, object, RegExp]>([
  ["has no way to end them", { revocation_endpoint: undefined }, /no way to end tokens/],
  [
    "does not answer",
    { revocation_endpoint: "http://127.0.0.1:9/revoke" },
    /ECONNREFUSED|bad port|failed|not as OAuth/,
  ],
])("forgets tokens, and says so, when the authorization server %s", async (_case, metadata, reason) => {
  const { as, logins } = await site();
  await logIn(logins);
  as.behaviour.metadata = { ...metadata };
  const result = await logins.logout("tracker");
  expect(result).toMatchObject({ wasLoggedIn: true, isRevoked: false, reason: expect.stringMatching(reason) });
  expect(await logins.info("tracker")).toBeUndefined();
});

it("writes no token, code or secret into any file, error or line, but encrypted into one that its owner alone reads", async () => {
  const { as, mcp, logins, options } = await fileSite();
  const said: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, "write").mockImplementation((text) => Boolean(said.push(String(text))));
    onTestFinished(() => spy.mockRestore());
  }
  as.behaviour.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  as.behaviour.firstLifeS = 0;
  await logIn(logins);
  const echo = '{"error":"{sent}","error_description":"{sent}"}';
  for (const body of [echo, "no JSON: {sent}", '{"error":"invalid_request","error_description":"{sent}"}']) {
    as.behaviour.tokenFault = { status: 400, body };
    const attempts = [
      () => logIn(logins),
      () => logins.authProviderOf("tracker").token(),
      () => clientOf(logins, mcp.url).listTools(),
    ];
    for (const fails of attempts) {
      const error: unknown = await fails().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      for (let at = error; at instanceof Error; at = at.cause) said.push(`${at.stack} ${JSON.stringify(at)}`);
    }
  }
  said.push(JSON.stringify(await logins.info("tracker")), JSON.stringify(await logins.logout("tracker")));
  as.behaviour.tokenFault = undefined;
  await logIn(logins);
  const files = (await readdir(options.stateDir, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  for (const { parentPath, name } of files) said.push(await readFile(join(parentPath, name), "utf8"));
  expect(as.secrets.size).toBeGreaterThan(6);
  for (const secret of as.secrets) expect(said.join("\n")).not.toContain(secret);
  for (const form of as.tokenRequests) expect(said.join("\n")).not.toContain(form.code_verifier ?? "no verifier");
  const modes = ["logins.json", "logins.key"].map(
    async (name) => (await stat(join(options.stateDir, name))).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o600, 0o600]);
  await chmod(join(options.stateDir, "logins.json"), 0o644);
  await expect(loginsOf(options).authProviderOf("tracker").token()).rejects.toMatchObject({
    code: "secrets/permissions",
  });
});
