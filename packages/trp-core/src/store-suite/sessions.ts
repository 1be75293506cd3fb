import { equal, isTypeError, like, rejects, truth } from "@toolglot/internal";
import type { RouterStore } from "../store/types.ts";
import {
  admission,
  admitted,
  answerOf,
  day,
  expectStatus,
  nackOutcome,
  oneCall,
  openSession,
  operation,
  resultOutcome,
  type StoreCase,
  storeCases,
  who,
} from "./fixtures.ts";

/** Admits the frames with these numbers, one after another. */
async function admitFrames(store: RouterStore, from: number, to: number, keepFrames: number): Promise<void> {
  for (let seq = from; seq <= to; seq++) {
    await admitted(store, "admitted", seq, { keepFrames });
  }
}

const withoutSession = storeCases({
  "should open a session that expects seq 1": async ({ store, now }) => {
    const session = await openSession(store);
    const times = { createdAt: now(), expiresAt: now() + day };
    const rest = { id: "sess", ...who, agentId: "agent", features: ["CALL"], view: "view-1", expectedSeq: 1 };
    equal(session, { ...rest, ...times }, "the session");
    equal(await store.sessions.read("sess", who), session, "the session that was read");
  },
  "should refuse a session id that is taken, and malformed sessions": async ({ store }) => {
    const first = await openSession(store);
    await rejects(openSession(store, { ttlMs: 1 }), isTypeError, "an id that is taken");
    await rejects(openSession(store, { id: "other", ttlMs: 0 }), isTypeError, "no time to live");
    equal(await store.sessions.read("sess", who), first, "the session");
    equal(await store.sessions.read("other", who), undefined, "the refused session");
  },
  "should not share what it keeps with callers": async ({ store }) => {
    const session = await openSession(store);
    session.features.push("ALL");
    session.expectedSeq = 5;
    const { session: seen } = await admitted(store, "admitted", 1, { calls: oneCall("c") });
    seen.features.push("ALL");
    const answer = answerOf(1, { c: resultOutcome("c") });
    const answered = store.sessions.answer(answer);
    answer.reply.frame_id = "changed";
    (answer.reply.payload as { call_id: string }).call_id = "changed";
    await answered;
    like(await store.sessions.read("sess", who), { features: ["CALL"], expectedSeq: 2 }, "the session");
    const first = await admitted(store, "duplicate", 1);
    like(first.reply, { frame_id: "res_frame-1", payload: { call_id: "c" } }, "the reply");
    if (first.reply) first.reply.frame_id = "changed";
    like((await admitted(store, "duplicate", 1)).reply, { frame_id: "res_frame-1" }, "the reply");
    const call = await store.sessions.readCall("sess", "c");
    if (call?.outcome) call.outcome.payload = resultOutcome("changed").payload;
    like(await store.sessions.readCall("sess", "c"), { outcome: resultOutcome("c") }, "the call");
  },
});

