import { renameSync } from "node:fs";
import { createRouter, defineCapability, principal, type Router, type RouterEvent } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { verifyRows } from "@toolglot/trp-core/store";
import { afterEach, expect, it } from "vitest";
import { frame, hello } from "../../trp-core/test/chaos/frames.ts";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { commitsOf } from "./commits.ts";
import { newFile } from "./files.ts";
import { agent, endOf } from "./session.ts";

// The admission of a call's frame and the start of its operation are one commit, where the frame is the next one and its
// call and key are new. In all other cases everything is as if they were two.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

let effects = 0;

interface Life {
  router: Router;
  file: string;
  events: RouterEvent[];
  faults: unknown[];
  /** How often the policy was asked, by phase. */
  asked: string[];
}

async function start(file = newFile(), deny: string[] = []): Promise<Life> {
  const store = await openSqlite({ file, lockTimeoutMs: 200 });
  const [events, faults, asked]: [RouterEvent[], unknown[], string[]] = [[], [], []];
  const write = defineCapability({
    capId: "cap.x.write.v1",
    name: "write",
    description: "Writes.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "opaque",
    args: { n: "string" },
    execute: ({ n }) => {
      effects += 1;
      return { n };
    },
  });
  const router = createRouter({
    capabilities: [write],
    store,
    policy: {
      version: "test",
      evaluate: ({ args, phase }) => {
        asked.push(phase);
        return { decision: deny.includes(String(args.n)) ? "deny" : "allow", rule: "r", reason: "" } as never;
      },
    },
    onError: (error, facts) => void faults.push([(error as { code?: string }).code, facts]),
  });
  router.subscribe((event) => void events.push(event));
  ends.push(async () => {
    await router.close({ graceMs: 10 });
    await store.close();
  });
  return { router, file, events, faults, asked };
}

interface Open {
  send(
    router: Router,
    seq: number,
    n: string,
    more?: { id?: string; call?: string; key?: string },
  ): Promise<ResponseFrame>;
}

const context = { principal: agent };

async function open({ router }: Life): Promise<Open> {
  const opened = await router.handle(frame("HELLO_REQ", null, null, hello), context);
  if (opened.frame_type !== "HELLO_RES") throw new Error("no session");
  const session = { id: opened.payload.session_id, epoch: opened.payload.catalog_epoch };
  await router.handle(frame("CATALOG_SYNC_REQ", session, 1, { mode: "FULL", known_epoch: null }), context);
  return {
    send(to, seq, n, { id, call = `call-${n}`, key = `key-${n}` } = {}) {
      const item = {
        call_id: call,
        idempotency_key: key,
        idx: 0,
        cap_id: "cap.x.write.v1",
        timeout_ms: 5_000,
        args: { n },
      };
      const made = frame("CALL_REQ", session, seq, item);
      return to.handle(id === undefined ? made : { ...made, frame_id: id }, context);
    },
  };
}

const nextOf = ({ payload }: ResponseFrame): unknown =>
  (payload as { retry_hint?: { expected_seq?: number } }).retry_hint?.expected_seq;

it("should take two commits for a call with a new key", async () => {
  const life = await start();
  const session = await open(life);
  const before = commitsOf(life.file);
  expect(endOf(await session.send(life.router, 2, "a"))).toBe("SUCCESS");
  expect(commitsOf(life.file) - before).toBe(2);
  // The next one as well, and calls that come together share both.
  const both = [session.send(life.router, 3, "b"), session.send(life.router, 4, "c")];
  expect((await Promise.all(both)).map(endOf)).toEqual(["SUCCESS", "SUCCESS"]);
  expect(commitsOf(life.file) - before).toBeLessThanOrEqual(6);
  expect(life.asked.sort()).toEqual(["admission", "admission", "admission", "start", "start", "start"]);
});

it("should commit the admission of what is refused, before it is answered", async () => {
  const life = await start(undefined, ["no"]);
  const session = await open(life);
  const refused = await session.send(life.router, 2, "no");
  expect([endOf(refused), nextOf(refused)]).toEqual(["TRP_4001", 3]);
  const types = life.events.map(({ type }) => type).filter((type) => type.startsWith("call."));
  expect(types).toEqual(["call.accepted", "call.policy_denied", "call.failed"]);
  const store = await openSqlite({ file: life.file });
  ends.push(() => store.close());
  const [row] = await store.audit.read();
  expect(row?.entry).toMatchObject({ result_status: "REFUSED", error_code: "TRP_4001" });
  expect(endOf(await session.send(life.router, 3, "yes"))).toBe("SUCCESS");
});

