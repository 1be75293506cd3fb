import { expect, it } from "vitest";
import { type ClientEvent, type ClientOptions, createClient, type TrpClient } from "../src/index.ts";
import { type PlainRouter, plainRouter } from "./plain-router.ts";

function rig(options: Partial<ClientOptions> = {}): { router: PlainRouter; trp: TrpClient; events: ClientEvent[] } {
  const router = plainRouter();
  const events: ClientEvent[] = [];
  const trp = createClient({
    transport: {
      send: async (frame) => JSON.parse(await router.answer(JSON.stringify(frame))),
      close: () => undefined,
    },
    agentId: "t",
    retry: { baseMs: 1, capMs: 5 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { router, trp, events };
}

it("says hello plainly after a refusal, and sends no field the draft doesn't have", async () => {
  const { router, trp } = rig({ authContext: { role: "user" } });
  const session = await trp.hello();
  expect(session.features).not.toContain("SEQ_WINDOW");
  expect(router.frames.map(({ frame_type: type }) => type)).toEqual(["HELLO_REQ", "HELLO_REQ"]);
  const result = await trp.callByCap("cap.find.v1", { text: "x" });
  expect(result).toMatchObject({ status: "success", result: { summary: "done", artifacts: [], warnings: [] } });
  expect(await trp.capQuery("cap.write.v1")).toMatchObject({ idx: 1, keyRequired: true });
  const { results } = await trp.batch([
    { capId: "cap.find.v1", args: { text: "a" } },
    { capId: "cap.write.v1", args: { text: "b" } },
  ]);
  expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(await trp.result(result.callId)).toMatchObject({ status: "settled", result: { status: "success" } });
  expect(await trp.result("call_nobody")).toEqual({ status: "not-found" });
  const later = router.frames.slice(1);
  expect(later.every((frame) => !("sdk_version" in frame))).toBe(true);
  expect(JSON.stringify(later)).not.toContain("schema_digest");
  expect(JSON.stringify(later)).not.toContain("on_error");
});

it("has one frame on its way at a time, in unbroken order", async () => {
  const { router, trp } = rig();
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => trp.callByCap("cap.find.v1", { text: String(n) })),
  );
  expect(results.every(({ status }) => status === "success")).toBe(true);
  const seqs = router.frames.slice(2).map(({ seq }) => seq);
  expect(seqs).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
});

it("finds its number again after the router counted differently", async () => {
  const { router, trp } = rig();
  await trp.catalog();
  // Somebody else used this session.
  const sessionId = router.frames.at(-1)?.session_id;
  for (const seq of [2, 3, 4]) {
    const frame = {
      trp_version: "0.1",
      frame_type: "RESULT_QUERY_REQ",
      session_id: sessionId,
      frame_id: `f${seq}`,
      trace_id: "t",
    };
    await router.answer(
      JSON.stringify({ ...frame, timestamp_ms: 0, catalog_epoch: 7, seq, payload: { call_id: "x" } }),
    );
  }
  const result = await trp.callByCap("cap.write.v1", { text: "once" });
  expect(result.status).toBe("success");
  expect(router.effects).toEqual(["once"]);
});

it("reads the catalog again when numbers moved, and goes on with the same capability only", async () => {
  const { router, trp, events } = rig();
  await trp.catalog();
  router.shift();
  expect(await trp.callByCap("cap.write.v1", { text: "moved" })).toMatchObject({ status: "success" });
  expect(router.frames.at(-1)?.payload).toMatchObject({ idx: 2, cap_id: "cap.write.v1" });
  expect(events.filter(({ type }) => type === "catalog-synced")).toHaveLength(2);
  router.shift("sha256:other");
  const changed = await trp.callByCap("cap.write.v1", { text: "changed" });
  expect(changed).toMatchObject({
    status: "refused",
    dispatched: false,
    error: { code: "TRP_1003", errorClass: "CATALOG_MISMATCH" },
  });
  expect(router.effects).toEqual(["moved"]);
  // Whoever asks anew knows the new catalog.
  expect(await trp.callByCap("cap.write.v1", { text: "knowing" })).toMatchObject({ status: "success" });
});

it("never sends a call of the wrong number under another id", async () => {
  const { router, trp } = rig();
  await trp.catalog();
  const result = await trp.call({ idx: 0, capId: "cap.write.v1", args: { text: "by id" } });
  expect(result.status).toBe("success");
  const calls = router.frames.filter(({ frame_type: type }) => type === "CALL_REQ").map(({ payload }) => payload);
  expect(calls).toMatchObject([
    { idx: 0, cap_id: "cap.write.v1" },
    { idx: 1, cap_id: "cap.write.v1" },
  ]);
});

it("opens a new session when the router forgot the old one (TRP_5002), under the same key", async () => {
  const { router, trp, events } = rig();
  const first = await trp.callByCap("cap.write.v1", { text: "a" });
  router.restart();
  const again = await trp.callByCap("cap.write.v1", { text: "a" }, { key: first.key as string });
  expect(again.status).toBe("success");
  expect(router.effects).toEqual(["a"]);
  expect(events.map(({ type }) => type)).toContain("session-lost");
});

it("repeats TRANSIENT of what only reads, and tells that of a write as unknown", async () => {
  const { router, trp } = rig();
  const transient = { error_class: "TRANSIENT", error_code: "TRP_3001", retryable: true };
  router.failures.push(transient, transient);
  expect(await trp.callByCap("cap.find.v1", { text: "x" })).toMatchObject({ status: "success", attempts: 3 });
  router.failures.push(transient);
  expect(await trp.callByCap("cap.write.v1", { text: "x" })).toMatchObject({
    status: "unknown",
    attempts: 1,
    dispatched: true,
  });
  router.failures.push({ error_class: "TRANSIENT", error_code: "TRP_5003", retryable: true });
  expect(await trp.callByCap("cap.write.v1", { text: "y" })).toMatchObject({ status: "success", attempts: 2 });
  router.failures.push({ error_class: "EXECUTOR_ERROR", error_code: "TRP_3002", retryable: false });
  expect(await trp.callByCap("cap.write.v1", { text: "z" })).toMatchObject({ status: "failed", dispatched: true });
});
