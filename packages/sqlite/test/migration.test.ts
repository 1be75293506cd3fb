import { someOf } from "@toolglot/internal/testing";
import { createRouter } from "@toolglot/trp-core";
import { chainText, entryText, type NewEvent } from "@toolglot/trp-core/store";
import { expect, it } from "vitest";
import { chooseDriver } from "../src/driver.ts";
import { openSqlite } from "../src/index.ts";
import { applicationId, migrations } from "../src/migrations.ts";
import { newFile } from "./files.ts";
import { callOnce } from "./session.ts";

/** A file as a version of this package left it that knew so many steps, with rows of an audit log. */
async function fileOf(steps: number, rows: number): Promise<string> {
  const file = newFile();
  const connection = (await chooseDriver()).open(file);
  connection.exec("PRAGMA journal_mode = WAL");
  for (const step of migrations.slice(0, steps)) connection.exec(step);
  connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps}`);
  let last: ReturnType<typeof chainText> | undefined;
  for (let n = 1; n <= rows; n++) {
    const text = entryText({ kind: "decision", tenant: "t", call_id: `c${n}`, idempotency_key: null } as never);
    last = chainText(last, 1_000, text);
    connection
      .prepare("INSERT INTO audit (n, at, entry, prev_hash, hash) VALUES (?, ?, ?, ?, ?)")
      .run([last.index, 1_000, text, last.prevHash, last.hash]);
  }
  connection.close();
  return file;
}

const versions = migrations.map((_, index) => index + 1);

it.each(someOf(versions, 1, [versions.length - 1]))("takes over a file of table version %i", async (steps) => {
  const file = await fileOf(steps, 3);
  const stores = await Promise.all([openSqlite({ file }), openSqlite({ file })]);
  const [store] = stores;
  const router = createRouter({ store, outbox: true, checkpoints: {}, times: { recoverEveryMs: 0, pruneEveryMs: 0 } });
  expect(await router.audit.verify()).toMatchObject({ ok: true, rows: 3, checkpoints: 0 });
  expect(await router.outbox.read({ after: 0 })).toEqual({ events: [], last: 0 });
  expect((await callOnce(router, "cap.trp.artifact.read.v1", { artifact_id: "none" })).frame_type).toBe("NACK");
  expect(await router.audit.checkpoint()).toMatchObject({ index: 4, from: 1 });
  await stores[1].audit.append([], { events: [{ type: "call.accepted" } as NewEvent] });
  const { events } = await router.outbox.read({ after: 0 });
  expect(events.map(({ index }) => index)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)?.event.type).toBe("call.accepted");
  expect(await router.audit.verify()).toMatchObject({ ok: true, rows: 4, checkpoints: 1 });
  await router.close();
  await Promise.all(stores.map((one) => one.close()));
});

it("should know the frames of a file in which each had a row of its own", async () => {
  const file = await fileOf(7, 0);
  const connection = (await chooseDriver()).open(file);
  const fixed = { id: "s", tenant: "t", principal: "p", agentId: "a", features: [], createdAt: 1, expiresAt: 9e15 };
  const insert = (table: string, row: Record<string, string | number | null>): void => {
    const marks = Object.keys(row).map(() => "?");
    const sql = `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${marks})`;
    connection.prepare(sql).run(Object.values(row));
  };
  insert("sessions", { n: 1, id: "s", expected_seq: 4, view: "v", expires_at: 9e15, record: JSON.stringify(fixed) });
  const payload = { call_id: "a", status: "SUCCESS" };
  const reply = (frame: string): string => JSON.stringify({ frame_type: "RESULT", frame_id: `res_${frame}`, payload });
  const call = (id: string, seq: number, own: string | null): void =>
    insert("calls", {
      ...{ session: 1, call_id: id, seq, place: 0, deadline: 9e15, frame: `f${seq}`, reply: own },
      record: JSON.stringify({ callId: id, digest: `d${id}`, frameId: `f${seq}` }),
    });
  const frame = (seq: number, calls: string[], own: string | null): void =>
    insert("frames", {
      ...{ session: 1, seq, frame_id: `f${seq}`, digest: `g${seq}`, calls: JSON.stringify(calls), reply: own },
    });
  // Answered as its call was, answered otherwise, and of no call.
  call("a", 1, reply("f1"));
  frame(1, ["a"], null);
  call("b", 2, null);
  frame(2, ["b"], reply("f2"));
  frame(3, [], reply("f3"));
  connection.close();
  const store = await openSqlite({ file });
  const who = { sessionId: "s", tenant: "t", principal: "p" };
  const again = (seq: number, ids: string[]): unknown =>
    store.sessions.admit({
      ...{ ...who, frameId: `f${seq}`, digest: `g${seq}`, seq },
      calls: ids.map((callId) => ({ callId, digest: `d${callId}`, timeoutMs: 1 })),
    });
  for (const [seq, ids] of [[1, ["a"]] as const, [2, ["b"]] as const, [3, []] as const]) {
    const found = await again(seq, [...ids]);
    expect(found).toMatchObject({ status: "duplicate", frameCalls: ids, reply: JSON.parse(reply(`f${seq}`)) });
  }
  expect(await store.sessions.readCall("s", "a")).toMatchObject({ outcome: { type: "RESULT", payload } });
  await store.close();
});
