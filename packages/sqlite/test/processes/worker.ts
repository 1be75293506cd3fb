import { tellParent } from "@toolglot/internal/testing/tell-parent";
import type { AuditEntry, NewEvent } from "@toolglot/trp-core/store";
import { chooseDriver } from "../../src/driver.ts";
import { openSqlite } from "../../src/index.ts";

// A process of its own that works on a store's file; it tells its parent what it did, a line each, at once.

const [file = "", mode, ...settings] = process.argv.slice(2);
const request = { scope: "s", fingerprint: "f", owner: String(process.pid), leaseMs: 60_000 };
const entry = (callId: string): AuditEntry =>
  ({ kind: "decision", tenant: "t", principal: "p", call_id: callId, error_code: null }) as AuditEntry;

const event = (type: "call.accepted" | "call.executed" | "call.succeeded", callId: string): NewEvent =>
  ({ type, callId, tenant: "t" }) as NewEvent;
const index = (last: number | undefined): number => Math.floor((last ?? 0) / 20);

if (mode === "claim") {
  // Everybody starts the same keys; those that were won are told.
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  await Promise.all(
    Array.from({ length: Number(settings[0]) }, async (_, index) => {
      const key = `k${index}`;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
      const approval = { kind: "token", jti: `j${index % 10}`, expiresAt: Date.now() + 60_000 } as const;
      const result = await store.operations.start({ ...request, key }, { approval, audit: [entry(key)] });
      if (result.status === "claimed") tellParent(key);
    }),
  );
  await store.close();
} else if (mode === "load") {
  // Starts and finishes for ever, and tells what was acknowledged. It is killed in the midst of it.
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      for (let index = 0; ; index++) {
        const key = `${settings[0]}-${caller}-${index}`;
        const result = await store.operations.start({ ...request, key }, { audit: [entry(key)] });
        if (result.status !== "claimed") throw new Error(result.status);
        tellParent(`started ${key}`);
        const outcome = { n: index };
        await store.operations.finish(result.claim, { state: "done", outcome }, { audit: [entry(key)] });
        tellParent(`done ${key}`);
      }
    }),
  );
} else if (mode === "tell") {
  // Starts and finishes for ever, with an event of each step. It is killed in the midst of it.
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  await Promise.all(
    Array.from({ length: 4 }, async (_, caller) => {
      for (let index = 0; ; index++) {
        const key = `${settings[0]}-${caller}-${index}`;
        const result = await store.operations.start({ ...request, key }, { events: [event("call.accepted", key)] });
        if (result.status !== "claimed") throw new Error(result.status);
        const events = [event("call.executed", key), event("call.succeeded", key)];
        await store.operations.finish(result.claim, { state: "done", outcome: 1 }, { events });
        tellParent(key);
      }
    }),
  );
} else if (mode === "consume") {
  // Handles what the outbox has for it, for ever or until there is nothing: a line each, then it acknowledges.
  const store = await openSqlite({ file, lockTimeoutMs: 60_000 });
  const [consumer = "", until] = settings;
  for (;;) {
    const { events, missed } = await store.outbox.read({ consumer, limit: 20 });
    if (missed !== undefined) throw new Error(`missed ${missed.first} to ${missed.last}`);
    for (const { index, event: got } of events) tellParent(`${index} ${got.type} ${"callId" in got ? got.callId : ""}`);
    const last = events.at(-1)?.index;
    if (last !== undefined) await store.outbox.acknowledge(consumer, last);
    else if (until === "empty") break;
    if (index(last) % 7 === 0) await store.prune();
  }
  await store.close();
} else if (mode === "leave") {
  // Asks for a commit and forgets the store, which keeps no process alive, and lets none end before it has answered.
  const store = await openSqlite({ file });
  void store.operations.claim({ ...request, key: "k" }).then(({ status }) => tellParent(status));
} else if (mode === "hold") {
  // Takes the lock, and gives it back when it is told anything.
  const connection = (await chooseDriver()).open(file);
  connection.exec("BEGIN IMMEDIATE; UPDATE counters SET value = value + 1000");
  tellParent("held");
  process.stdin.once("data", () => {
    connection.exec("COMMIT");
    process.exit(0);
  });
}
