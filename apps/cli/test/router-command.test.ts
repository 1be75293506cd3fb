import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi, rounds } from "@toolglot/internal/testing";
import Database from "libsql";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { readOperatorToken } from "../src/router/operator-token.ts";
import { buildDemo, type Started, startDemo } from "./support/child.ts";
import { runDemo } from "./support/in-process.ts";
import { approvalToken, HandClient, post } from "./support/trp.ts";

const [sql, ticket, deletion, notify] = [
  "cap.query.sql_read.v1",
  "cap.ticket.create.v1",
  "cap.record.delete.v1",
  "cap.notify.broadcast.v1",
];
const ticketArgs = { title: "Lantern overheats", body: "Serial F4-10233.", priority: "high" };

beforeAll(buildDemo, 180_000);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "demo-router-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Running extends Started {
  url: string;
  data: string;
  /** Ends it as a person would, and gives its exit code. */
  stop(): Promise<number | null>;
}

async function startRouter(data: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const child = startDemo(["router", "--port", "0", ...args], { TRP_DATA_DIR: data, ...env });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await child.ended;
  });
  const line = await child.seen("\n");
  const url = /http:\/\/[^\s"]+/.exec(line)?.[0] as string;
  return {
    ...child,
    url,
    data,
    async stop() {
      child.kill("SIGTERM");
      return (await child.ended).code;
    },
  };
}

async function openClient({ url }: Running, token?: string): Promise<HandClient> {
  const client = new HandClient(url, token);
  await client.open();
  return client;
}

/** A subcommand beside the router, on its data. */
function beside({ data, url }: Running, ...args: string[]) {
  return runDemo(args, { env: { TRP_DATA_DIR: data, TRP_PORT: new URL(url).port } });
}

function rows<Row>(data: string, query: string): Row[] {
  const db = new Database(join(data, "shop.db"));
  try {
    return db.prepare(query).all() as Row[];
  } finally {
    db.close();
  }
}

const tickets = (data: string): number =>
  rows<{ n: number }>(data, "SELECT COUNT(*) AS n FROM tickets WHERE title = 'Lantern overheats'")[0]?.n ?? -1;

it("should offer its capabilities in order, and answer from real data", async (context) => {
  leftToCi(context);
  const router = await startRouter(folder());
  const client = new HandClient(router.url);
  const catalog = await client.open();
  expect(catalog.slice(0, 6).map(({ idx, cap_id, risk_tier, io_class }) => [idx, cap_id, risk_tier, io_class])).toEqual(
    [
      [0, "cap.search.web.v1", "LOW", "READ"],
      [1, "cap.fetch.doc.v1", "LOW", "READ"],
      [2, sql, "MEDIUM", "READ"],
      [3, ticket, "HIGH", "WRITE"],
      [4, deletion, "CRITICAL", "WRITE"],
      [5, notify, "CRITICAL", "WRITE"],
    ],
  );
  const found = await client.call("cap.search.web.v1", { query: "refund policy", top_k: 2 });
  expect(found).toMatchObject({ frame_type: "RESULT", payload: { status: "SUCCESS" } });
  expect(found.payload.result.data.items).toHaveLength(2);
  const document = await client.call("cap.fetch.doc.v1", { document_id: "refunds" });
  expect(document.payload.result.data.text).toContain("## Deadlines");
  const counted = await client.call(sql, { sql: "SELECT COUNT(*) AS n FROM products", limit: 200 }, "q1");
  expect(counted.payload.result.data).toEqual({ rows: [{ n: 18 }], row_count: 1, truncated: false });
  expect(await router.stop()).toBe(0);
});

