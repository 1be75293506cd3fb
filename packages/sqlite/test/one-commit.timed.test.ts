import { createRouter, defineCapability, type Router } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { type RouterStore, verifyRows } from "@toolglot/trp-core/store";
import { afterEach, expect, it } from "vitest";
import { frame, hello } from "../../trp-core/test/chaos/frames.ts";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { commitsOf } from "./commits.ts";
import { newFile } from "./files.ts";
import { agent, endOf } from "./session.ts";

// A read is one commit: the admission of its frame, its answer and its audit row. Where it takes long, or the store finds
// something else than it had expected, everything is as if they were two.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Life {
  router: Router;
  store: RouterStore;
  file: string;
  /** What was read, whether or not it counts. */
  ran: string[];
}

async function start(file = newFile(), wait: (n: string) => unknown = () => {}): Promise<Life> {
  const store = await openSqlite({ file, lockTimeoutMs: 200 });
  const ran: string[] = [];
  const read = defineCapability({
    ...{ capId: "cap.x.read.v1", name: "read", description: "Reads.", riskTier: "LOW", ioClass: "READ" },
    effect: "pure",
    args: { n: "string" },
    async execute({ n }) {
      ran.push(n);
      await wait(n);
      return { n };
    },
  });
  const router = createRouter({ capabilities: [read], store });
  ends.push(async () => {
    await router.close({ graceMs: 10 });
    await store.close();
  });
  return { router, store, file, ran };
}

type Send = (to: Life, seq: number, n: string, id?: string) => Promise<ResponseFrame>;

const context = { principal: agent };

/** A session of which all routers on the file know. */
async function open({ router }: Life): Promise<{ id: string; send: Send }> {
  const opened = await router.handle(frame("HELLO_REQ", null, null, hello), context);
  if (opened.frame_type !== "HELLO_RES") throw new Error("no session");
  const session = { id: opened.payload.session_id, epoch: opened.payload.catalog_epoch };
  await router.handle(frame("CATALOG_SYNC_REQ", session, 1, { mode: "FULL", known_epoch: null }), context);
  return {
    id: session.id,
    send({ router: to }, seq, n, id = `frame-${n}`) {
      const item = { call_id: `call-${n}`, idempotency_key: null, idx: 0, cap_id: "cap.x.read.v1", timeout_ms: 9_000 };
      return to.handle({ ...frame("CALL_REQ", session, seq, { ...item, args: { n } }), frame_id: id }, context);
    },
  };
}

it("should take one commit for a read, and have everything in it when it answers", async () => {
  const life = await start();
  const { id, send } = await open(life);
  await send(life, 2, "warm");
  const before = commitsOf(life.file);
  const reply = await send(life, 3, "a");
  expect(commitsOf(life.file) - before).toBe(1);
  const other = await openSqlite({ file: life.file });
  ends.push(() => other.close());
  expect(reply).toMatchObject({ frame_type: "RESULT", payload: { status: "SUCCESS" } });
  expect(await other.sessions.readCall(id, "call-a")).toMatchObject({ outcome: { payload: reply.payload } });
  expect((await other.audit.read()).map(({ entry }) => [entry.call_id, entry.result_status])).toEqual([
    ["call-warm", "SUCCESS"],
    ["call-a", "SUCCESS"],
  ]);
});

it("should wait a moment for a read that is not done at once", async () => {
  const life = await start(undefined, async () => {
    for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
  });
  const { send } = await open(life);
  await send(life, 2, "warm");
  const commits: number[] = [];
  for (let seq = 3; seq < 13; seq += 1) {
    const before = commitsOf(life.file);
    expect(endOf(await send(life, seq, `${seq}`))).toBe("SUCCESS");
    commits.push(commitsOf(life.file) - before);
  }
  // A busy machine may take longer than that moment.
  expect(Math.min(...commits)).toBe(1);
  expect(Math.max(...commits)).toBeLessThanOrEqual(2);
});

it("should admit the frame of a read that takes long, while it runs", async () => {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const life = await start(undefined, (n) => (n === "slow" ? done : undefined));
  const other = await start(life.file);
  const { id, send } = await open(life);
  await send(life, 2, "warm");
  const slow = send(life, 3, "slow");
  const who = { tenant: agent.tenant, principal: agent.id };
  await expect.poll(async () => (await other.store.sessions.read(id, who))?.expectedSeq, { timeout: 5_000 }).toBe(4);
  expect(await send(other, 3, "slow")).toMatchObject({ frame_type: "ACK", payload: { status: "IN_PROGRESS" } });
  expect(endOf(await send(other, 4, "quick"))).toBe("SUCCESS");
  finish();
  expect(endOf(await slow)).toBe("SUCCESS");
  expect(await send(other, 3, "slow")).toEqual(await slow);
});

it("should believe the store, and not what it expected, when another router has served the session", async () => {
  const one = await start();
  const other = await start(one.file);
  const { send } = await open(one);
  await send(one, 2, "a");
  // The same frame, a used seq, another frame with a used id: the first router expects seq 3 to be the next.
  const done = await send(other, 3, "b");
  expect(await send(one, 3, "b")).toEqual(done);
  await send(other, 4, "c");
  expect(endOf(await send(one, 4, "d"))).toBe("TRP_1004");
  await send(other, 5, "e");
  expect(endOf(await send(one, 5, "f", "frame-e"))).toBe("TRP_2000");
  expect(endOf(await send(one, 6, "g"))).toBe("SUCCESS");
  // It ran what did not count, and nothing is known of that.
  expect(one.ran).toEqual(["a", "b", "d", "f", "g"]);
  const rows = await one.store.audit.read();
  expect(rows.map(({ entry }) => entry.call_id)).toEqual(["a", "b", "c", "e", "g"].map((n) => `call-${n}`));
  expect(verifyRows(rows)).toMatchObject({ ok: true });
});

it("should answer the same when two routers get the same frame at the same time", async () => {
  const one = await start();
  const other = await start(one.file);
  const { send } = await open(one);
  await send(one, 2, "warm");
  await send(other, 3, "other");
  for (let seq = 4; seq < 24; seq += 1) {
    const replies = await Promise.all([one, other].map((each) => send(each, seq, `n${seq}`)));
    // One may be asked while the other's is not committed, or hold the lock for longer than the other waits.
    const told = replies.filter(({ frame_type: type }) => type === "RESULT");
    expect(["RESULT", "ACK", "NACK"]).toEqual(expect.arrayContaining(replies.map(({ frame_type: type }) => type)));
    expect(await send(one, seq, `n${seq}`)).toEqual(told[0] ?? expect.objectContaining({ frame_type: "RESULT" }));
    expect(new Set(told.map((reply) => JSON.stringify(reply))).size).toBeLessThanOrEqual(1);
  }
  const rows = await one.store.audit.read();
  expect(new Set(rows.map(({ entry }) => entry.call_id)).size).toBe(rows.length);
});

it("should say that it ran when its commit fails, and do it when it is sent again", async () => {
  const life = await start();
  const { send } = await open(life);
  await send(life, 2, "warm");
  const holder = (await chooseDriver()).open(life.file);
  holder.exec("BEGIN IMMEDIATE");
  const failed = await send(life, 3, "a");
  expect(failed.payload).toMatchObject({ error_code: "TRP_5001", retryable: true, dispatched: true });
  holder.exec("ROLLBACK");
  holder.close();
  expect(endOf(await send(life, 3, "a"))).toBe("SUCCESS");
  expect(life.ran).toEqual(["warm", "a", "a"]);
});
