import { createRouter, defineCapability, principal, type Router } from "@toolglot/trp-core";
import { type AuditEntry, expectingFrames, type RouterStore, verifyRows } from "@toolglot/trp-core/store";
import { afterEach, expect, it } from "vitest";
import { frame } from "../../trp-core/test/chaos/frames.ts";
import { connect } from "../src/connect.ts";
import { chooseDriver } from "../src/driver.ts";
import type { Driver } from "../src/drivers/types.ts";
import { GroupCommit } from "../src/group-commit.ts";
import { openSqlite } from "../src/index.ts";
import { sqliteStore } from "../src/sqlite-store.ts";
import { prepareFile } from "../src/store-file.ts";
import { Transaction } from "../src/transaction.ts";
import { newFile } from "./files.ts";
import { endOf } from "./session.ts";

// A call's cost in the store: statements that SQLite runs, BEGIN and COMMIT included. More of them is more processor time
// for every call, so these numbers go down, or up with a reason.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Counted {
  router: Router;
  /** Statements and commits since the last call of this. */
  take(): { statements: number; commits: number };
  /** How SQLite finds the rows of each statement that was used. */
  plans(): string[];
}

/** A router on a store in this thread, all of whose statements are counted. */
async function counted(): Promise<Counted> {
  const counts = { statements: 0, commits: 0 };
  const file = prepareFile(newFile());
  const texts = new Set<string>();
  const connection = await connect(counting(await chooseDriver(), counts, texts), file, {
    synchronous: "normal",
    lockTimeoutMs: 1_000,
  });
  const commits = new GroupCommit(connection, new Transaction(connection, file, Date.now), {
    name: "counted",
    lockTimeoutMs: 1_000,
    // A slow machine must not make more transactions of the same work.
    maxMs: 1_000,
  });
  const opened = sqliteStore({ name: "counted", durability: "disk", commits, now: Date.now });
  const store: RouterStore = { ...opened, sessions: expectingFrames(opened.sessions, Date.now) };
  const facts = { description: "Does it.", args: { n: "string" }, execute: ({ n }: { n: string }) => ({ n }) } as const;
  const router = createRouter({
    store,
    capabilities: [
      defineCapability({
        ...facts,
        capId: "cap.x.read.v1",
        name: "read",
        riskTier: "LOW",
        ioClass: "READ",
        effect: "pure",
      }),
      defineCapability({
        ...facts,
        capId: "cap.x.write.v1",
        name: "write",
        riskTier: "MEDIUM",
        ioClass: "WRITE",
        effect: "keyed",
      }),
    ],
  });
  ends.push(async () => {
    await router.close({ graceMs: 10 });
    await store.close();
  });
  return {
    router,
    take() {
      const taken = { ...counts };
      Object.assign(counts, { statements: 0, commits: 0 });
      return taken;
    },
    plans() {
      const steps = [...texts].flatMap((sql) => connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all([]));
      return steps.map(({ detail }) => String(detail));
    },
  };
}

function counting(driver: Driver, counts: { statements: number; commits: number }, texts: Set<string>): Driver {
  return {
    ...driver,
    open(file) {
      const { exec, prepare, close } = driver.open(file);
      return {
        exec(sql) {
          counts.statements += 1;
          if (sql === "COMMIT") counts.commits += 1;
          exec(sql);
        },
        prepare(sql) {
          const statement = prepare(sql);
          if (/^(?:SELECT|INSERT|UPDATE|DELETE)/.test(sql)) texts.add(sql);
          const note =
            <Given extends unknown[], Result>(run: (...given: Given) => Result) =>
            (...given: Given): Result => {
              counts.statements += 1;
              return run(...given);
            };
          return {
            run: note(statement.run),
            change: note(statement.change),
            get: note(statement.get),
            all: note(statement.all),
          };
        },
        close,
      };
    },
  };
}

type Call = (name: "read" | "write") => Promise<string>;

