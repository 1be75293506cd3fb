import type { RequestFrame } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { reply, result, script } from "./scripted.ts";

type Json = Record<string, unknown>;
const write = { capId: "cap.write.v1", args: { a: 1 } };
const ended = { summary: "ok", data: 1, artifacts: [], warnings: [] };

/** What a call comes to whose answer is an ACK, when its outcome is asked for. */
async function afterQuery(answer: (callId: string) => Json): Promise<unknown> {
  const made = script({ requestTimeoutMs: 100 });
  made.answers = [
    (frame: RequestFrame) => {
      const { call_id } = frame.payload as { call_id: string };
      if (frame.frame_type !== "CALL_REQ") return reply(frame, "RESULT_QUERY_RES", { call_id, ...answer(call_id) });
      return reply(frame, "ACK", { ack_of_frame_id: frame.frame_id, status: "IN_PROGRESS", expected_seq_next: 3 });
    },
  ];
  try {
    return (await made.trp.call(write, { deadlineMs: 300 })).status;
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  } finally {
    await made.trp.close();
  }
}

it.each<[string, (callId: string) => Json]>([
  ["a result that is text", () => ({ status: "SUCCESS", result: "x", error: null })],
  ["a result without a status", (call_id) => ({ status: "SUCCESS", result: { call_id }, error: null })],
  ["a status that there isn't", () => ({ status: "WEIRD", result: null, error: null })],
  ["an error that is text", () => ({ status: "FAILED", result: null, error: "y" })],
  ["an error without a code", () => ({ status: "FAILED", error: {} })],
  ["another call's result", () => ({ status: "SUCCESS", result: { call_id: "other", status: "SUCCESS" } })],
  ["a failure with a success in it", (call_id) => ({ status: "FAILED", result: { call_id, status: "SUCCESS" } })],
])("is a bad answer to a query: %s", async (_name, answer) => {
  expect(await afterQuery(answer)).toBe("trp-client/bad-answer");
});

it.each<[string, string, (callId: string) => Json]>([
  ["unknown", "nothing but a status", () => ({ status: "SUCCESS" })],
  ["unknown", "a failure that nobody explains", () => ({ status: "FAILED", result: null })],
  [
    "unknown",
    "another capability's result",
    (call_id) => ({ status: "SUCCESS", result: { call_id, cap_id: "cap.other.v1", idx: 0, status: "SUCCESS" } }),
  ],
  [
    "success",
    "a result without an error",
    (call_id) => ({ status: "SUCCESS", result: { call_id, status: "SUCCESS" } }),
  ],
])("leaves a call %s after a query: %s", async (status, _name, answer) => {
  expect(await afterQuery(answer)).toBe(status);
});

it.each<[string, Json]>([
  ["still runs", { status: "IN_PROGRESS" }],
  ["has no status", {}],
  ["failed without a word", { status: "FAILED" }],
])("doesn't say that an item of a batch was not executed when it %s", async (_name, item) => {
  const made = script();
  made.answers = [
    (frame: RequestFrame) => {
      const { batch_id, calls } = frame.payload as { batch_id: string; calls: { call_id: string }[] };
      const results = calls.map(({ call_id }) => ({ call_id, ...item }));
      return reply(frame, "CALL_BATCH_RES", { batch_id, status: "FAILED", results });
    },
  ];
  const { results } = await made.trp.batch([write, { capId: "cap.read.v1" }]);
  expect(results).toMatchObject([
    { status: "unknown", dispatched: true },
    { status: "unknown", dispatched: true },
  ]);
  await made.trp.close();
});

it("gives results their shape, whatever a router puts there", async () => {
  const made = script();
  made.answers = [result({ result: { summary: 5, artifacts: "x", warnings: [1, "w"] } })];
  expect((await made.trp.call(write)).result).toEqual({ summary: "", data: null, artifacts: [], warnings: ["w"] });
  made.answers = [result({ result: ended })];
  expect((await made.trp.call(write)).result).toEqual(ended);
  await made.trp.close();
});
