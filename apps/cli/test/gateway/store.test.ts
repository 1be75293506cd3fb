import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { expect, it } from "vitest";
import { type Json, place, startStdio } from "./support/gateway.ts";

const lines = (text: string): Json[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

it("lets a person at a terminal decide about what a running gateway asks, and tells what the policy did", async () => {
  const at = place();
  const gateway = await startStdio(at);
  const asked = await gateway.call("shop__refund", { id: "A-1" });
  expect(asked.outcome).toMatchObject({ status: "pending", code: "TRP_4002" });
  const other = (await gateway.call("shop__refund", { id: "A-2" })).outcome.approvalId;

  const listed = await at.run("approvals", "list");
  expect(listed.code).toBe(0);
  for (const text of [asked.outcome.approvalId, other, "cap.mcp.shop.refund.v1", '"A-1"']) {
    expect(listed.stdout).toContain(text);
  }
  expect(lines((await at.run("approvals", "list", "--json")).stdout)).toHaveLength(2);
  const shown = await at.run("approvals", "show", other, "--json");
  expect(lines(shown.stdout)[0]).toMatchObject({ id: other, args: { id: "A-2" }, status: "pending" });
  const approved = await at.run("approvals", "approve", asked.outcome.approvalId, "--comment", "fine", "--json");
  expect(lines(approved.stdout)[0]).toMatchObject({ status: "approved", comment: "fine" });
  expect((await at.run("approvals", "deny", other, "--lang", "zh")).stdout).toBe(`${other} 的状态：denied。\n`);
  expect((await at.run("approvals", "approve", other)).code).toBe(1);
  const unknown = await at.run("approvals", "show", "nothing");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("There is no request nothing")]);
  expect((await at.run("approvals", "list", "--tenant", "other")).stdout).toBe("Nothing waits for approval.\n");

  expect((await gateway.call("shop__refund", { id: "A-1" })).text).toBe("refund A-1");
  expect((await gateway.call("shop__refund", { id: "A-1" })).outcome.status).toBe("replayed");
  expect((await gateway.call("shop__refund", { id: "A-2" })).outcome).toMatchObject({ status: "refused" });
  gateway.leave();
  await gateway.ended;

  const report = JSON.parse((await at.run("report", "--json")).stdout);
  expect(report.lines).toContainEqual(
    expect.objectContaining({ rule: "high-needs-approval", server: "shop", tool: "refund", asked: 2 }),
  );
  const words = (await at.run("report")).stdout.split("\n");
  expect(words[0]).toMatch(/^DECISION +RULE +SERVER +TOOL +CALLS/);
  expect(words[1]).toMatch(/^ask +high-needs-approval +shop +refund +\d/);
  expect((await at.run("report", "--since", "2999-01-01")).stdout).toBe("The policy has decided nothing yet.\n");
  expect((await at.run("report", "--since", "soon")).code).toBe(2);
});

it("says what the policy would have done where it only observes", async () => {
  const rules = [{ id: "no-refunds", decision: "deny", which: { families: ["cap.mcp.shop.refund"] } }];
  const at = place({ policy: { version: "1", rules } });
  const gateway = await startStdio(at, "--observe");
  expect((await gateway.call("shop__refund", { id: "A-1" })).text).toBe("refund A-1");
  gateway.leave();
  await gateway.ended;
  expect((await at.run("report")).stdout.split("\n")[1]).toMatch(/^would refuse +no-refunds +shop +refund +1 /);
  expect((await at.run("report", "--lang", "zh")).stdout).toContain("本应拒绝");
});

it("settles calls of which nobody knows whether they happened", async () => {
  const at = place();
  const gateway = await startStdio(at);
  const receipts = new Map<string, string>();
  for (const id of ["A", "B", "C"]) {
    const { outcome } = await gateway.call("shop__lose", { id });
    expect(outcome).toMatchObject({ status: "unknown", code: "TRP_3004" });
    receipts.set(id, outcome.receipt);
  }
  const listed = lines((await at.run("in-doubt", "list", "--json")).stdout);
  expect(listed.map(({ arguments: args }) => args.id).sort()).toEqual(["A", "B", "C"]);
  const idOf = (id: string): string => listed.find(({ arguments: args }) => args.id === id)?.id;
  expect((await at.run("in-doubt", "list")).stdout).toContain(`${idOf("A")}  ${receipts.get("A")}`);

  expect((await at.run("in-doubt", "resolve", idOf("A"), "happened", "--comment", "seen at the bank")).code).toBe(0);
  expect((await at.run("in-doubt", "resolve", receipts.get("B") as string, "not-happened")).code).toBe(0);
  expect((await at.run("in-doubt", "resolve", idOf("C").slice(0, 6), "failed")).code).toBe(0);
  expect((await at.run("in-doubt", "resolve", idOf("A"), "happened")).code).toBe(2);
  expect((await at.run("in-doubt", "resolve", idOf("A"), "perhaps")).code).toBe(2);
  expect((await at.run("in-doubt", "list")).stdout).toBe("No call is in doubt.\n");

  const again = await gateway.ask("tools/call", { name: "shop__lose", arguments: { id: "A" } });
  expect(JSON.stringify(again.result.content)).toContain("seen at the bank");
  expect(again.result._meta["toolglot/outcome"].status).toBe("replayed");
  expect((await gateway.call("shop__lose", { id: "B" })).outcome.status).toBe("unknown");
});