it("should show its metrics to the operator, and to no agent", async () => {
  const router = await startRouter(folder());
  const client = await openClient(router);
  await client.call("cap.search.web.v1", { query: "refund policy", top_k: 2 });
  const read = (token?: string) =>
    fetch(`${router.url}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await read()).status).toBe(403);
  const page = await read(readOperatorToken(router.data));
  expect(page.status).toBe(200);
  const line = 'trp_calls_total{cap_id="cap.search.web.v1",status="success",error_code=""} 1';
  expect((await page.text()).split("\n")).toContain(line);
});

it("should refuse what schema, keys or policy do not allow, and say what to do", async () => {
  const client = await openClient(await startRouter(folder()));
  const select = "SELECT * FROM orders";
  const cases = [
    [await client.call(sql, { sql: select, limit: 201 }, "q1"), "POLICY_DENIED", "TRP_4001"],
    [await client.call(sql, { sql: select, limit: 501 }, "q2"), "SCHEMA_MISMATCH", "TRP_2001"],
    [await client.call(sql, { sql: select }), "NON_IDEMPOTENT_BLOCKED", "TRP_4003"],
    [await client.call("cap.search.web.v1", { query: "x", top_k: 21 }), "SCHEMA_MISMATCH", "TRP_2001"],
    [await client.call("cap.search.web.v1", { query: "x", colour: "red" }), "SCHEMA_MISMATCH", "TRP_2001"],
    [await client.call(ticket, { ...ticketArgs, title: "x".repeat(201) }, "t1"), "SCHEMA_MISMATCH", "TRP_2001"],
    [await client.call(ticket, { ...ticketArgs, body: "x".repeat(5001) }, "t2"), "SCHEMA_MISMATCH", "TRP_2001"],
    [await client.call(ticket, ticketArgs, "t3"), "APPROVAL_REQUIRED", "TRP_4002"],
    [await client.call(notify, { message: "Stop." }, "n1"), "APPROVAL_REQUIRED", "TRP_4002"],
  ] as const;
  for (const [frame, errorClass, code] of cases) {
    expect(frame).toMatchObject({
      frame_type: "NACK",
      payload: { error_class: errorClass, error_code: code, dispatched: false },
    });
    expect(frame.payload.fix).not.toBe("");
  }
  for (const text of [
    "DELETE FROM orders",
    "SELECT 1; SELECT 2",
    "SELECT readfile('/etc/passwd')",
    "ATTACH 'x' AS y",
  ]) {
    // The text alone says it: nothing was started, and the message says what to do.
    const frame = await client.call(sql, { sql: text }, `bad ${text}`);
    expect(frame).toMatchObject({ frame_type: "NACK", payload: { error_code: "TRP_2001", dispatched: false } });
    expect(frame.payload.message).toContain("(rule one-select)");
  }
  // What only the engine knows comes from it.
  const unknown = await client.call(sql, { sql: "SELECT nothing FROM orders" }, "unknown column");
  expect(unknown).toMatchObject({ frame_type: "NACK", payload: { error_code: "TRP_3002", dispatched: true } });
});

it("should open one ticket once a person approved it, whatever is sent again, and after a restart", async () => {
  const data = folder();
  const first = await startRouter(data);
  const client = await openClient(first);
  const asked = await client.call(ticket, ticketArgs, "key-1");
  expect(asked).toMatchObject({ frame_type: "NACK", payload: { error_class: "APPROVAL_REQUIRED" } });
  const id = asked.payload.retry_hint.approval_id as string;
  expect(tickets(data)).toBe(0);

  const listed = await beside(first, "approvals", "list");
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  for (const text of [id, "pending", "local-agent", "Lantern overheats", ticket]) expect(listed.stdout).toContain(text);
  const unknown = await beside(first, "approvals", "approve", "appr_nobody");
  expect(unknown.code).toBe(1);
  const approved = await beside(first, "approvals", "approve", id, "--comment", "go on", "--json");
  expect(JSON.parse(approved.stdout)).toMatchObject({
    id,
    status: "approved",
    decidedBy: "local-operator",
    comment: "go on",
  });

  const done = await client.call(ticket, ticketArgs, "key-1");
  expect(done).toMatchObject({ frame_type: "RESULT", payload: { status: "SUCCESS" } });
  const number = done.payload.result.data.ticket_id as number;
  const again = await client.call(ticket, ticketArgs, "key-1");
  expect(again.payload).toMatchObject({ status: "SUCCESS", result: { data: { ticket_id: number } } });
  expect(again.payload.replayed_from).toBe(done.payload.call_id);
  expect(await client.call(ticket, { ...ticketArgs, body: "other" }, "key-1")).toMatchObject({
    payload: { error_code: "TRP_4004" },
  });
  expect(tickets(data)).toBe(1);
  expect(await first.stop()).toBe(0);

  const second = await startRouter(data);
  const replayed = await (await openClient(second)).call(ticket, ticketArgs, "key-1");
  expect(replayed.payload).toMatchObject({ status: "SUCCESS", result: { data: { ticket_id: number } } });
  expect(tickets(data)).toBe(1);
  expect(await second.stop()).toBe(0);
});

it("should have no effect for a request that was denied, at the file when no router runs", async () => {
  const data = folder();
  const first = await startRouter(data);
  const asked = await (await openClient(first)).call(notify, { channel: "all", message: "Stop." }, "key-1");
  const id = asked.payload.retry_hint.approval_id as string;
  await first.stop();

  const atFile = await beside(first, "approvals", "deny", id, "--store", `sqlite:${join(data, "router.db")}`);
  expect(atFile).toMatchObject({ code: 0 });
  expect(atFile.stdout).toContain("denied");
  const fallback = await beside(first, "approvals", "list", "--status", "denied");
  expect(fallback.stderr).toContain("router.db");
  expect(fallback.stdout).toContain(id);

  const second = await startRouter(data);
  const refused = await (await openClient(second)).call(notify, { channel: "all", message: "Stop." }, "key-1");
  expect(refused.frame_type).toBe("NACK");
  expect(rows(data, "SELECT * FROM notifications")).toEqual([]);
});

it("should know who calls by the tokens, and let only who may delete ask for a deletion", async (context) => {
  leftToCi(context);
  const data = folder();
  const router = await startRouter(data, [], {
    TRP_TOKENS: JSON.stringify({
      "agent-token": { principal: "agent", roles: ["agent"] },
      "ops-token": { principal: "ops", roles: ["agent"], can_delete: true },
      "boss-token": { principal: "boss", roles: ["approver"] },
    }),
  });
  expect((await post(`${router.url}/trp/frame`, {})).status).toBe(401);
  expect((await post(`${router.url}/trp/frame`, {}, "wrong")).status).toBe(401);
  const args = { resource_type: "ticket", resource_id: "1", reason: "done" };
  const agent = await openClient(router, "agent-token");
  const ops = await openClient(router, "ops-token");
  // Not in the agent's catalog, and denied to who knows its number all the same.
  expect([agent.idx.has(deletion), ops.idx.has(deletion)]).toEqual([false, true]);
  const denied = await agent.call(deletion, args, "d1", { idx: ops.idx.get(deletion) });
  expect(denied.payload).toMatchObject({ error_class: "POLICY_DENIED", error_code: "TRP_4001" });
  const asked = await ops.call(deletion, args, "d1");
  const id = asked.payload.retry_hint.approval_id as string;
  const decide = (token: string) => beside(router, "approvals", "approve", id, "--token", token);
  expect((await decide("agent-token")).code).toBe(1);
  expect((await decide("ops-token")).code).toBe(1);
  expect(await decide("wrong")).toMatchObject({ code: 1, stderr: expect.stringContaining("--token") });
  expect(rows(data, "SELECT id FROM tickets WHERE id = 1")).toHaveLength(1);
  expect((await decide("boss-token")).code).toBe(0);
  expect((await ops.call(deletion, args, "d1")).payload).toMatchObject({
    status: "SUCCESS",
    result: { data: { rows: 1 } },
  });
  expect(rows(data, "SELECT id FROM tickets WHERE id = 1")).toEqual([]);
});

it("should take a signed approval once, on a store in memory too, which says that it is not durable", async (context) => {
  leftToCi(context);
  const data = folder();
  const router = await startRouter(data, ["--store", "memory", "--json"], { TRP_APPROVAL_HMAC_SECRET: "the-secret" });
  const client = await openClient(router);
  const token = approvalToken("the-secret", ticket as string, ticketArgs);
  const call = (key: string, approval_token: string) => client.call(ticket, ticketArgs, key, { approval_token });
  const forged = await call("k0", approvalToken("other-secret", ticket as string, ticketArgs));
  expect(forged.payload).toMatchObject({ error_class: "APPROVAL_REQUIRED" });
  expect((await call("k1", token)).payload).toMatchObject({ status: "SUCCESS" });
  expect((await call("k1", token)).payload).toMatchObject({ status: "SUCCESS" });
  expect((await call("k2", token)).payload).toMatchObject({ error_class: "APPROVAL_REQUIRED" });
  expect(tickets(data)).toBe(1);
  router.kill("SIGINT");
  const { code, stdout, stderr } = await router.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("not durable");
  expect(JSON.parse(stdout)).toMatchObject({ type: "listening", url: router.url, durability: "none" });
});

it("should let executors overlap, each as slow as it was told to be", async (context) => {
  leftToCi(context);
  const router = await startRouter(folder(), [], { TRP_EXECUTOR_BASE_SLEEP_MS: "400" });
  const client = await openClient(router);
  const calls = [1, 2, 3, 4].map((number) => ({
    call_id: `c${number}`,
    idx: 0,
    cap_id: "cap.search.web.v1",
    timeout_ms: 10_000,
    args: { query: "refund" },
  }));
  const began = performance.now();
  const { payload } = await client.send("CALL_BATCH_REQ", { batch_id: "b1", max_concurrency: 4, calls });
  const ms = performance.now() - began;
  expect(payload.status).toBe("SUCCESS");
  const each = (payload.results as { usage: { executor_ms: number } }[]).map(({ usage }) => usage.executor_ms);
  for (const one of each) expect(one).toBeGreaterThanOrEqual(390);
  // In a row they would take as long as all of them together, on a busy machine, too.
  expect(ms).toBeLessThan(each.reduce((sum, one) => sum + one, 0));
});

const many = rounds(50, 200);
it(`should open one ticket for ${many} concurrent calls with one key`, async () => {
  const data = folder();
  const router = await startRouter(data, [], { TRP_APPROVAL_HMAC_SECRET: "the-secret" });
  const approval_token = approvalToken("the-secret", ticket as string, ticketArgs);
  const clients = await Promise.all(Array.from({ length: many }, () => openClient(router)));
  const frames = await Promise.all(
    clients.map((client) => client.call(ticket as string, ticketArgs, "key-1", { approval_token })),
  );
  const numbers = new Set<unknown>();
  for (const { frame_type, payload } of frames) {
    if (frame_type === "RESULT") numbers.add(payload.result.data.ticket_id);
    else expect([frame_type, payload.status]).toEqual(["ACK", "IN_PROGRESS"]);
  }
  expect(numbers.size).toBe(1);
  expect(tickets(data)).toBe(1);
});

it("should finish what runs when it is told to stop, and take nothing new", async (context) => {
  leftToCi(context);
  const data = folder();
  const env = { TRP_APPROVAL_HMAC_SECRET: "the-secret", TRP_EXECUTOR_BASE_SLEEP_MS: "1500" };
  const router = await startRouter(data, [], env);
  const client = await openClient(router);
  const approval_token = approvalToken("the-secret", ticket as string, ticketArgs);
  const running = client.call(ticket as string, ticketArgs, "key-1", { approval_token });
  await new Promise((done) => setTimeout(done, 500));
  const ended = router.stop();
  expect((await running).payload).toMatchObject({ status: "SUCCESS" });
  expect(await ended).toBe(0);
  expect(tickets(data)).toBe(1);
});

it("should serve the demo's own agent, whose approvals go to the operator", async () => {
  const data = folder();
  const router = await startRouter(data);
  const ask = (...args: string[]) => beside(router, "--protocol", "trp", "--router", router.url, ...args);
  const shown = await ask("show order 1042");
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain("id: 1042");
  const socket = await beside(
    router,
    "--protocol",
    "trp",
    "--router",
    router.url.replace("http", "ws"),
    "show order 1042",
  );
  expect(socket).toMatchObject({ code: 0, stdout: expect.stringContaining("id: 1042") });
  const question = "open a ticket: Lantern overheats";
  expect((await ask(question)).code).toBe(4);
  expect(tickets(data)).toBe(0);
  expect((await ask("--yes", question)).code).toBe(0);
  expect(tickets(data)).toBe(1);
  // Who has no part in the router's data can't decide there: the request stays open.
  const trp = (...args: string[]) => runDemo(["--protocol", "trp", ...args, question]);
  const elsewhere = await trp("--router", router.url, "--yes", "--data-dir", folder());
  expect(elsewhere.stdout).toContain("waits for approval");
  expect(tickets(data)).toBe(1);
  const gone = await trp("--router", "http://127.0.0.1:9", "--data-dir", data);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toMatch(/can't be reached/);
});

it("should find an audit log whole, and see where it was tampered with", async () => {
  const data = folder();
  const router = await startRouter(data);
  const client = await openClient(router);
  for (const key of ["a", "b", "c"]) await client.call(sql, { sql: "SELECT 1 AS one" }, key);
  await router.stop();
  const whole = await beside(router, "audit", "verify");
  expect(whole).toMatchObject({ code: 0, stderr: "" });
  expect(whole.stdout).toMatch(/^\d+ rows, head [0-9a-f]{64}\nok/);
  const noted = /--expect (\d+:[0-9a-f]{64})/.exec(whole.stdout)?.[1] ?? "";
  expect(await beside(router, "audit", "verify", "--expect", noted)).toMatchObject({ code: 0 });
  const forged = noted.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  const missed = await beside(router, "audit", "verify", "--expect", forged);
  expect([missed.code, missed.stdout]).toEqual([1, expect.stringContaining("is not the one that was noted")]);
  expect(await beside(router, "audit", "verify", "--expect", "nonsense")).toMatchObject({ code: 2 });
  const listed = await beside(router, "audit", "list", "--json");
  const all = listed.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { index: number; entry: { cap_id: string } });
  expect(all.map(({ index }) => index)).toEqual(all.map((_, at) => at + 1));
  expect(all.filter(({ entry }) => entry.cap_id === sql).length).toBeGreaterThanOrEqual(6);
  expect((await beside(router, "audit", "list", "--limit", "2")).stdout.split("\n").filter(Boolean)).toHaveLength(2);

  tamper(join(data, "router.db"), sql as string, "cap.query.sql_read.v9");
  const broken = await beside(router, "audit", "verify", "--json");
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout)).toMatchObject({ ok: false });
  const told = await beside(router, "audit", "verify");
  expect([told.code, told.stdout]).toEqual([1, expect.stringMatching(/broken at row \d+/)]);
});

it("should sign an audit log, and see what was made anew without the key", async () => {
  const data = folder();
  const keyFile = join(data, "audit.key");
  const made = await runDemo(["audit", "key", keyFile]);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(await runDemo(["audit", "key", keyFile])).toMatchObject({ code: 2 });
  const router = await startRouter(data, [], { TRP_AUDIT_KEY: keyFile });
  const client = await openClient(router);
  await client.call(sql, { sql: "SELECT 1 AS one" }, "a");
  await router.stop();
  // Signed when it was stopped.
  const whole = await beside(router, "audit", "verify", "--key", `${keyFile}.pub`);
  expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/Row \d+ was signed at/)]);
  expect(await beside(router, "audit", "verify", "--key", keyFile)).toMatchObject({ code: 0 });
  const signed = await beside(router, "audit", "checkpoint", "--key", keyFile);
  const noted = /--expect (\d+:[0-9a-f]{64})/.exec(signed.stdout)?.[1] ?? "";
  expect(await beside(router, "audit", "verify", "--expect", noted)).toMatchObject({ code: 0 });
  await runDemo(["audit", "key", join(data, "other.key")]);
  const other = await beside(router, "audit", "verify", "--key", join(data, "other.key.pub"));
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining("no checkpoint is signed by these keys")]);
  for (const [command, file] of [
    ["verify", join(data, "none")],
    ["checkpoint", `${keyFile}.pub`],
  ] as const) {
    const refused = await beside(router, "audit", command, "--key", file);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/key/)]);
  }
}, 60_000);

/** Changes one audit row behind the store's back. */
function tamper(path: string, from: string, to: string): void {
  const db = new Database(path);
  try {
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%audit%'").all() as {
      name: string;
    }[];
    const table = names[0]?.name as string;
    const columns = db.prepare(`PRAGMA table_info(${table})`).all() as { name: string; pk: number }[];
    const key = columns.find(({ pk }) => pk > 0)?.name as string;
    let changed = 0;
    for (const { name } of columns) {
      changed += db
        .prepare(
          `UPDATE ${table} SET ${name} = replace(${name}, ?, ?) WHERE ${key} = (SELECT ${key} FROM ${table} WHERE ${name} LIKE ? ORDER BY ${key} DESC LIMIT 1)`,
        )
        .run(from, to, `%${from}%`).changes;
    }
    expect(changed).toBeGreaterThan(0);
  } finally {
    db.close();
  }
}

it.each([
  [["router", "--store", "postgres"], {}, 2, /sqlite:PATH, postgres:\/\//],
  [["router", "--port", "99999"], {}, 2, /--port/],
  [["router", "--colour"], {}, 2, /unknown option/],
  [["router"], { TRP_TOKENS: "{oops" }, 2, /TRP_TOKENS must be JSON/],
  [["router"], { TRP_PORT: "x" }, 2, /TRP_PORT/],
  [["approvals", "approve"], {}, 2, /id/],
  [["approvals", "list", "--url", "http://127.0.0.1:9"], {}, 1, /No router answers/],
  [["approvals", "list", "--store", "memory"], {}, 2, /sqlite:FILE/],
  [["audit", "verify", "--store", "sqlite:/nowhere/router.db"], {}, 2, /There is no/],
] as const)("should end %j with %j as %i", async (args, env, expected, message) => {
  const { code, stdout, stderr } = await runDemo(args, { env: { TRP_DATA_DIR: folder(), ...env } });
  expect([code, stdout]).toEqual([expected, ""]);
  expect(stderr).toMatch(message);
});