async function open(router: Router, features: string[] = []): Promise<Call> {
  const context = { principal: principal({ id: "agent" }) };
  const hello = { agent_id: "a", supported_versions: ["0.1"], resume_session_id: null, features };
  const opened = await router.handle(frame("HELLO_REQ", null, null, hello), context);
  if (opened.frame_type !== "HELLO_RES") throw new Error("no session");
  const session = { id: opened.payload.session_id, epoch: opened.payload.catalog_epoch };
  await router.handle(frame("CATALOG_SYNC_REQ", session, 1, { mode: "FULL", known_epoch: null }), context);
  let seq = 1;
  return async (name) => {
    seq += 1;
    const item = {
      call_id: `call-${seq}`,
      idempotency_key: name === "write" ? `key-${session.id}-${seq}` : null,
      idx: name === "read" ? 0 : 1,
      cap_id: `cap.x.${name}.v1`,
      timeout_ms: 5_000,
      args: { n: `${seq} of ${session.id}` },
    };
    return endOf(await router.handle(frame("CALL_REQ", session, seq, item), context));
  };
}

const everything = ["RESULT_FAILED", "SEQ_WINDOW", "CANCEL", "CATALOG_DELTA", "CALL_DAG"];

it.each<[string, "read" | "write", string[], { statements: number; commits: number }]>([
  ["a keyed call", "write", [], { statements: 11, commits: 2 }],
  ["a keyed call that may be cancelled", "write", everything, { statements: 11, commits: 2 }],
  ["a read", "read", [], { statements: 6, commits: 1 }],
])("should take no more for %s", async (_what, name, features, most) => {
  const { router, take } = await counted();
  const call = await open(router, features);
  for (let n = 0; n < 3; n += 1) expect(await call(name)).toBe("SUCCESS");
  take();
  expect(await call(name)).toBe("SUCCESS");
  const found = take();
  expect(found.commits).toBe(most.commits);
  expect(found.statements).toBeLessThanOrEqual(most.statements);
});

it.each<[string, "read" | "write", string[], number]>([
  ["keyed calls", "write", [], 9],
  ["keyed calls that may be cancelled", "write", everything, 9],
  ["reads", "read", [], 5],
])("should take no more for %s of 32 sessions at once, each", async (_what, name, features, most) => {
  const { router, take } = await counted();
  const calls = await Promise.all(Array.from({ length: 32 }, () => open(router, features)));
  for (let n = 0; n < 3; n += 1) await Promise.all(calls.map((call) => call(name)));
  take();
  expect(new Set(await Promise.all(calls.map((call) => call(name))))).toEqual(new Set(["SUCCESS"]));
  const { statements } = take();
  expect(statements / 32).toBeLessThanOrEqual(most);
});

it("should find by an index whatever calls ask of tables that grow", async () => {
  const { router, plans } = await counted();
  const call = await open(router, everything);
  for (let n = 0; n < 70; n += 1) expect(await call(n % 2 === 0 ? "write" : "read")).toBe("SUCCESS");
  const found = plans();
  // The last row of the audit log is a scan that ends at once.
  expect(found.filter((step) => /^SCAN (?:sessions|frames|calls|operations|approvals)/.test(step))).toEqual([]);
  // Of many that do the same at one time, only those that are unsettled.
  const ofEffects = found.filter((step) => /operations_(?:by_effect|in_doubt)/.test(step));
  expect(ofEffects.map((step) => step.replace(/^.*INDEX /, ""))).toEqual([
    "operations_by_effect (effect_id=? AND lease_until<?)",
    "operations_in_doubt (effect_id=?)",
  ]);
});

const who = { tenant: "t", principal: "p" };
const call = { sessionId: "s", callId: "call" };
const request = { scope: "x", key: "k", fingerprint: "f", owner: "me", leaseMs: 1_000, abandoned: "doubt" } as const;

async function withSession(): Promise<RouterStore> {
  const { store } = (await counted()).router;
  await store.sessions.create({ id: "s", ...who, agentId: "a", features: ["CANCEL"], view: "v", ttlMs: 60_000 });
  return store;
}