it("names the tools of calls in doubt as their owner does, though no gateway runs", async () => {
  const at = place();
  const file = join(at.folder, "toolglot.json");
  const { mcpServers } = JSON.parse(readFileSync(file, "utf8").replace(/^\/\/.*/, ""));
  writeFileSync(file, JSON.stringify({ mcpServers: { "My Shop": mcpServers.shop } }));
  const gateway = await startStdio(at, "--log", "silent");
  const { result } = await gateway.ask("tools/list", {});
  const name = result.tools.find((tool: Json) => tool.name.endsWith("__lose"))?.name;
  expect((await gateway.call(name, { id: "A" })).outcome.receipt).toMatch(/^cap\.mcp\.my-shop-[a-z2-7]{6}\.lose\.v1\//);
  gateway.leave();
  await gateway.ended;
  expect((await at.run("in-doubt", "list")).stdout).toContain("\n  My Shop › lose\n");
  expect(lines((await at.run("in-doubt", "list", "--json")).stdout)).toMatchObject([
    { server: "My Shop", tool: "lose" },
  ]);
});

it("finds what was done to the audit log, and exports it", async () => {
  const at = place({ store: "sqlite:here.db" });
  const gateway = await startStdio(at);
  for (const id of ["1", "2", "3"]) await gateway.call("shop__read", { id });
  gateway.leave();
  await gateway.ended;
  const whole = await at.run("audit", "verify", "--json");
  expect(whole.code).toBe(0);
  const { last, rows } = JSON.parse(whole.stdout);
  writeFileSync(join(at.folder, "head.json"), JSON.stringify(last));
  expect((await at.run("audit", "verify", "--head", "head.json")).stdout).toContain("ok: every row follows");

  const exported = lines((await at.run("audit", "export")).stdout);
  expect(exported).toHaveLength(rows);
  expect(exported.at(-1)).toMatchObject({ index: last.index, hash: last.hash });
  expect((await at.run("audit", "export", "--before", "2001-01-01")).stdout).toBe("");
  expect((await at.run("audit", "export", "--before", "then")).code).toBe(2);

  const database = new Database(join(at.folder, "here.db"));
  database.prepare("UPDATE audit SET entry = replace(entry, 'shop.read', 'shop.note') WHERE n = 2").run();
  database.close();
  const changed = await at.run("audit", "verify");
  expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining("broken at row 2")]);
  expect((await at.run("audit", "verify", "--head", "toolglot.json")).code).toBe(2);
  expect((await at.run("audit", "verify", "--head", "none.json")).code).toBe(2);
});

it("accepts a tool that has changed, for the gateway that runs next", async () => {
  const strict = { servers: { shop: { pin: "strict" } } };
  const at = place(strict);
  const names = async (): Promise<string[]> => {
    const gateway = await startStdio(at, "--log", "silent");
    const { result } = await gateway.ask("tools/list", {});
    gateway.leave();
    await gateway.ended;
    return result.tools.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith("shop"));
  };
  expect(await names()).toHaveLength(3);
  at.write(strict, { env: { SHOP_WORDS: "Does something else." } });
  expect(await names()).toEqual([]);
  expect((await at.run("accept", "shop/refund")).stdout).toContain("Accepted: refund.");
  expect(await names()).toEqual(["shop__refund"]);
  expect((await at.run("accept", "shop")).stdout).toContain("Accepted: read, lose.");
  expect((await at.run("accept", "shop")).stdout).toContain("Nothing of shop waits");
  expect(await names()).toHaveLength(3);
});

it("needs a store that is there, though not what only the servers need", async () => {
  const at = place();
  const { code, stderr } = await at.run("approvals", "list");
  expect([code, stderr]).toEqual([3, expect.stringContaining("There is no store at")]);
  expect((await at.run("report", "--store", "memory", "--allow-volatile")).code).toBe(2);
  at.write({}, { env: { KEY: `\${GATEWAY_TEST_UNSET}` } });
  expect((await at.run("approvals", "list")).code).toBe(3);
});
