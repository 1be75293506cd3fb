import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { place } from "./support/gateway.ts";

it("makes tokens that are shown once, and lists and revokes them", async () => {
  const at = place();
  expect((await at.run("token", "list")).stdout).toContain("No tokens.");
  const made = await at.run("token", "add", "ada", "--role", "approver", "--role", "metrics", "--expires", "90d");
  expect(made.stdout).toMatch(/^tg1_[a-z2-7]{8}_[\w-]{43}\n$/);
  expect(made.stderr).toContain("for ada");
  const file = join(at.env.XDG_STATE_HOME as string, "toolglot/tokens.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain(made.stdout.trim());
  await at.run("token", "add", "bot", "--tenant", "t", "--can-delete", "--no-elicitation", "--lenient-headers");
  const listed = (await at.run("token", "list", "--json")).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(listed).toMatchObject([
    { principal: "ada", tenant: "default", roles: ["approver", "metrics"], canDelete: false, elicitation: true },
    { principal: "bot", tenant: "t", roles: [], canDelete: true, elicitation: false, lenientHeaders: true },
  ]);
  expect(Date.parse(listed[0].expiresAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
  const revoked = await at.run("token", "revoke", listed[1].id);
  expect(revoked.stdout).toContain(listed[1].id);
  expect((await at.run("token", "list")).stdout).toMatch(/bot .* revoked \d{4}-/);
  expect((await at.run("token", "revoke", "aaaaaaaa")).code).toBe(2);
  for (const time of ["90", "0d", "2001-01-01", "soon", "-1d"]) {
    expect([time, (await at.run("token", "add", "x", "--expires", time)).code]).toEqual([time, 2]);
  }
});

it("checks a configuration, and shows what becomes of each tool without leaving anything", async () => {
  const at = place();
  expect((await at.run("check")).stdout).toBe("The configuration is fine: 1 server.\n");
  const { code, stdout } = await at.run("check", "--connect");
  expect(code).toBe(0);
  expect(stdout).toMatch(/shop__refund +cap\.mcp\.shop\.refund\.v1 +HIGH +opaque +approve by high-needs-approval/);
  expect(existsSync(at.env.XDG_STATE_HOME as string)).toBe(false);
  const { tools, unreachable } = JSON.parse((await at.run("check", "--connect", "--json")).stdout);
  expect([tools.length, unreachable]).toEqual([3, []]);
  at.write({}, { command: "no-such-program" });
  const down = await at.run("check", "--connect");
  expect([down.code, down.stderr]).toEqual([1, expect.stringContaining("shop: not reached")]);
  at.write({ polcy: {} });
  const wrong = await at.run("check", "--json");
  expect(wrong.code).toBe(2);
  expect(JSON.parse(wrong.stdout)).toMatchObject([{ line: 2, code: "config/unknown-key", path: "gateway.polcy" }]);
  expect((await at.run("check")).stderr).toMatch(/toolglot\.json:2:\d+ {2}error {2}gateway\.polcy/);
});

it("says which servers want a login, with the command", async () => {
  const server = createServer((_, response) => response.writeHead(401, { "www-authenticate": "Bearer" }).end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const at = place();
  const { port } = server.address() as AddressInfo;
  const config = { mcpServers: { bank: { url: `http://127.0.0.1:${port}/mcp` } } };
  writeFileSync(join(at.folder, "toolglot.json"), JSON.stringify(config));
  const { code, stderr } = await at.run("check", "--connect");
  expect([code, stderr]).toEqual([1, expect.stringContaining("toolglot gateway login bank")]);
});

it("writes a configuration from those of clients, once, with tokens and what to paste", async () => {
  const at = place();
  rmSync(join(at.folder, "toolglot.json"));
  const missing = await at.run("--stdio");
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("gateway init")]);
  mkdirSync(join(at.folder, ".cursor"), { recursive: true });
  const servers = { mcpServers: { files: { command: "npx", args: ["-y", "a-server"] } } };
  writeFileSync(join(at.folder, ".cursor/mcp.json"), JSON.stringify(servers));
  const { code, stdout } = await at.run("init");
  expect(code).toBe(0);
  for (const text of ["files  (", "agent     tg1_", "approver  tg1_", '"--stdio"', "gateway check --connect"]) {
    expect(stdout).toContain(text);
  }
  expect((await at.run("check")).code).toBe(0);
  const before = readFileSync(join(at.folder, "toolglot.json"), "utf8");
  expect((await at.run("init")).code).toBe(2);
  expect(readFileSync(join(at.folder, "toolglot.json"), "utf8")).toBe(before);
});

it("prints the entry for a client that starts it, or reaches it", async () => {
  const at = place({ listen: { port: 9000 } });
  const started = await at.run("snippet", "claude", "--principal", "me");
  const { args } = JSON.parse(started.stdout).mcpServers.toolglot;
  expect(args).toEqual(
    expect.arrayContaining(["gateway", "--stdio", "--config", join(at.folder, "toolglot.json"), "--principal", "me"]),
  );
  const reached = JSON.parse((await at.run("snippet", "vscode", "--http", "9001")).stdout);
  expect(reached.servers.toolglot.url).toBe("http://127.0.0.1:9001/mcp");
  expect((await at.run("snippet", "emacs")).code).toBe(2);
});

it("says which guarantees hold, and fails when one does not", async () => {
  const at = place();
  const args = ["verify", "--store", "memory", "--allow-volatile"];
  const { code, stdout } = await at.run(...args);
  expect([code, stdout]).toEqual([0, expect.stringContaining("PASS  lost reply then retry\n")]);
  expect(stdout).toContain("N/A   altered audit row");
  expect(stdout).toContain("8 hold, 0 do not, 2 do not apply");
  at.write({ repeat: "free" });
  const free = await at.run(...args, "--json");
  expect(free.code).toBe(1);
  expect(JSON.parse(free.stdout)).toContainEqual({
    name: "repeated effect",
    state: "FAIL",
    detail: expect.stringContaining('repeat "free" of shop/verify_add gives this guarantee up'),
  });
});
