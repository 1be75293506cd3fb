import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { place, start, startStdio } from "./support/gateway.ts";

it("serves its client over stdio: MCP alone on standard output, JSON lines on standard error, and ends with it", async () => {
  const at = place();
  const gateway = await startStdio(at);
  const { result } = await gateway.ask("tools/list", {});
  expect(result.tools.map(({ name }: { name: string }) => name)).toContain("shop__refund");
  expect((await gateway.call("shop__read", { id: "A-1" })).text).toBe("read A-1");
  gateway.leave();
  const { code, stdout, stderr } = await gateway.ended;
  expect(code).toBe(0);
  for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  const log = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(log).toContainEqual(
    expect.objectContaining({ level: "info", server: "shop", message: 'ran read {"id":"A-1"}' }),
  );
});

it("records what a write has done whose client went away meanwhile", async () => {
  const at = place();
  const hold = join(at.folder, "hold");
  at.write({ audit: { head: "head.json" } }, { env: { SHOP_HOLD: hold } });
  const gateway = await startStdio(at);
  gateway.tell("tools/call", { name: "shop__hold", arguments: { id: "A-1" } });
  await gateway.seen("ran hold", "stderr");
  gateway.leave();
  // It takes nothing more when it has seen that its client is gone.
  await gateway.left;
  writeFileSync(hold, "");
  expect((await gateway.ended).code).toBe(0);
  expect((await at.run("in-doubt", "list")).stdout).toBe("No call is in doubt.\n");
  expect((await at.run("audit", "verify", "--head", "head.json")).code).toBe(0);

  const next = await startStdio(at);
  const { result } = await next.ask("tools/call", { name: "shop__hold", arguments: { id: "A-1" } });
  expect(result._meta["toolglot/outcome"].status).toBe("replayed");
  expect(result.content).toContainEqual({ type: "text", text: "hold A-1" });
  next.leave();
  const { stderr } = await next.ended;
  expect(stderr).not.toContain("ran hold");
});

it("ends on signals, with the exit codes that say so", async () => {
  const at = place();
  for (const [name, code] of [
    ["SIGTERM", 0],
    ["SIGINT", 130],
  ] as const) {
    const gateway = await startStdio(at, "--log", "silent");
    gateway.signal(name);
    const ended = await gateway.ended;
    expect([ended.code, ended.stderr]).toEqual([code, ""]);
  }
});

it("serves HTTP to those with a token, and without tokens to nobody", async () => {
  const at = place({ listen: { port: 0 } });
  const refused = await at.run("--log", "silent");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("toolglot gateway token add NAME");
  const { stdout: token } = await at.run("token", "add", "agent");
  const gateway = start(at, "--log", "json");
  const url = /http:\S+\/mcp/.exec(await gateway.seen("/mcp"))?.[0] as string;
  const initialize = (authorization: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...authorization,
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      }),
    });
  expect((await initialize({})).status).toBe(401);
  expect((await initialize({ authorization: `Bearer ${token.trim()}` })).status).toBe(200);
  gateway.signal("SIGTERM");
  expect((await gateway.ended).code).toBe(0);
});

it("lets this machine in without tokens only when told so, and only there", async () => {
  const at = place();
  const gateway = start(at, "--no-auth", "--http", "0", "--log", "silent");
  await gateway.seen("http://127.0.0.1:");
  gateway.signal("SIGINT");
  expect((await gateway.ended).code).toBe(130);
  const open = await at.run("--no-auth", "--http", "0.0.0.0:0");
  expect(open.code).toBe(2);
});

it("signs its owner in by a link, which only a terminal gets", async () => {
  const at = place({ listen: { port: 0 } });
  const plain = start(at, "--no-auth");
  expect(await plain.seen("/approvals, or ", "stderr")).not.toContain("/approvals/link/");
  const terminal = start({ ...at, isTerminal: true }, "--no-auth");
  const link = /http:\S+/.exec(await terminal.seen("/approvals/link/", "stderr"))?.[0] as string;
  const page = await fetch(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("terminal")]);
  expect((await fetch(`${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`)).status).toBe(401);
});

it("says what is wrong with the command line and the configuration, all at once, and starts nothing", async () => {
  const at = place();
  const codes = async (...args: string[]) => (await at.run(...args)).code;
  expect(await codes("--stdio", "--http", "1")).toBe(2);
  expect(await codes("--http", "here")).toBe(2);
  expect(await codes("--http", "99999")).toBe(2);
  expect(await codes("--face", "none")).toBe(2);
  expect(await codes("--store", "redis:x")).toBe(2);
  expect(await codes("nonsense")).toBe(2);
  expect(await codes("token", "nonsense")).toBe(2);
  expect(await codes("token", "add")).toBe(2);
  expect(await codes("--config", "absent.json")).toBe(2);
  expect(await codes("--store", "memory")).toBe(2);
  expect(await codes("--store", "sqlite:toolglot.json/x.db", "--no-auth")).toBe(3);
  at.write({ polcy: {}, listen: { port: "x" } }, { env: { KEY: `\${GATEWAY_TEST_UNSET}` } });
  const { code, stdout, stderr } = await at.run("--stdio");
  expect([code, stdout]).toEqual([2, ""]);
  for (const text of ['unknown key (did you mean "policy"?)', "GATEWAY_TEST_UNSET", "gateway.listen.port", "cure:"]) {
    expect(stderr).toContain(text);
  }
});

it("reads several files, of which the later one wins", async () => {
  const at = place();
  const off = { mcpServers: { shop: { command: "x", disabled: true } }, gateway: { policy: { version: "2" } } };
  writeFileSync(join(at.folder, "off.json"), JSON.stringify(off));
  const { code, stderr } = await at.run("check", "--config", "toolglot.json", "--config", "off.json");
  expect([code, stderr]).toEqual([2, expect.stringContaining("off.json:1:")]);
  writeFileSync(join(at.folder, "off.json"), JSON.stringify({ mcpServers: off.mcpServers }));
  const fine = await at.run("check", "--config", "toolglot.json", "--config", "off.json");
  expect(fine.stdout).toBe("The configuration is fine: 0 servers.\n");
});
