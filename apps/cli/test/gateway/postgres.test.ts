import { describe, expect, it } from "vitest";
import { type Json, type Place, place, start, startCommand, startStdio } from "./support/gateway.ts";
import { ask, noPostgres, scratchDatabase } from "./support/scratch-database.ts";

const lines = (text: string): Json[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe.skipIf(noPostgres)(`a store in PostgreSQL${noPostgres ? ` (${noPostgres})` : ""}`, () => {
  it("is what a gateway and every command on its store work with", async () => {
    const store = await scratchDatabase();
    const at = place({ store: `\${DATABASE_URL}` });
    at.env.DATABASE_URL = store;
    const gateway = await startStdio(at);
    expect((await gateway.call("shop__read", { id: "A-1" })).text).toBe("read A-1");
    const { outcome } = await gateway.call("shop__refund", { id: "A-1" });
    expect(lines((await at.run("approvals", "list", "--json")).stdout)).toMatchObject([{ id: outcome.approvalId }]);
    expect((await at.run("approvals", "approve", outcome.approvalId)).code).toBe(0);
    expect((await gateway.call("shop__refund", { id: "A-1" })).text).toBe("refund A-1");
    const lost = (await gateway.call("shop__lose", { id: "A-2" })).outcome;
    expect((await at.run("in-doubt", "list")).stdout).toContain(lost.receipt);
    expect((await at.run("in-doubt", "resolve", lost.receipt, "happened")).code).toBe(0);
    gateway.leave();
    const { stderr } = await gateway.ended;
    expect(stderr).not.toContain(new URL(store).password || "no password");

    const second = await startStdio(at, "--log", "silent");
    expect((await second.call("shop__refund", { id: "A-1" })).outcome.status).toBe("replayed");
    second.leave();
    await second.ended;
    expect(JSON.parse((await at.run("report", "--json")).stdout).lines.length).toBeGreaterThan(0);
    expect((await at.run("audit", "verify")).stdout).toContain("ok: every row follows");
    expect(lines((await at.run("audit", "export")).stdout).length).toBeGreaterThan(3);
    expect((await at.run("accept", "shop")).stdout).toContain("Nothing of shop waits");
    expect((await at.run("accept", "store")).stdout).toContain("is taken as it is now");
  }, 60_000);

  it("is migrated by a command, and by a gateway unless it may not", async () => {
    const store = await scratchDatabase();
    const at = place({ store, postgres: { schema: "tools", migrate: "check" } });
    const tables = () => ask(store, "SELECT tablename FROM pg_tables WHERE schemaname = 'tools'");
    const early = await at.run("--no-auth", "--http", "0");
    expect([early.code, early.stderr]).toEqual([3, expect.stringContaining("toolglot gateway migrate")]);
    expect((await at.run("approvals", "list")).code).toBe(3);
    const checked = await at.run("check", "--connect");
    expect([checked.code, checked.stderr]).toEqual([1, expect.stringMatching(/version 0, and \d+ is needed/)]);
    const dry = await at.run("migrate", "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/create table/i)]);
    expect(dry.stderr).toMatch(/from version 0 to \d+/);
    expect(await tables()).toEqual([]);
    const { code, stdout } = await at.run("migrate", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ from: 0 })]);
    expect((await tables()).length).toBeGreaterThan(5);
    expect((await at.run("check", "--connect")).code).toBe(0);
    expect((await at.run("migrate")).stdout).toContain("as they should be");
    expect((await at.run("approvals", "list")).stdout).toContain("Nothing waits for approval.");

    at.write({ store, postgres: { schema: "tools", migrate: "check", retryForMs: 6_000 } });
    const gateway = start(at, "--no-auth", "--http", "0", "--log", "silent");
    const [url = ""] = /http:\/\/[^\s/]+/.exec(await gateway.seen("/mcp")) ?? [];
    const ready = await fetch(`${url}/readyz`);
    const { checks } = (await ready.json()) as { checks: Json[] };
    expect([ready.status, checks[0]]).toEqual([200, { name: "store", ok: true }]);
    const message = expect.stringContaining("leaseMs, 10000, is less than twice postgres.retryForMs, 6000");
    expect(checks).toContainEqual({ name: "lease", ok: true, message });
  }, 60_000);

  it("is what a router of the command line works with", async () => {
    const store = await scratchDatabase();
    const at = place();
    const router = startCommand(at, "router", "--store", store, "--port", "0", "--data-dir", at.folder, "--json");
    const said = JSON.parse(await router.seen("\n"));
    expect(said).toMatchObject({ type: "listening", store: "postgres", durability: "disk" });
    const ready = await fetch(`${said.url}/readyz`);
    expect([ready.status, (await ready.json()).status]).toEqual([200, "ready"]);
    expect((await at.command("approvals", "list", "--store", store)).stdout).toContain("Nothing waits");
    expect((await at.command("audit", "verify", "--store", store)).stdout).toContain("ok: every row follows");
    router.signal("SIGTERM");
    expect((await router.ended).code).toBe(0);
  }, 60_000);

  it("is called wrong by name: no database, nobody there, a password that is not right", async () => {
    const store = new URL(await scratchDatabase());
    const at = place({ postgres: { retryForMs: 200 } });
    const refused = async (change: (url: URL) => void): Promise<string> => {
      const url = new URL(store);
      url.password = "a-secret-word";
      change(url);
      const { code, stdout, stderr } = await at.run("--no-auth", "--http", "0", "--store", url.href);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).not.toContain("a-secret-word");
      return stderr;
    };
    expect(await refused((url) => (url.pathname = "/not_there"))).toContain("not_there");
    expect(await refused((url) => (url.port = "1"))).toContain(":1/");
    expect(await refused((url) => (url.username = "nobody"))).toContain("nobody");
  }, 60_000);
});

/** What the two commands say of an address. */
async function said(at: Place, store: string): Promise<string[]> {
  const { code, stderr } = await at.run("check", "--store", store);
  const other = await at.command("approvals", "list", "--store", store);
  expect([code, other.code]).toEqual([2, 2]);
  return [stderr, other.stderr];
}

it("says what is wrong with an address, and never its password", async () => {
  const at = place();
  for (const [address, problem, cure] of [
    ["postgres://app:p%zz-geheim@db/x", "has a % that begins no encoded character", "%25 for %"],
    ["postgres://app:geheim/word@db/x", "is no address as postgres://", "%2F for /"],
    ["postgres://app:geheim#word@db/x", "", "%23 for #"],
    ["postgres:///x", "names no host", "?host=/var/run/postgresql"],
    ["mysql://app:geheim@db/x", "can't be a store of the kind mysql:", "postgres://USER:PASSWORD@HOST"],
    ["gateway.db", "is no address of a store", "sqlite:PATH"],
  ] as const) {
    for (const text of await said(at, address)) {
      expect(text).toContain(problem);
      expect(text).toContain(cure);
      expect(text).not.toContain("geheim");
    }
  }
  at.write({ store: "sqlite:here.db", postgres: { pool: 5 } });
  const { code, stderr } = await at.run("check");
  expect([code, stderr]).toEqual([2, expect.stringContaining("is for a store in PostgreSQL, and this one is none")]);
  expect((await at.run("migrate", "--store", "sqlite:here.db")).code).toBe(2);
});
