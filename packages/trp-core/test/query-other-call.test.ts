import { expect, it } from "vitest";
import type { ResponseFrame } from "../src/frames/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, callItem, ledger, nackOf, openSession } from "./router-rig.ts";

/** A router whose answers can get lost before they are written down, as when it is killed. */
function setUp(): { router: Router; forget: { answers: boolean }; clock: { now: number } } {
  const clock = { now: 1_800_000_000_000 };
  const forget = { answers: false };
  const store = new MemoryStore({ now: () => clock.now });
  const { answer } = store.sessions;
  store.sessions.answer = async (given) => {
    if (!forget.answers) await answer.call(store.sessions, given);
  };
  return { router: createRouter({ store, capabilities: ledger().capabilities, allowVolatile: true }), forget, clock };
}

const write = (call_id: string, text: string): ReturnType<typeof callItem> =>
  callItem({ call_id, cap_id: "cap.test.write.v1", idempotency_key: "key", args: { text } }, 1);

function statusOf(reply: ResponseFrame): string {
  return reply.frame_type === "NACK" ? reply.payload.error_code : reply.frame_type;
}

it("never tells a call what its key did for another one, when its own refusal was lost", async () => {
  const { router, forget, clock } = setUp();
  const session = await openSession(router);
  expect(statusOf(await session.send("CALL_REQ", write("first", "one")))).toBe("RESULT");

  forget.answers = true;
  const frame = session.frame("CALL_REQ", write("second", "two"));
  expect(nackOf(await router.handle(frame, { principal: ada })).error_code).toBe("TRP_4004");
  forget.answers = false;

  // In the same session, for as long as it might still run; and then it may be sent again.
  expect(await session.query("second")).toMatchObject({ status: "IN_PROGRESS", result: null });
  clock.now += 5_001;
  expect(await session.query("second")).toMatchObject({ status: "NOT_FOUND", result: null });
  expect(statusOf(await router.handle({ ...frame, frame_id: "stale" }, { principal: ada }))).toBe("TRP_1004");
  const dependent = callItem({ cap_id: "cap.test.read.v1", args: { text: "x" }, depends_on: ["second"] });
  expect(statusOf(await session.send("CALL_REQ", dependent))).toBe("TRP_1005");
  expect(statusOf(await router.handle(frame, { principal: ada }))).toBe("TRP_4004");
  expect(await session.query("second")).toMatchObject({ status: "FAILED", error: { error_code: "TRP_4004" } });
  await router.close();
});

it("keeps calls of one id in two sessions apart", async () => {
  const { router, forget, clock } = setUp();
  const first = await openSession(router);
  expect(statusOf(await first.send("CALL_REQ", write("call_1", "one")))).toBe("RESULT");

  const second = await openSession(router);
  forget.answers = true;
  expect(nackOf(await second.send("CALL_REQ", write("call_1", "two"))).error_code).toBe("TRP_4004");
  forget.answers = false;
  clock.now += 5_001;
  expect(await second.query("call_1")).toMatchObject({ status: "NOT_FOUND" });
  const dependent = callItem({ cap_id: "cap.test.read.v1", args: { text: "x" }, depends_on: ["call_1"] });
  expect(statusOf(await second.send("CALL_REQ", dependent))).toBe("TRP_1005");
  await router.close();
});

it("tells the same call under another id what its operation came to", async () => {
  const { router, forget } = setUp();
  const first = await openSession(router);
  await first.send("CALL_REQ", write("call_1", "one"));
  const second = await openSession(router);
  forget.answers = true;
  await second.send("CALL_REQ", write("call_2", "one"));
  forget.answers = false;
  expect(await second.query("call_2")).toMatchObject({ status: "SUCCESS", result: { replayed_from: "call_1" } });
  await router.close();
});