it("should not begin a call that is cancelled in the transaction that admits it", async () => {
  const { sessions, operations } = await withSession();
  const sent = { callId: "call", digest: "d", timeoutMs: 1_000 };
  const admission = { sessionId: "s", ...who, frameId: "frame", digest: "d", seq: 1, calls: [sent] };
  const together = [
    sessions.admit(admission),
    sessions.cancelCall("s", "call"),
    operations.start(request, { data: {}, unlessCancelled: call }),
  ] as const;
  const [admitted, cancelled, started] = await Promise.all(together);
  expect([admitted.status, cancelled?.isCancelled, started.status]).toEqual(["admitted", true, "call-cancelled"]);
});

it("should end an operation whose record has changed since its start", async () => {
  const { operations } = await withSession();
  const started = await operations.start(request, { data: { n: 1 } });
  if (started.status !== "claimed") throw new Error(started.status);
  expect(await operations.renew(started.claim, 5_000)).toBe(true);
  expect(await operations.finish(started.claim, { state: "done", outcome: 1 })).toBe(true);
  expect(await operations.read(request)).toMatchObject({ state: "done", outcome: 1, data: { n: 1 } });
  expect(await operations.finish(started.claim, { state: "done", outcome: 2 })).toBe(false);
});

it("should leave a seq to the session when its frame is refused", async () => {
  const { sessions } = await withSession();
  const sent = (callId: string, digest = "d"): { callId: string; digest: string; timeoutMs: number } => ({
    callId,
    digest,
    timeoutMs: 1_000,
  });
  const admission = { sessionId: "s", ...who, frameId: "one", digest: "d", seq: 1, calls: [sent("a")] };
  expect(await sessions.admit(admission)).toMatchObject({ status: "admitted" });
  // The id of another frame, somebody else's session, and a call that is known.
  const reused = { ...admission, digest: "e", seq: 2, calls: [sent("b")] };
  expect(await sessions.admit(reused)).toMatchObject({ status: "frame-reused", session: { expectedSeq: 2 } });
  expect(await sessions.admit({ ...reused, frameId: "two", principal: "q" })).toEqual({ status: "no-session" });
  expect(await sessions.readCall("s", "b")).toBeUndefined();
  const again = { ...admission, frameId: "two", seq: 2 };
  expect(await sessions.admit(again)).toMatchObject({ status: "admitted", calls: { a: { status: "known" } } });
  expect(await sessions.read("s", who)).toMatchObject({ expectedSeq: 3 });
});

it("should read again what another connection has written meanwhile", async () => {
  const file = newFile();
  const stores = await Promise.all([openSqlite({ file }), openSqlite({ file })]);
  const fences: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    // Twice by the same one, then by the other.
    const { operations } = stores[(n >> 1) % 2] as RouterStore;
    const entry = { kind: "decision", tenant: "t", call_id: `c${n}` } as AuditEntry;
    const started = await operations.start({ ...request, key: `k${n}` }, { data: {}, audit: [entry, entry] });
    if (started.status !== "claimed") throw new Error(started.status);
    fences.push(started.claim.fence);
  }
  expect(fences).toEqual(fences.map((_, index) => index + 1));
  const rows = await stores[0].audit.read();
  expect(verifyRows(rows)).toMatchObject({ ok: true, rows: 24 });
  await Promise.all(stores.map((store) => store.close()));
});

it("should give out fences that only rise, whoever had some reserved", async () => {
  const file = newFile();
  const fences: number[] = [];
  let n = 0;
  const take = async ({ operations }: RouterStore, starts: number, claims = 0): Promise<void> => {
    const entry = { kind: "decision", tenant: "t", call_id: "c" } as AuditEntry;
    for (let at = 0; at < starts + claims; at += 1) {
      n += 1;
      const own = { ...request, key: `k${n}` };
      const taken = at < starts ? operations.start(own, { data: {}, audit: [entry] }) : operations.claim(own);
      const { status, record } = (await taken) as { status: string; record: { fence: number } };
      expect(status).toBe("claimed");
      fences.push(record.fence);
    }
  };
  const [one, other] = await Promise.all([openSqlite({ file }), openSqlite({ file })]);
  await take(one, 6);
  await take(other, 0, 4);
  await take(one, 0, 1);
  await take(other, 5, 1);
  await take(one, 70);
  await one.close();
  await take(other, 1);
  const third = await openSqlite({ file });
  await take(third, 3);
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  await Promise.all([other.close(), third.close()]);
});
