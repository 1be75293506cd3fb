import { equal, like, truth } from "@toolglot/internal";
import type { Admission, AdmissionResult, Pending } from "../store/frame-types.ts";
import type { RouterStore } from "../store/types.ts";
import {
  admission,
  admitted,
  answerOf,
  auditEntry,
  audited,
  nackOutcome,
  oneCall,
  openSession,
  resultOutcome,
  type StoreCase,
  startStatus,
  storeCases,
  who,
} from "./fixtures.ts";

/** Hands in a frame that may be expected. Undefined when the store expects nothing, or takes no answer with a token. */
async function expecting(store: RouterStore, seq: number, more: Partial<Admission>): Promise<Pending | undefined> {
  const found = (await store.sessions.admit(admission(seq, { ...more, mayExpect: true }))) as AdmissionResult & {
    pending?: Pending;
  };
  return found.pending?.mayAnswer === true ? found.pending : undefined;
}

export const expectedCases: StoreCase[] = storeCases(
  {
    "should write nothing with a token that it did not give": async ({ store }) => {
      await admitted(store, "admitted", 1, { calls: oneCall("a") });
      const answer = answerOf(1, { a: resultOutcome("a") });
      const together = { audit: [auditEntry("a")], ifAdmitted: "nobody's" };
      equal(await store.sessions.answer(answer, together), "not-admitted", "the answer");
      equal(await audited(store), [], "the audit rows");
      equal((await store.sessions.readCall("sess", "a"))?.outcome, undefined, "the outcome");
      equal(await startStatus(store, {}, { ifAdmitted: "nobody's" }), "not-admitted", "a start");
    },
    "should commit an answer with the admission that it expects, and take both once": async ({ store }) => {
      await admitted(store, "admitted", 1, {});
      const pending = await expecting(store, 2, { calls: oneCall("a") });
      if (pending === undefined) return;
      const answer = answerOf(2, { a: resultOutcome("a") });
      const together = { audit: [auditEntry("a")], ifAdmitted: pending.token };
      const [found, wrote] = await Promise.all([pending.result, store.sessions.answer(answer, together)]);
      equal([found.status, wrote], ["admitted", undefined], "both");
      equal(await audited(store), ["a"], "the audit rows");
      like(await store.sessions.readCall("sess", "a"), { outcome: resultOutcome("a") }, "the call");
      const again = await store.sessions.admit(admission(2, { calls: oneCall("a") }));
      like(again, { status: "duplicate", reply: answer.reply, session: { expectedSeq: 3 } }, "the same frame");
    },
    "should admit what it expects also when nothing is written with it": async ({ store }) => {
      await admitted(store, "admitted", 1, {});
      const pending = await expecting(store, 2, { calls: oneCall("a") });
      if (pending === undefined) return;
      pending.send?.();
      like(await pending.result, { status: "admitted", session: { expectedSeq: 3 } }, "the admission");
      const answer = answerOf(2, { a: resultOutcome("a") });
      const wrote = await store.sessions.answer(answer, { ifAdmitted: pending.token });
      equal(wrote, undefined, "an answer with the token, later");
      like(await store.sessions.readCall("sess", "a"), { outcome: resultOutcome("a") }, "the call");
    },
    "should read a session with the frames that it has answered for": async ({ store }) => {
      await admitted(store, "admitted", 1, {});
      const pending = await expecting(store, 2, { calls: oneCall("a") });
      if (pending === undefined) return;
      const [running, session] = await Promise.all([
        store.sessions.callsInFlight("sess"),
        store.sessions.read("sess", who),
      ]);
      equal(
        running.map(({ callId }) => callId),
        ["a"],
        "the calls in flight",
      );
      like(session, { expectedSeq: 3 }, "the session");
      like(await pending.result, { status: "admitted" }, "the admission");
      const answer = answerOf(2, { a: resultOutcome("a") });
      equal(await store.sessions.answer(answer, { ifAdmitted: pending.token }), undefined, "the answer");
    },
    "should write nothing of an answer when it had expected too much": async ({ store }) => {
      // The id is another call's, which only the table knows.
      const before = nackOutcome("a", "frame-1");
      await admitted(store, "admitted", 1, { calls: oneCall("a", { digest: "another" }) });
      await store.sessions.answer(answerOf(1, { a: before }));
      const pending = await expecting(store, 2, { calls: oneCall("a") });
      if (pending === undefined) return;
      const answer = answerOf(2, { a: resultOutcome("a") });
      const together = { audit: [auditEntry("a")], ifAdmitted: pending.token };
      const [found, wrote] = await Promise.all([pending.result, store.sessions.answer(answer, together)]);
      like(found, { status: "admitted", calls: { a: { status: "reused" } } }, "the admission");
      equal(wrote, "not-admitted", "the answer");
      equal(await audited(store), [], "the audit rows");
      like(await store.sessions.readCall("sess", "a"), { outcome: before }, "the call that had the id");
      const again = await store.sessions.admit(admission(2, { calls: oneCall("a") }));
      truth(again.status === "duplicate" && again.reply === undefined, "the frame should have no answer");
    },
  },
  openSession,
);
