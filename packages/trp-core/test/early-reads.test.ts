import type { JsonObject } from "@toolglot/core";
import { expect, it } from "vitest";
import { type AnyCapability, createRouter, defineCapability, MemoryStore, type RouterEvent } from "../src/index.ts";
import { isAsExpected } from "../src/store/index.ts";
import { callItem, openSession, type Session } from "./router-rig.ts";

// What has no effect runs while the admission of its frame is pending: nobody is answered, or told anything, before it is
// committed, and nothing is kept of what was not admitted.

interface Kept {
  store: MemoryStore;
  /** What happened, in order. */
  log: string[];
}

interface Ways {
  /** Default true. */
  mayAnswer?: boolean;
  /** Comes before an admission, once it is sent. */
  first?: () => unknown;
  /** Whether a token is forgotten. */
  forgets?: boolean;
}

/** A store that answers for an admission before it makes it, and makes it when it is told to or when something is written with it. */
function expecting({ mayAnswer = true, first, forgets = false }: Ways = {}): Kept {
  const store = new MemoryStore();
  const log: string[] = [];
  const admit = store.sessions.admit.bind(store.sessions);
  const answer = store.sessions.answer.bind(store.sessions);
  const pending = new Map<string, { send(): void; met: Promise<boolean> }>();
  Object.assign(store.sessions, {
    async admit(admission: Parameters<typeof admit>[0]) {
      const { mayExpect, sessionId, seq } = admission;
      const session = await store.sessions.read(sessionId, admission);
      if (mayExpect !== true || session?.expectedSeq !== seq) return admit(admission);
      let send = (): void => {};
      const sent = new Promise<void>((resolve) => {
        send = resolve;
      });
      const result = sent.then(async () => {
        await first?.();
        log.push("admit");
        return admit(admission);
      });
      const met = result.then((found) => isAsExpected(found, session.view));
      met.catch(() => {});
      const token = `token-${pending.size}`;
      pending.set(token, { send, met });
      const more = mayAnswer ? { mayAnswer } : {};
      return {
        ...{ status: "admitted" as const, session: { ...session, expectedSeq: seq + 1 }, calls: {} },
        pending: { token, result, send, ...more },
      };
    },
    async answer(given: Parameters<typeof answer>[0], { ifAdmitted, ...together }: Parameters<typeof answer>[1] = {}) {
      const own = ifAdmitted === undefined ? undefined : pending.get(ifAdmitted);
      own?.send();
      if (own !== undefined && (forgets || !(await own.met))) {
        log.push("no answer");
        return "not-admitted" as const;
      }
      log.push(own === undefined ? "answer" : "answer, if admitted");
      return answer(given, together);
    },
  });
  return { store, log };
}

function capability(name: string, run: AnyCapability["execute"], more: object = {}): AnyCapability {
  return defineCapability({
    ...{ capId: `cap.test.${name}.v1`, name, description: "Does.", riskTier: "LOW", ioClass: "READ", effect: "pure" },
    ...{ args: { text: "string" }, execute: run, ...more },
  } as AnyCapability);
}

const frameOf = (of: Session, name: string): JsonObject =>
  of.frame("CALL_REQ", callItem({ cap_id: `cap.test.${name}.v1`, args: { text: "x" } }));

const call = (to: Session, name: string): ReturnType<Session["call"]> =>
  to.call({ cap_id: `cap.test.${name}.v1`, args: { text: "x" } });

it.each<[string, object, boolean, string[]]>([
  ["without effects", {}, true, ["run", "admit", "answer, if admitted"]],
  ["of a store that can't answer with a token", {}, false, ["admit", "run", "answer"]],
  ["with an effect", { effect: "idempotent" }, true, ["run", "answer"]],
])("a call %s", async (_what, more, mayAnswer, expected) => {
  const { store, log } = expecting({ mayAnswer });
  const capabilities = [capability("read", () => log.push("run"), more)];
  const router = createRouter({ store, capabilities, allowVolatile: true });
  const one = await openSession(router);
  log.length = 0;
  expect((await call(one, "read")).frame_type).toBe("RESULT");
  expect(log).toEqual(expected);
  expect((await store.audit.read()).map(({ entry }) => entry.result_status)).toEqual(["SUCCESS"]);
});

it("a refusal goes with the admission of its frame, too", async () => {
  const { store, log } = expecting();
  const one = await openSession(createRouter({ store, capabilities: [capability("read", () => 1)] }));
  log.length = 0;
  const refused = await one.call({ cap_id: "cap.test.read.v1", args: { text: 3 } });
  expect(refused.payload).toMatchObject({ error_code: "TRP_2001", retry_hint: { expected_seq: one.seq } });
  expect(log).toEqual(["admit", "answer, if admitted"]);
});