it("should believe the store, and not what it expected, when another router has served the session", async () => {
  const one = await start();
  const other = await start(one.file);
  const session = await open(one);
  const first = effects;
  expect(endOf(await session.send(one.router, 2, "a"))).toBe("SUCCESS");
  // The same frame, a used seq, another frame with a used id: the first router expects seq 3 to be the next.
  const done = await session.send(other.router, 3, "b", { id: "frame-b" });
  expect(endOf(done)).toBe("SUCCESS");
  expect(await session.send(one.router, 3, "b", { id: "frame-b" })).toEqual(done);
  expect(endOf(await session.send(other.router, 4, "c"))).toBe("SUCCESS");
  const late = await session.send(one.router, 4, "other");
  expect([endOf(late), nextOf(late)]).toEqual(["TRP_1004", 5]);
  expect(endOf(await session.send(other.router, 5, "d", { id: "frame-d" }))).toBe("SUCCESS");
  expect(endOf(await session.send(one.router, 5, "e", { id: "frame-d" }))).toBe("TRP_2000");
  expect(effects - first).toBe(4);
  // Nothing of what did not count is in the log, and it is heard of once.
  const store = await openSqlite({ file: one.file });
  ends.push(() => store.close());
  const rows = await store.audit.read();
  expect(verifyRows(rows)).toMatchObject({ ok: true, rows: 8 });
  expect(one.events.filter(({ type }) => type === "call.accepted")).toHaveLength(1);
  expect(endOf(await session.send(one.router, 6, "f"))).toBe("SUCCESS");
});

it("should begin nothing twice when two routers get the same frame at the same time", async () => {
  const one = await start();
  const other = await start(one.file);
  const session = await open(one);
  await session.send(one.router, 2, "warm");
  await session.send(other.router, 3, "other");
  const first = effects;
  for (let seq = 4; seq < 24; seq += 1) {
    const send = async ({ router }: Life): Promise<string> => {
      for (;;) {
        const reply = await session.send(router, seq, `n${seq}`, { id: `frame-${seq}` });
        // On a busy machine one router may hold the lock for longer than the other waits. The draft lets that one say
        // so, and its caller send the same frame again.
        if (endOf(reply) !== "TRP_5003") return endOf(reply);
        expect(reply.payload).toMatchObject({ retryable: true, dispatched: false });
      }
    };
    for (const end of await Promise.all([one, other].map(send))) expect(["SUCCESS", "ACK"]).toContain(end);
  }
  expect(effects - first).toBe(20);
});

it("should refuse a frame while another process holds the lock, and do it when it is sent again", async () => {
  const life = await start();
  const session = await open(life);
  await session.send(life.router, 2, "warm");
  const first = effects;
  const holder = (await chooseDriver()).open(life.file);
  holder.exec("BEGIN IMMEDIATE");
  const refused = await session.send(life.router, 3, "late", { id: "frame-3" });
  expect(refused.payload).toMatchObject({ error_code: "TRP_5003", retryable: true, dispatched: false });
  expect(life.faults).toContainEqual(["trp/store-busy", { operation: "sessions.admit" }]);
  expect(effects).toBe(first);
  holder.exec("ROLLBACK");
  holder.close();
  expect(endOf(await session.send(life.router, 3, "late", { id: "frame-3" }))).toBe("SUCCESS");
  expect(effects - first).toBe(1);
});

it("should admit the frame of a key or a call that is known, as ever", async () => {
  const life = await start();
  const session = await open(life);
  const first = effects;
  await session.send(life.router, 2, "a", { key: "k" });
  const replayed = await session.send(life.router, 3, "a", { key: "k", call: "another" });
  expect(replayed.payload).toMatchObject({ status: "SUCCESS", replayed_from: "call-a" });
  expect(endOf(await session.send(life.router, 4, "b", { key: "k", call: "conflict" }))).toBe("TRP_4004");
  expect(endOf(await session.send(life.router, 5, "a", { key: "k" }))).toBe("SUCCESS");
  expect(endOf(await session.send(life.router, 6, "b", { call: "call-a" }))).toBe("TRP_1007");
  expect(effects - first).toBe(1);
  expect(endOf(await session.send(life.router, 7, "c"))).toBe("SUCCESS");
});

it("should answer for a commit that fails, and take the same seq again", async () => {
  const life = await start();
  const session = await open(life);
  await session.send(life.router, 2, "a");
  const first = effects;
  for (const part of ["", "-wal", "-shm"]) renameSync(life.file + part, `${life.file}.away${part}`);
  expect(endOf(await session.send(life.router, 3, "b"))).toBe("TRP_5003");
  expect(life.faults).toContainEqual(["trp/store-replaced", { operation: "sessions.admit" }]);
  for (const part of ["", "-wal", "-shm"]) renameSync(`${life.file}.away${part}`, life.file + part);
  expect(effects).toBe(first);
  expect(endOf(await session.send(life.router, 3, "b"))).toBe("SUCCESS");
  expect(effects - first).toBe(1);
});

it("should keep what a call was answered once, as its reply and its outcome", async () => {
  const life = await start();
  const session = await open(life);
  await session.send(life.router, 2, "a");
  const connection = (await chooseDriver()).open(life.file);
  const rows = connection.prepare("SELECT reply, outcome, frame FROM calls");
  const frame = expect.any(String);
  expect(rows.all([])).toEqual([{ reply: expect.stringContaining('"SUCCESS"'), outcome: null, frame }]);
  expect(connection.prepare("SELECT 1 FROM frames WHERE seq = 2").all([])).toEqual([]);
  connection.close();
});

it("should expect nothing of a session for somebody else", async () => {
  const life = await start();
  const session = await open(life);
  await session.send(life.router, 2, "a");
  const stranger = {
    handle: (made: unknown) => life.router.handle(made, { principal: principal({ id: "stranger" }) }),
  };
  expect(endOf(await session.send(stranger as never, 3, "b"))).toBe("TRP_1008");
  expect(endOf(await session.send(life.router, 3, "b"))).toBe("SUCCESS");
});
