import { describe, expect, it } from "vitest";
import type { Resolution } from "../src/calls/running/resolve.ts";
import { defineCapability } from "../src/catalog/define-capability.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { boss, callItem, openSession, type Session } from "./router-rig.ts";

/** One opaque capability that never answers, one whose arguments name its effect, and one that gives a value. */
async function rig() {
  const opaque = { riskTier: "MEDIUM", ioClass: "WRITE", effect: "opaque", args: { text: "string" } } as const;
  const capabilities = [
    defineCapability({ ...opaque, capId: "cap.test.hang.v1", name: "hang", description: "Hangs.", execute: never }),
    defineCapability({
      ...{ ...opaque, capId: "cap.test.named.v1", name: "named", description: "Hangs.", execute: never },
      effectKey: ({ text }) => `text:${text}`,
    }),
    defineCapability({
      ...{ capId: "cap.test.give.v1", name: "give", description: "Gives.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "pure", args: {}, execute: () => ({ text: "a" }) },
    }),
  ];
  const store = new MemoryStore();
  const router = createRouter({ store, allowVolatile: true, capabilities });
  const session = await openSession(router, { features: ["CALL_DAG", "RESULT_FAILED"] });
  const rows = await session.sync();
  const item = (name: string, more: object = {}) => {
    const cap_id = `cap.test.${name}.v1`;
    const idx = rows.find((row) => row.cap_id === cap_id)?.idx;
    const own = { call_id: "c", idempotency_key: "key-1", timeout_ms: 20, args: { text: "a" } };
    return callItem({ ...own, cap_id, ...more }, idx);
  };
  return { router, session, item };
}
type Rig = Awaited<ReturnType<typeof rig>>;

function never(): Promise<never> {
  return new Promise(() => {});
}

const send = (session: Session, item: object) => session.send("CALL_REQ", item);
const ways: [string, (rig: Rig) => Promise<unknown>][] = [
  ["a SYNC call", ({ session, item }) => send(session, item("hang"))],
  [
    "a SYNC call that is sent twice",
    async ({ session, item }) => {
      await send(session, item("hang"));
      await send(session, item("hang", { attempt: 2 }));
    },
  ],
  [
    "an equal call under another key",
    async ({ session, item }) => {
      await send(session, item("hang", { call_id: "first" }));
      await send(session, item("hang", { idempotency_key: "key-2" }));
    },
  ],
  ["a call whose arguments name its effect", ({ session, item }) => send(session, item("named"))],
  [
    "a call whose arguments name its effect, without a key",
    ({ session, item }) => send(session, item("named", { idempotency_key: null })),
  ],
  [
    "a call of a batch",
    ({ session, item }) => session.send("CALL_BATCH_REQ", { batch_id: "b", max_concurrency: 1, calls: [item("hang")] }),
  ],
  [
    "a call of a graph",
    ({ session, item }) =>
      session.send("CALL_DAG_REQ", {
        ...{ dag_id: "d", max_concurrency: 1 },
        calls: [
          item("give", { call_id: "g", idempotency_key: null, args: {}, timeout_ms: 5_000 }),
          item("hang", { args: { text: { $from: "g", path: "/data/text" } } }),
        ],
      }),
  ],
  [
    "an ASYNC call",
    async ({ session, item }) => {
      await send(session, item("hang", { execution_mode: "ASYNC" }));
      while ((await session.query("c")).status === "IN_PROGRESS") await new Promise((done) => setTimeout(done, 5));
    },
  ],
];
const ends: [Resolution, object][] = [
  [
    { state: "done", value: { ok: true } },
    { status: "SUCCESS", result: { result: { data: { ok: true } } } },
  ],
  [
    { state: "failed", message: "no" },
    { status: "FAILED", result: { error: { error_code: "TRP_3002" } } },
  ],
  [{ state: "not-applied" }, { status: "FAILED" }],
];

describe.each(ways)("%s of unknown outcome", (_, call) => {
  it.each(ends)("is what a person says it came to: %j", async (resolution, told) => {
    const made = await rig();
    await call(made);
    const { router, session } = made;
    expect((await session.query("c")).status).toBe("UNKNOWN");
    const [record, ...more] = await router.operations.inDoubt(boss);
    if (record === undefined || more.length > 0) throw new Error("one operation is in doubt");
    await router.operations.resolve(boss, record, resolution);
    expect(await session.query("c")).toMatchObject(told);
  });
});

it("stays not applied for its caller, when the key was taken by another call since", async () => {
  const { router, session, item } = await rig();
  await send(session, item("hang"));
  const [record] = await router.operations.inDoubt(boss);
  if (record === undefined) throw new Error("nothing is in doubt");
  await router.operations.resolve(boss, record, { state: "not-applied" });
  const running = send(session, item("hang", { call_id: "other", args: { text: "b" }, timeout_ms: 200 }));
  expect(await session.query("c")).toMatchObject({ status: "FAILED", result: { error: { retryable: true } } });
  await running;
  expect((await session.query("other")).status).toBe("UNKNOWN");
  expect(await session.query("c")).toMatchObject({ status: "FAILED", result: { error: { error_code: "TRP_3002" } } });
});

it("lets a call begin that depends on it, once it is done", async () => {
  const { router, session, item } = await rig();
  await send(session, item("hang", { call_id: "first" }));
  await send(session, item("hang", { idempotency_key: "key-2" }));
  const give = item("give", { call_id: "g", idempotency_key: null, args: {}, timeout_ms: 5_000, depends_on: ["c"] });
  expect(await send(session, give)).toMatchObject({ payload: { error_code: "TRP_1006" } });
  const [record] = await router.operations.inDoubt(boss);
  if (record === undefined) throw new Error("nothing is in doubt");
  await router.operations.resolve(boss, record, { state: "done", value: 1 });
  expect(await send(session, { ...give, call_id: "g2" })).toMatchObject({ payload: { status: "SUCCESS" } });
});
