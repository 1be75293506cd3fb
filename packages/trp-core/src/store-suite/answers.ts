import { equal, like } from "@toolglot/internal";
import type { ResponseFrame } from "../frames/types.ts";
import type { CallOutcome } from "../store/frame-types.ts";
import {
  admission,
  admitted,
  answerOf,
  auditEntry,
  audited,
  expectStatus,
  inFlight,
  nackOutcome,
  oneCall,
  openSession,
  operation,
  resultOutcome,
  type StoreCase,
  started,
  storeCases,
  unknownOutcome,
} from "./fixtures.ts";

export const answerCases: StoreCase[] = storeCases(
  {
    "should keep which operation an unknown outcome is about": async ({ store }) => {
      const result = resultOutcome("c") as Extract<CallOutcome, { type: "RESULT" }>;
      const outcome: CallOutcome = { ...result, doubt: { ...operation, fence: 7 } };
      await admitted(store, "admitted", 1, { calls: oneCall("c") });
      const { payload } = outcome;
      const reply = { ...answerOf(1, {}).reply, frame_type: "RESULT", payload } as ResponseFrame;
      await store.sessions.answer({ sessionId: "sess", frameId: "frame-1", reply, outcomes: [["c", outcome]] });
      equal((await store.sessions.readCall("sess", "c"))?.outcome, outcome, "the outcome");
      equal((await admitted(store, "duplicate", 1)).reply, reply, "the reply");
    },
    "should record how calls were answered": async ({ store, now }) => {
      await store.sessions.admit(admission(1, { calls: [...oneCall("a", { operation }), ...oneCall("b")] }));
      const a = { sessionId: "sess", callId: "a", digest: "digest of a", frameId: "frame-1", deadline: now() + 1000 };
      equal(await store.sessions.readCall("sess", "a"), { ...a, operation }, "a call in flight");
      equal(await inFlight(store), ["a", "b"], "calls in flight");
      const outcome = resultOutcome("a");
      await store.sessions.answer(answerOf(1, { a: outcome }));
      equal(await store.sessions.readCall("sess", "a"), { ...a, operation, outcome }, "an answered call");
      equal(await inFlight(store), ["b"], "calls in flight");
      equal(await store.sessions.readCall("sess", "nobody"), undefined, "an unknown call");
      equal(await store.sessions.readCall("nobody", "a"), undefined, "a call of an unknown session");
      equal(await store.sessions.callsInFlight("nobody"), [], "calls of an unknown session");
    },
    "should record how a call ended without a reply to its frame, and leave the reply that is there": async ({
      store,
    }) => {
      await admitted(store, "admitted", 1, { calls: oneCall("c") });
      const { payload } = nackOutcome("c", "frame-1");
      const outcomes = [["c", { type: "NACK", payload: { ...payload, dispatched: true } }]] as const;
      await store.sessions.answer({ sessionId: "sess", frameId: "frame-1", outcomes });
      like(await store.sessions.readCall("sess", "c"), { outcome: { type: "NACK" } }, "the call");
      equal((await admitted(store, "duplicate", 1)).reply, undefined, "the reply");
      const { reply, ...answer } = answerOf(1, { c: unknownOutcome("c") });
      await store.sessions.answer({ ...answer, reply });
      await store.sessions.answer({ sessionId: "sess", frameId: "frame-1", outcomes });
      like(await store.sessions.readCall("sess", "c"), { outcome: { type: "NACK" } }, "the call, answered before");
      equal((await admitted(store, "duplicate", 1)).reply, reply, "the reply, given before");
    },
    "should let a late refusal take nothing away, and a success stay": async ({ store }) => {
      const refused = (frame: number) => nackOutcome("c", `frame-${frame}`);
      const failed = { type: "NACK", payload: { ...refused(1).payload, dispatched: true } } as const;
      // What is answered one after the other, and what stays, of the call and of its frame.
      const answers: [given: CallOutcome, stays: CallOutcome][] = [
        [refused(1), refused(1)],
        [failed, failed],
        [refused(1), failed],
        [unknownOutcome("c"), unknownOutcome("c")],
        [refused(1), unknownOutcome("c")],
        [resultOutcome("c"), resultOutcome("c")],
        [refused(1), resultOutcome("c")],
        [unknownOutcome("c"), resultOutcome("c")],
        [failed, resultOutcome("c")],
        [resultOutcome("c", "again"), resultOutcome("c", "again")],
      ];
      await admitted(store, "admitted", 1, { calls: oneCall("c") });
      for (const [index, [given, stays]] of answers.entries()) {
        await store.sessions.answer(answerOf(1, { c: given }));
        like(await store.sessions.readCall("sess", "c"), { outcome: stays }, `the call after answer ${index}`);
        const { reply } = await admitted(store, "duplicate", 1);
        like(reply, { frame_type: stays.type, payload: stays.payload }, `the frame's reply after answer ${index}`);
      }
      // In a frame of its own, too, and beside the end of an operation.
      await admitted(store, "admitted", 2, { calls: [...oneCall("c"), ...oneCall("d")] });
      await store.sessions.answer(answerOf(2, { c: refused(2), d: refused(2) }));
      const claim = await started(store);
      await store.operations.finish(claim, { state: "failed", outcome: 1 }, { answer: answerOf(1, { c: refused(1) }) });
      const outcomes = await Promise.all(
        ["c", "d"].map(async (id) => (await store.sessions.readCall("sess", id))?.outcome),
      );
      like(outcomes, [resultOutcome("c", "again"), { type: "NACK" }], "calls of another frame");
    },
    "should keep how a cancelled call ended when it comes again: it is not tried again": async ({ store }) => {
      await admitted(store, "admitted", 1, { calls: oneCall("n") });
      await store.sessions.cancelCall("sess", "n");
      await store.sessions.answer(answerOf(1, { n: nackOutcome("n", "frame-1") }));
      await admitted(store, "admitted", 2, { calls: oneCall("n") });
      like(await store.sessions.readCall("sess", "n"), { frameId: "frame-2", outcome: { type: "NACK" } }, "the call");
      equal(await store.sessions.callsInFlight("sess"), [], "what is in flight");
    },
    "should keep the outcome that comes from an earlier frame of the same call": async ({ store }) => {
      await store.sessions.admit(admission(1, { calls: oneCall("c") }));
      await store.sessions.admit(admission(2, { calls: oneCall("c") }));
      await store.sessions.answer(answerOf(1, { c: resultOutcome("c") }));
      like(await store.sessions.readCall("sess", "c"), { outcome: resultOutcome("c") }, "the call");
    },
    "should leave a call alone whose id another one uses": async ({ store }) => {
      await store.sessions.admit(admission(1, { calls: oneCall("c") }));
      await store.sessions.answer(answerOf(1, { c: resultOutcome("c") }));
      const before = await store.sessions.readCall("sess", "c");
      const other = admission(2, { calls: oneCall("c", { digest: "other", operation }) });
      const result = expectStatus(await store.sessions.admit(other), "admitted");
      like(result.calls, { c: { status: "reused", call: { frameId: "frame-1" } } }, "the call");
      await store.sessions.answer(answerOf(2, { c: nackOutcome("c", "frame-2") }));
      equal(await store.sessions.readCall("sess", "c"), before, "the call that had the id");
      const again = expectStatus(await store.sessions.admit(other), "duplicate");
      equal(again.frameCalls, [], "the frame's own calls");
      equal(again.reply?.frame_type, "NACK", "the frame's answer");
    },
    "should give the recorded reply for a frame that was answered": async ({ store }) => {
      await store.sessions.admit(admission(1, { calls: oneCall("a") }));
      const answer = answerOf(1, { a: resultOutcome("a") });
      await store.sessions.answer(answer, { audit: [auditEntry("a")] });
      const again = await admitted(store, "duplicate", 1);
      equal(again.reply, answer.reply, "the reply");
      equal(again.session.expectedSeq, 2, "the next seq");
      equal(await audited(store), ["a"], "the audit row that went along");
    },
  },
  openSession,
);
