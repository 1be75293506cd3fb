import { MemoryStore } from "@toolglot/trp-core";
import type { RequestFrame } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { clientError, inProcessTransport } from "../src/index.ts";
import { nack, reply, script } from "./scripted.ts";
import { agent, world } from "./support.ts";

const payload = (frame: RequestFrame | undefined) => frame?.payload as unknown as Record<string, unknown>;
const items = (frame: RequestFrame | undefined) => payload(frame).calls as Record<string, unknown>[];

it("sends several calls in one frame, and gives an outcome for each, in their order", async () => {
  const { client, effects } = world();
  const trp = client();
  const batch = await trp.batch([
    { capId: "cap.echo.v1", args: { text: "a" } },
    { capId: "cap.note.add.v1", args: { text: "b" } },
    { capId: "cap.send.nothing.v1" },
  ]);
  // What is not in the catalog can't be sent; nothing was.
  expect(batch.status).toBe("refused");
  expect(batch.results.map(({ error }) => error?.code)).toEqual(["TRP_2004", "TRP_2004", "TRP_1003"]);
  expect(effects).toEqual([]);
  const mixed = await trp.batch([
    { capId: "cap.echo.v1", args: { text: "a" } },
    { capId: "cap.note.add.v1", args: { text: "b" } },
    { capId: "cap.mail.send.v1", args: { to: "c" } },
    { capId: "cap.echo.v1", args: { nothing: 1 } },
  ]);
  expect(mixed.status).toBe("partial");
  expect(mixed.results.map(({ status, error }) => [status, error?.code])).toEqual([
    ["success", undefined],
    ["success", undefined],
    ["refused", "TRP_4002"],
    ["refused", "TRP_2001"],
  ]);
  expect(mixed.results[2]?.error?.retryHint.approval_id).toEqual(expect.any(String));
  expect(effects).toEqual(["b"]);
});

it("keeps dependencies and order", async () => {
  const { client, effects } = world();
  const trp = client();
  const { results } = await trp.batch(
    [
      { capId: "cap.note.add.v1", args: { text: "1" }, callId: "one" },
      { capId: "cap.note.add.v1", args: { text: "2" }, dependsOn: ["one"] },
    ],
    { mode: "SEQUENTIAL", maxConcurrency: 1 },
  );
  expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(effects).toEqual(["1", "2"]);
});

it("refuses the whole with the router's words", async () => {
  const { client, effects } = world();
  const request = { capId: "cap.note.add.v1", args: { text: "x" }, callId: "same" };
  const batch = await client().batch([request, request]);
  expect(batch.status).toBe("refused");
  expect(batch.results.map(({ error }) => error?.code)).toEqual(["TRP_2004", "TRP_2004"]);
  expect(effects).toEqual([]);
});

it("repeats the very same frame when its answer was lost", async () => {
  const { router, effects } = world({ store: new MemoryStore() });
  const inner = inProcessTransport(router, agent);
  let losses = 2;
  const frames: string[] = [];
  const { client } = world();
  const trp = client({
    transport: {
      async send(frame, how) {
        if (frame.frame_type !== "CALL_BATCH_REQ") return inner.send(frame, how);
        frames.push(JSON.stringify(frame));
        const answer = await inner.send(frame, how);
        if (losses-- > 0) throw clientError("trp-client/no-answer", "lost");
        return answer;
      },
      close: () => undefined,
    },
  });
  const batch = await trp.batch([{ capId: "cap.note.add.v1", args: { text: "once" } }]);
  expect(batch.status).toBe("success");
  expect(new Set(frames).size).toBe(1);
  expect(frames).toHaveLength(3);
  expect(effects).toEqual(["once"]);
});

const usage = { router_ms: 0, adapter_ms: 0, executor_ms: 0 };
const shaped = { summary: "ok", data: null, artifacts: [], warnings: [] };
const transient = {
  error_class: "TRANSIENT",
  error_code: "TRP_5003",
  message: "m",
  retryable: true,
  retry_hint: {},
  fix: "",
  dispatched: false,
};