/** Each begins with a session that is open. */
const withSession = storeCases(
  {
    "should show a session to its owner alone, and not after its time": async ({ store, advance }) => {
      equal(await store.sessions.read("nobody", who), undefined, "an unknown session");
      equal(await store.sessions.read("sess", { ...who, tenant: "other" }), undefined, "for another tenant");
      equal(await store.sessions.read("sess", { ...who, principal: "bob" }), undefined, "for another principal");
      advance(day - 1);
      truth((await store.sessions.read("sess", who)) !== undefined, "the session should live until its time is over");
      advance(1);
      equal(await store.sessions.read("sess", who), undefined, "an expired session");
      await admitted(store, "no-session", 1);
    },
    "should put another view in place of the one it had": async ({ store }) => {
      equal(await store.sessions.setView("sess", "view-1", "view-2"), true, "the first change");
      equal(await store.sessions.setView("sess", "view-1", "view-3"), false, "a change of what is no longer there");
      equal(await store.sessions.setView("nobody", "view-1", "view-3"), false, "a change of an unknown session");
      like(await store.sessions.read("sess", who), { view: "view-2" }, "the session");
      const { session } = await admitted(store, "admitted", 1);
      equal(session.view, "view-2", "the view of an admitted frame's session");
      for (const [from, to] of [["view-2", "a\0b"] as const, ["a\0b", "\ud800"] as const]) {
        equal(await store.sessions.setView("sess", from, to), true, `a change to ${JSON.stringify(to)}`);
        equal((await store.sessions.read("sess", who))?.view, to, "the view afterwards");
      }
    },
    "should admit frames in order and take their seq": async ({ store }) => {
      const first = await admitted(store, "admitted", 1);
      equal(first.session.expectedSeq, 2, "the next seq");
      await admitted(store, "admitted", 2);
      like(await store.sessions.read("sess", who), { expectedSeq: 3 }, "the session");
    },
    "should answer foreign and unknown sessions alike": async ({ store }) => {
      await admitted(store, "no-session", 1, { sessionId: "nobody" });
      await admitted(store, "no-session", 1, { tenant: "other" });
      await admitted(store, "no-session", 1, { principal: "bob" });
      await admitted(store, "admitted", 1);
    },
    "should not admit a frame from the future, nor remember it": async ({ store }) => {
      const gap = await admitted(store, "gap", 3, { calls: oneCall("c") });
      equal(gap.session.expectedSeq, 1, "the next seq");
      equal(await store.sessions.readCall("sess", "c"), undefined, "a call of a frame that was not admitted");
      await store.sessions.admit(admission(1));
      await store.sessions.admit(admission(2));
      await admitted(store, "admitted", 3, { calls: oneCall("c") });
    },
    "should say what a frame from the past has called": async ({ store }) => {
      await store.sessions.admit(admission(1, { calls: oneCall("c") }));
      const again = { frameId: "another", calls: [...oneCall("c"), ...oneCall("new")] };
      const stale = await admitted(store, "stale", 1, again);
      like(stale.calls, { c: { status: "known", call: { callId: "c" } }, new: { status: "new" } }, "the calls");
      equal(stale.session.expectedSeq, 2, "the next seq");
      equal(await store.sessions.readCall("sess", "new"), undefined, "a new call of a frame from the past");
      const other = { frameId: "third", calls: oneCall("c", { digest: "other" }) };
      like(
        (await admitted(store, "stale", 1, other)).calls,
        { c: { status: "reused", call: { digest: "digest of c" } } },
        "a call with another digest",
      );
    },
    "should know a frame again, before its seq is looked at": async ({ store }) => {
      await store.sessions.admit(admission(1, { calls: [...oneCall("a"), ...oneCall("b")] }));
      const running = await admitted(store, "duplicate", 1);
      equal(running.reply, undefined, "the reply of a frame that was not answered");
      equal(running.frameCalls, ["a", "b"], "its calls");
      await admitted(store, "duplicate", 1, { seq: 9 });
    },
    "should refuse a frame id that was another frame's": async ({ store }) => {
      await store.sessions.admit(admission(1));
      const other = admission(2, { frameId: "frame-1", digest: "other", calls: oneCall("c") });
      const reused = expectStatus(await store.sessions.admit(other), "frame-reused");
      equal(reused.session.expectedSeq, 2, "the next seq");
      equal(await store.sessions.readCall("sess", "c"), undefined, "its call");
    },
    "should remember so many frames, and the calls that came with them": async ({ store }) => {
      const keepFrames = 4;
      await store.sessions.admit(admission(1, { keepFrames, calls: oneCall("old") }));
      await store.sessions.admit(admission(2, { keepFrames, calls: oneCall("open", { timeoutMs: 10_000_000 }) }));
      await store.sessions.answer(answerOf(1, { old: resultOutcome("old") }));
      await admitFrames(store, 3, 4, keepFrames);
      await admitted(store, "duplicate", 1, { keepFrames });
      truth((await store.sessions.readCall("sess", "old")) !== undefined, "a call inside the window");
      await admitFrames(store, 5, 10, keepFrames);
      const calls = [...oneCall("old"), ...oneCall("open")];
      const stale = await admitted(store, "stale", 1, { keepFrames, calls });
      like(stale.calls, { old: { status: "new" }, open: { status: "known" } }, "the calls of a forgotten frame");
      await admitted(store, "duplicate", 7, { keepFrames });
    },
    "should forget calls that were lost, too, once their frame is old": async ({ store, advance }) => {
      await store.sessions.admit(admission(1, { keepFrames: 2, calls: oneCall("lost") }));
      advance(1000);
      await admitFrames(store, 2, 6, 2);
      equal(await store.sessions.readCall("sess", "lost"), undefined, "the lost call");
    },
    "should not forget a call that frames ask about, and give its frame its own answer": async ({ store, advance }) => {
      await admitted(store, "admitted", 1, { calls: oneCall("c"), keepFrames: 4 });
      await admitted(store, "admitted", 2, { calls: oneCall("d"), keepFrames: 4 });
      await store.sessions.answer(answerOf(2, { d: resultOutcome("d") }));
      advance(1000);
      for (let seq = 3; seq <= 40; seq++) {
        await admitted(store, "admitted", seq, { keepFrames: 4, asks: seq % 2 === 0 ? "c" : "d" });
        // The first frame is forgotten as any other; its call is answered late.
        if (seq === 20) await store.sessions.answer(answerOf(1, { c: resultOutcome("c") }));
        if (seq === 5) {
          const { reply } = await admitted(store, "duplicate", 2, { calls: oneCall("d") });
          like(reply, { frame_id: "res_frame-2" }, "the answer of a frame whose call was asked about");
        }
      }
      like(await store.sessions.readCall("sess", "c"), { outcome: resultOutcome("c") }, "the call");
      like(await store.sessions.readCall("sess", "d"), { outcome: resultOutcome("d") }, "the other call");
      await admitted(store, "admitted", 41, { asks: "nobody" });
      await admitFrames(store, 42, 60, 4);
      equal(await store.sessions.readCall("sess", "c"), undefined, "a call that nobody asks about any more");
    },
    "should remember a call for as long as others, from its end": async ({ store }) => {
      await admitted(store, "admitted", 1, {
        calls: [...oneCall("c", { operation }), ...oneCall("d", { timeoutMs: 1e9 })],
      });
      await admitted(store, "admitted", 2, { calls: oneCall("e", { timeoutMs: 1e9 }) });
      for (let seq = 3; seq <= 1_000; seq++) await admitted(store, "admitted", seq);
      await store.sessions.answer(answerOf(1, { c: resultOutcome("c"), d: resultOutcome("d") }));
      await store.sessions.answer(answerOf(2, { e: resultOutcome("e") }));
      for (let seq = 1_001; seq <= 1_990; seq++) await admitted(store, "admitted", seq);
      for (const id of ["c", "d", "e"]) {
        like(await store.sessions.readCall("sess", id), { outcome: resultOutcome(id) }, `the call ${id}`);
      }
      for (let seq = 1_991; seq <= 2_100; seq++) await admitted(store, "admitted", seq);
      for (const id of ["c", "d", "e"])
        equal(await store.sessions.readCall("sess", id), undefined, `the old call ${id}`);
    },
    "should not forget a call with an operation that has no outcome yet": async ({ store, advance }) => {
      await admitted(store, "admitted", 1, { calls: [...oneCall("c", { operation }), ...oneCall("d")], keepFrames: 4 });
      advance(1000);
      await admitFrames(store, 2, 20, 4);
      like(await store.sessions.readCall("sess", "c"), { operation }, "the call with an operation");
      equal(await store.sessions.readCall("sess", "d"), undefined, "the lost call");
    },
    "should take a known call for a retry, and say what it knew": async ({ store, advance, now }) => {
      const refused = nackOutcome("n", "frame-1");
      await store.sessions.admit(admission(1, { calls: [...oneCall("r"), ...oneCall("n")] }));
      await store.sessions.answer(answerOf(1, { r: resultOutcome("r"), n: refused }));
      advance(5);
      const calls = [...oneCall("r"), ...oneCall("n")];
      const retry = await admitted(store, "admitted", 2, { calls });
      like(
        retry.calls,
        {
          r: { status: "known", call: { frameId: "frame-1", outcome: resultOutcome("r") } },
          n: { status: "known", call: { frameId: "frame-1", outcome: refused } },
        },
        "what was known",
      );
      const n = await store.sessions.readCall("sess", "n");
      equal([n?.frameId, n?.deadline, n?.outcome], ["frame-2", now() + 1000, undefined], "a refused call, tried again");
      const r = await store.sessions.readCall("sess", "r");
      equal([r?.frameId, r?.outcome], ["frame-2", resultOutcome("r")], "a call that has a result, tried again");
    },
    "should take call ids and frame ids as they are": async ({ store }) => {
      const ids = ["__proto__", "constructor", "a\0b", "a\0c", "\ud800", "\ud801", "", "日本"];
      const calls = ids.flatMap((id) => oneCall(id));
      const { calls: known } = await admitted(store, "admitted", 1, { calls, frameId: "a\0b" });
      equal(Object.keys(known).sort(), [...ids].sort(), "the ids");
      for (const id of ids) equal((await store.sessions.readCall("sess", id))?.callId, id, "a call's id");
      await admitted(store, "admitted", 2, { frameId: "a\0c" });
      await admitted(store, "admitted", 3, { frameId: "a" });
    },
    "should keep sessions apart": async ({ store }) => {
      await openSession(store, { id: "other" });
      await store.sessions.admit(admission(1, { calls: oneCall("c") }));
      const other = admission(1, { sessionId: "other", digest: "other", calls: oneCall("c", { digest: "other" }) });
      const result = expectStatus(await store.sessions.admit(other), "admitted");
      like(result.calls, { c: { status: "new" } }, "the call");
    },
    "should admit each seq once, however many ask": async ({ store }) => {
      const asked = Array.from({ length: 20 }, (_, index) => admission(1, { frameId: `f${index}` }));
      const results = await Promise.all(asked.map((one) => store.sessions.admit(one)));
      const counts = results.map(({ status }) => status).sort();
      equal(counts, ["admitted", ...Array.from({ length: 19 }, () => "stale")], "the admissions");
    },
    "should refuse malformed admissions": async ({ store }) => {
      await rejects(store.sessions.admit(admission(1.5)), isTypeError, "a seq that is no integer");
      await rejects(store.sessions.admit(admission(1, { keepFrames: 0 })), isTypeError, "no frames to keep");
      await admitted(store, "admitted", 1);
    },
  },
  openSession,
);

export const sessionCases: StoreCase[] = [...withoutSession, ...withSession];