it("what ran for a frame that is not admitted leaves nothing behind", async () => {
  let isTaken = false;
  const { store, log } = expecting({
    async first() {
      if (isTaken) return;
      isTaken = true;
      // Another router has admitted another frame.
      const who = { tenant: one.who.tenant, principal: one.who.id };
      const frame = { sessionId: one.id, ...who, frameId: "other", digest: "other", seq: one.seq - 1, calls: [] };
      expect(await store.sessions.admit(frame)).toMatchObject({ status: "admitted" });
    },
  });
  const events: RouterEvent[] = [];
  const router = createRouter({ store, capabilities: [capability("read", () => log.push("run"))] });
  router.subscribe((event) => void events.push(event));
  const one = await openSession(router);
  log.length = 0;
  const refused = await call(one, "read");
  expect(refused.payload).toMatchObject({ error_code: "TRP_1004", dispatched: false });
  expect(log).toEqual(["run", "admit", "no answer"]);
  expect(await store.audit.read()).toEqual([]);
  expect(events.filter(({ type }) => type.startsWith("call."))).toEqual([]);
  expect((await call(one, "read")).frame_type).toBe("RESULT");
});

it("a store that fails then is told as it is: the call ran, and may run again", async () => {
  let isDown = false;
  const { store, log } = expecting({
    first: () => isDown && Promise.reject(new Error("the disk is full")),
  });
  const faults: unknown[] = [];
  const onError = (_: unknown, facts: object): void => void faults.push(facts);
  const one = await openSession(
    createRouter({ store, onError, capabilities: [capability("read", () => log.push("run"))] }),
  );
  log.length = 0;
  isDown = true;
  const failed = await call(one, "read");
  expect(failed.payload).toMatchObject({ error_code: "TRP_5001", dispatched: true, retryable: true });
  expect(failed.payload).toMatchObject({ retry_hint: { expected_seq: one.seq - 1 } });
  expect(log).toEqual(["run"]);
  expect(faults).toContainEqual({ operation: "sessions.admit" });
  isDown = false;
  one.seq -= 1;
  expect((await call(one, "read")).frame_type).toBe("RESULT");
});

it("an answer whose token was forgotten is written without it, once the frame is known to be admitted", async () => {
  const { store, log } = expecting({ forgets: true });
  const one = await openSession(createRouter({ store, capabilities: [capability("read", () => "it")] }));
  log.length = 0;
  const sent = frameOf(one, "read");
  const reply = await one.router.handle(sent, { principal: one.who });
  expect(reply.frame_type).toBe("RESULT");
  expect(log.sort()).toEqual(["admit", "answer", "no answer"]);
  expect(await one.router.handle(sent, { principal: one.who })).toEqual(reply);
});

it("nobody is told of a call before its frame is admitted, and then while it runs", async () => {
  const { store, log } = expecting();
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const capabilities = [
    capability("slow", async (_: unknown, { progress }: { progress(text: string): void }) => {
      log.push("run");
      progress("half");
      await done;
      return "it";
    }),
  ];
  const router = createRouter({ store, capabilities });
  router.subscribe(({ type }) => void (type === "call.accepted" && log.push(type)));
  const one = await openSession(router);
  log.length = 0;
  const frame = frameOf(one, "slow");
  const told = new Promise<void>((resolve) => {
    const onPartial = (): void => {
      log.push("told");
      resolve();
    };
    void router.handle(frame, { principal: one.who, onPartial }).then(() => log.push("replied"));
  });
  await told;
  expect(log).toEqual(["run", "admit", "call.accepted", "told"]);
  finish();
  await expect.poll(() => log.at(-1)).toBe("replied");
  expect(log.slice(-2)).toEqual(["answer", "replied"]);
});

it("a call that must wait for a place is admitted first, and gives the place back when it is not", async () => {
  let isWrong = false;
  const { store, log } = expecting({
    async first() {
      if (!isWrong) return;
      isWrong = false;
      const who = { tenant: one.who.tenant, principal: one.who.id };
      await store.sessions.admit({ sessionId: one.id, ...who, frameId: "o", digest: "o", seq: one.seq - 1, calls: [] });
    },
  });
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const capabilities = [capability("slow", () => done), capability("read", () => log.push("run"))];
  const router = createRouter({ store, capabilities, limits: { callsInFlight: 1 } });
  const [other, one] = [await openSession(router), await openSession(router)];
  const slow = call(other, "slow");
  await expect.poll(() => router.load()).toEqual({ running: 1, waiting: 0 });
  log.length = 0;
  isWrong = true;
  expect((await call(one, "read")).payload).toMatchObject({ error_code: "TRP_1004" });
  const waiting = call(one, "read");
  await expect.poll(() => log.at(-1)).toBe("admit");
  expect(log).toEqual(["admit", "admit"]);
  finish();
  expect([(await slow).frame_type, (await waiting).frame_type]).toEqual(["RESULT", "RESULT"]);
  expect(router.load()).toEqual({ running: 0, waiting: 0 });
});