it("sends items that may be tried again by themselves, under their ids and keys", async () => {
  const made = script();
  made.answers = [
    (frame) => {
      const results = items(frame).map(({ call_id }, at) =>
        at === 0 ? { call_id, status: "FAILED", ...transient } : { call_id, status: "SUCCESS", result: shaped, usage },
      );
      return reply(frame, "CALL_BATCH_RES", { batch_id: "b", status: "PARTIAL_SUCCESS", results });
    },
    (frame) => {
      const { call_id, idx, cap_id } = payload(frame);
      return reply(frame, "RESULT", { call_id, idx, cap_id, status: "SUCCESS", result: shaped, usage });
    },
  ];
  const batch = await made.trp.batch([{ capId: "cap.write.v1" }, { capId: "cap.read.v1" }]);
  expect(batch.status).toBe("success");
  expect(batch.results[0]).toMatchObject({ attempts: 2 });
  const [first] = items(made.sent[0]);
  expect(payload(made.sent[1])).toMatchObject({ call_id: first?.call_id, idempotency_key: first?.idempotency_key });
});

it("does not turn the order of a sequence round", async () => {
  const made = script();
  made.answers = [
    (frame) => {
      const results = items(frame).map(({ call_id }) => ({ call_id, status: "FAILED", ...transient }));
      return reply(frame, "CALL_BATCH_RES", { batch_id: "b", status: "FAILED", results });
    },
  ];
  const batch = await made.trp.batch([{ capId: "cap.write.v1" }, { capId: "cap.write.v1" }], { mode: "SEQUENTIAL" });
  expect(batch).toMatchObject({ status: "failed", results: [{ status: "refused" }, { status: "refused" }] });
  expect(made.sent).toHaveLength(1);
});

it("repeats a batch that was refused for a while, and finds its capabilities again", async () => {
  const made = script();
  const done = (frame: RequestFrame) => {
    const results = items(frame).map(({ call_id }) => ({ call_id, status: "SUCCESS", result: shaped, usage }));
    return reply(frame, "CALL_BATCH_RES", { batch_id: "b", status: "SUCCESS", results });
  };
  made.answers = [
    nack("TRP_5003", "TRANSIENT", { retryable: true }),
    nack("TRP_1003", "CATALOG_MISMATCH", { retryable: true }),
    nack("TRP_1008", "INTERNAL_ERROR"),
    done,
  ];
  const batch = await made.trp.batch([{ capId: "cap.write.v1" }]);
  expect(batch).toMatchObject({ status: "success", results: [{ attempts: 4 }] });
  expect(new Set(made.sent.map((frame) => items(frame)[0]?.idempotency_key)).size).toBe(1);
});

it("asks for the items of a batch that still runs", async () => {
  const made = script();
  made.answers = [
    (frame) =>
      reply(frame, "ACK", {
        ack_of_frame_id: frame.frame_id,
        ack_of_call_id: null,
        status: "IN_PROGRESS",
        expected_seq_next: 3,
      }),
    (frame) => {
      const { call_id } = payload(frame);
      const outcome = { call_id, idx: 0, cap_id: "cap.read.v1", status: "SUCCESS", result: shaped, usage };
      return reply(frame, "RESULT_QUERY_RES", {
        call_id,
        status: "SUCCESS",
        result: outcome,
        error: null,
        last_event_id: 0,
      });
    },
  ];
  const batch = await made.trp.batch([{ capId: "cap.read.v1" }, { capId: "cap.read.v1" }]);
  expect(batch.status).toBe("success");
  expect(made.sent.map(({ frame_type: type }) => type)).toEqual([
    "CALL_BATCH_REQ",
    "RESULT_QUERY_REQ",
    "RESULT_QUERY_REQ",
  ]);
});

it("says unknown of an item that the answer forgot", async () => {
  const made = script();
  made.answers = [(frame) => reply(frame, "CALL_BATCH_RES", { batch_id: "b", status: "SUCCESS", results: [] })];
  const batch = await made.trp.batch([{ capId: "cap.write.v1" }]);
  expect(batch).toMatchObject({ status: "failed", results: [{ status: "unknown" }] });
});

it("rejects with the ids and keys of its calls when no answer comes", async () => {
  const made = script({ retry: { maxRetries: 0 } });
  made.answers = [() => Promise.reject(clientError("trp-client/no-answer", "lost"))];
  await expect(made.trp.batch([{ capId: "cap.write.v1" }], { batchId: "mine" })).rejects.toMatchObject({
    code: "trp-client/no-answer",
    data: { outcome: "unknown", batchId: "mine", calls: [{ callId: expect.any(String), key: expect.any(String) }] },
  });
});
