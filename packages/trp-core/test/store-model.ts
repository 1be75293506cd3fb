import fc from "fast-check";
import { expect } from "vitest";
import type { ResponseFrame } from "../src/frames/types.ts";
import { MemoryStore } from "../src/index.ts";
import type { AuditEntry, NewEvent, RouterStore } from "../src/store/index.ts";

// The same commands on a MemoryStore and on another store, one after another: every answer must be the same.

/** What commands work on: a store, and what earlier answers told. */
interface World {
  store: RouterStore;
  /** Of each key, oldest first. */
  fences: Map<string, number[]>;
}
type Command = { what: string; do(world: World): Promise<unknown> } | { what: string; wait: number };

const who = { tenant: "t", principal: "p" };
const entry = (callId: string): AuditEntry =>
  ({ kind: "outcome", ...who, call_id: callId, latency_ms: 1, error_code: null }) as AuditEntry;
const replyOf = (callId: string, type: "RESULT" | "NACK"): ResponseFrame =>
  ({ frame_type: type, payload: { call_id: callId, usage: {}, list: [1, { a: null }] } }) as unknown as ResponseFrame;

const few = (prefix: string, count: number): fc.Arbitrary<string> => fc.nat(count - 1).map((n) => `${prefix}${n}`);
const session = fc.constantFrom("s0", "s0", "s0", "s1");
const frame = few("f", 6);
const call = few("c", 3);
const digest = few("d", 2);
const key = fc.record({ scope: fc.constant("scope0"), key: few("k", 2) });
const print = fc.constantFrom("p0", "p0", "p0", "p1");
const fence = fc.constantFrom(0, 0, 0, 1);

const answer = fc
  .record({
    sessionId: session,
    frameId: frame,
    callId: call,
    type: fc.constantFrom("RESULT", "NACK"),
    outcome: fc.constantFrom("reply", "reply", "another", "none"),
  })
  .map(({ sessionId, frameId, callId, type, outcome }) => {
    const reply = replyOf(callId, type as "RESULT");
    const payload = outcome === "reply" ? reply.payload : { ...reply.payload, other: true };
    const outcomes = outcome === "none" ? [] : [[callId, { type, payload } as never] as const];
    return { sessionId, frameId, reply, outcomes };
  });
const events = fc.array(
  call.map((callId): NewEvent => ({ type: "call.resumed", attempt: 2, callId }) as NewEvent),
  { maxLength: 2 },
);
const along = fc.record({ audit: call.map((id) => [entry(id)]), answer, events }, { requiredKeys: [] });
const claim = fc.record(
  {
    key,
    fingerprint: print,
    owner: few("o", 2),
    leaseMs: fc.constantFrom(5, 20),
    ttlMs: fc.constantFrom(10, 50),
    keepMs: fc.constantFrom(0, 30),
    abandoned: fc.constantFrom("doubt", "reclaim"),
  },
  { requiredKeys: ["key", "fingerprint", "owner", "leaseMs"] },
);
const approvalUse = fc.oneof(
  fc.record({ kind: fc.constant("record" as const), id: few("a", 4), fingerprint: print }),
  fc.record({ kind: fc.constant("token" as const), jti: few("j", 2), expiresAt: fc.integer({ min: 1000, max: 1100 }) }),
);
/** A claim that was given out, or one that never was. */
const held = ({ fences }: World, scope: { scope: string; key: string }, back: number) => ({
  ...scope,
  fence: fences.get(scope.key)?.at(-1 - back) ?? 0,
});
const given = ({ fences }: World, { key }: { key: string }, fence: number): void => {
  fences.set(key, [...(fences.get(key) ?? []), fence]);
};

const commands: Record<string, fc.Arbitrary<Command>> = {
  wait: fc.nat(15).map((wait) => ({ what: `wait ${wait}`, wait })),
  create: fc.record({ id: session, ttlMs: fc.constantFrom(30, 1000) }).map((more) => ({
    what: `create ${JSON.stringify(more)}`,
    do: ({ store }) => store.sessions.create({ ...who, agentId: "a", features: ["x"], view: "v0", ...more }),
  })),
  read: fc.record({ id: session, principal: fc.constantFrom("p", "p", "q") }).map(({ id, principal }) => ({
    what: `read ${id}`,
    do: ({ store }) => store.sessions.read(id, { tenant: "t", principal }),
  })),
  setView: fc.tuple(session, few("v", 2), few("v", 2)).map(([id, from, to]) => ({
    what: `setView ${id}`,
    do: ({ store }) => store.sessions.setView(id, from, to),
  })),
  admit: fc
    .record({
      sessionId: session,
      frameId: frame,
      digest,
      // Mostly the expected one: it is told apart below.
      offset: fc.constantFrom(0, 0, 0, 0, -1, 1),
      calls: fc.array(
        fc.record(
          { callId: call, digest, timeoutMs: fc.constantFrom(5, 40), operation: key },
          { requiredKeys: ["callId", "digest", "timeoutMs"] },
        ),
        { maxLength: 3 },
      ),
      keepFrames: fc.constantFrom(1, 3, 20),
    })
    .map(({ offset, ...admission }) => ({
      what: `admit ${JSON.stringify({ offset, ...admission })}`,
      do: async ({ store }) => {
        const expected = (await store.sessions.read(admission.sessionId, who))?.expectedSeq ?? 1;
        return store.sessions.admit({ ...who, seq: expected + offset, ...admission });
      },
    })),
  answer: answer.map((one) => ({ what: `answer ${one.frameId}`, do: async ({ store }) => store.sessions.answer(one) })),
  call: fc.tuple(session, call).map(([id, callId]) => ({
    what: `call ${id} ${callId}`,
    do: ({ store }) => store.sessions.readCall(id, callId),
  })),
  inFlight: session.map((id) => ({ what: `in flight ${id}`, do: ({ store }) => store.sessions.callsInFlight(id) })),
  claim: claim.map(({ key, ...more }) => ({
    what: `claim ${JSON.stringify({ key, ...more })}`,
    do: async (world) => {
      const result = await world.store.operations.claim({ ...key, ...more } as never);
      if (result.status === "claimed") given(world, key, result.claim.fence);
      return result;
    },
  })),
  takeOver: fc.tuple(claim, fc.constantFrom(0, 0, 0, 1)).map(([{ key, ...more }, offset]) => ({
    what: `take over ${JSON.stringify({ key, ...more, offset })}`,
    do: async (world) => {
      const ifDoubt = { events: [{ type: "call.resumed", attempt: 2 } as NewEvent], audit: [entry("doubt")] };
      const { operations } = world.store;
      const fence = (await operations.read(key))?.fence ?? 0;
      const result = await operations.takeOver({ ...key, ...more } as never, fence + offset, { ifDoubt });
      if (result.status === "claimed") given(world, key, result.claim.fence);
      return result;
    },
  })),
  start: fc
    .tuple(claim, along, fc.option(approvalUse, { nil: undefined }), fc.boolean())
    .map(([{ key, ...more }, beside, approval, data]) => ({
      what: `start ${JSON.stringify({ key, ...more, approval })}`,
      do: async (world) => {
        const ifDoubt = { events: [{ type: "call.resumed", attempt: 3 } as NewEvent] };
        const options = { ifDoubt, ...beside, ...(approval && { approval }), ...(data && { data: { n: [1] } }) };
        const result = await world.store.operations.start({ ...key, ...more } as never, options);
        if (result.status === "claimed") given(world, key, result.claim.fence);
        return result;
      },
    })),
  renew: fc.tuple(key, fence).map(([of, back]) => ({
    what: `renew ${of.key} ${back}`,
    do: (world) => world.store.operations.renew(held(world, of, back), 20),
  })),
  begin: fc.tuple(key, fence, fc.boolean(), along).map(([of, back, data, { answer: _, ...beside }]) => ({
    what: `begin ${of.key} ${back}`,
    do: (world) => world.store.operations.begin(held(world, of, back), data ? { b: 1 } : undefined, beside),
  })),
  finish: fc
    .tuple(key, fence, fc.constantFrom("done", "failed", "released"), along)
    .map(([of, back, state, beside]) => ({
      what: `finish ${of.key} ${back} ${state}`,
      do: (world) => {
        const result = state === "released" ? { state } : { state, outcome: { ok: [true] } };
        return world.store.operations.finish(held(world, of, back), result as never, beside);
      },
    })),
  doubt: fc.tuple(key, fence, along).map(([of, back, beside]) => ({
    what: `doubt ${of.key} ${back}`,
    do: (world) => world.store.operations.doubt(held(world, of, back), "why", beside),
  })),
  settle: fc
    .tuple(key, fc.option(fence, { nil: undefined }), fc.constantFrom("done", "failed", "released"), along)
    .map(([of, back, state, beside]) => ({
      what: `settle ${of.key} ${back} ${state}`,
      do: (world) => {
        const result = state === "released" ? { state } : { state, outcome: { ok: [true] } };
        const about = back === undefined ? of : held(world, of, back);
        return world.store.operations.settle(about, result as never, "who", beside);
      },
    })),
  abandon: fc.tuple(key, fence).map(([of, back]) => ({
    what: `abandon ${of.key} ${back}`,
    do: (world) => world.store.operations.abandon(held(world, of, back)),
  })),
  operation: key.map((of) => ({ what: `operation ${of.key}`, do: ({ store }) => store.operations.read(of) })),
  list: fc
    .record(
      {
        states: fc
          .subarray(["claimed", "started", "done", "failed", "in-doubt", "released"] as const)
          .map((list) => [...list]),
        leaseExpired: fc.boolean(),
        scopePrefix: fc.constantFrom("scope0", "x"),
        limit: fc.constantFrom(1, 2),
      },
      { requiredKeys: ["states"] },
    )
    .map((filter) => ({ what: `list ${JSON.stringify(filter)}`, do: ({ store }) => store.operations.list(filter) })),
  request: fc
    .record({
      id: few("a", 4),
      operation: key,
      fingerprint: print,
      ttlMs: fc.constantFrom(10, 60),
      outbox: fc.boolean(),
    })
    .map((more) => {
      return {
        what: `request ${JSON.stringify(more)}`,
        do: ({ store }) => {
          const rest = { tenant: "t", requester: "p", capId: "cap", args: { a: [1] }, riskTier: "HIGH", reason: "r" };
          return store.approvals.request({ ...rest, policyVersion: "1", ...more });
        },
      };
    }),
  decide: fc
    .tuple(few("a", 4), fc.constantFrom("approved", "approved", "denied"), along)
    .map(([id, status, beside]) => ({
      what: `decide ${id} ${status}`,
      do: ({ store }) => store.approvals.decide(id, { status: status as "approved", by: "b" }, beside),
    })),
  approval: few("a", 4).map((id) => ({ what: `approval ${id}`, do: ({ store }) => store.approvals.read(id) })),
  approvals: fc
    .record(
      { status: fc.constantFrom("pending", "approved", "denied", "used", "expired"), limit: fc.constantFrom(1, 3) },
      { requiredKeys: [] },
    )
    .map((filter) => ({
      what: `approvals ${JSON.stringify(filter)}`,
      do: ({ store }) => store.approvals.list({ tenant: "t", ...(filter as object) }),
    })),
  audit: fc.record({ after: fc.nat(6), limit: fc.nat(4) }, { requiredKeys: [] }).map((range) => ({
    what: `audit ${JSON.stringify(range)}`,
    do: ({ store }) => store.audit.read(range),
  })),
  put: fc.tuple(few("art", 2), fc.constantFrom(10, 100), fc.nat(4)).map(([id, ttlMs, size]) => ({
    what: `put ${id}`,
    do: ({ store }) => {
      const bytes = Uint8Array.from({ length: size }, (_, index) => index);
      return store.artifacts.put({ id, ...who, mediaType: "m", sha256: "s", ttlMs, bytes });
    },
  })),
  artifact: fc.tuple(few("art", 2), fc.nat(5), fc.nat(5)).map(([id, offset, length]) => ({
    what: `artifact ${id}`,
    do: ({ store }) => store.artifacts.read(id, who, { offset, length }),
  })),
  epoch: fc.tuple(few("d", 3), fc.nat(4)).map(([of, atLeast]) => ({
    what: `epoch ${of} ${atLeast}`,
    do: ({ store }) => store.catalog.epoch(of, atLeast),
  })),
  outbox: fc.tuple(fc.oneof(few("c", 2), fc.nat(9)), fc.integer({ min: 1, max: 4 })).map(([where, limit]) => ({
    what: `outbox ${where} ${limit}`,
    do: ({ store }) =>
      store.outbox.read(typeof where === "number" ? { after: where, limit } : { consumer: where, limit }),
  })),
  acknowledge: fc.tuple(few("c", 2), fc.nat(9)).map(([name, upTo]) => ({
    what: `acknowledge ${name} ${upTo}`,
    do: ({ store }) => store.outbox.acknowledge(name, upTo),
  })),
  consumers: fc.constant({ what: "consumers", do: ({ store }: World) => store.outbox.consumers() }),
  forget: few("c", 2).map((name) => ({ what: `forget ${name}`, do: ({ store }) => store.outbox.forget(name) })),
  checkpoint: fc.tuple(fc.nat(3), fc.nat(4)).map(([back, before]) => ({
    what: `checkpoint ${back} ${before}`,
    do: async ({ store }) => {
      const { row } = await store.audit.head();
      const index = Math.max(1, (row?.index ?? 0) - back);
      const [found] = await store.audit.read({ after: index - 1, limit: 1 });
      const from = Math.max(1, index - before);
      const { hash = "0".repeat(64) } = found ?? {};
      return [await store.audit.addCheckpoint({ index, hash, at: store.now(), from }), await store.audit.head()];
    },
  })),
  checkpoints: fc.record({ after: fc.nat(6), limit: fc.nat(4) }, { requiredKeys: [] }).map((range) => ({
    what: `checkpoints ${JSON.stringify(range)}`,
    do: ({ store }) => store.audit.checkpoints(range),
  })),
  prune: fc
    .record({ outboxTtlMs: fc.constantFrom(5, 50), outboxRows: fc.nat(4) }, { requiredKeys: [] })
    .map((retention) => ({ what: `prune ${JSON.stringify(retention)}`, do: ({ store }) => store.prune(retention) })),
};

/** What most is to be learnt from comes most often. */
const weights: Record<string, number> = {
  wait: 3,
  admit: 8,
  answer: 4,
  start: 8,
  finish: 4,
  request: 4,
  decide: 4,
  create: 2,
};
const anyCommand = fc.oneof(
  ...Object.entries(commands).map(([name, arbitrary]) => ({ weight: weights[name] ?? 1, arbitrary })),
);

/** An answer as one can compare it: errors by what they say, bytes as numbers. */
async function answerOf(promise: Promise<unknown>, mayHaveGaps: boolean): Promise<unknown> {
  try {
    const plain = (name: string, value: unknown): unknown => {
      if (mayHaveGaps && name === "fence") return typeof value;
      return value instanceof Uint8Array ? Array.from(value) : value;
    };
    return JSON.parse(JSON.stringify((await promise) ?? null, plain));
  } catch (error) {
    return String(error);
  }
}

/** Runs so many sequences of commands on an empty store, whose fences may have gaps. It is closed afterwards. */
export async function answersAsMemory(
  open: (now: () => number) => Promise<RouterStore>,
  numRuns: number,
  { mayHaveGaps = false }: { mayHaveGaps?: boolean } = {},
): Promise<void> {
  const sequences = fc.array(anyCommand, { minLength: 40, maxLength: 120, size: "max" });
  const property = fc.asyncProperty(sequences, async (sequence) => {
    let time = 1000;
    const now = (): number => time;
    const memory: World = { store: new MemoryStore({ now }), fences: new Map() };
    const other: World = { store: await open(now), fences: new Map() };
    const told: string[] = [];
    const session = { id: "s0", ...who, agentId: "a", features: [], view: "v0", ttlMs: 1000 };
    const ask = async (act: (world: World) => Promise<unknown>): Promise<void> => {
      const [wanted, got] = await Promise.all([memory, other].map((world) => answerOf(act(world), mayHaveGaps)));
      expect(got, told.join("\n")).toEqual(wanted);
    };
    try {
      for (const { store } of [memory, other]) await store.sessions.create(session);
      for (const command of sequence) {
        told.push(command.what);
        if ("wait" in command) time += command.wait;
        else await ask(command.do);
      }
      await ask(({ store }) => Promise.all([store.audit.read(), store.outbox.read({ after: 0 })]));
    } finally {
      await other.store.close();
    }
  });
  await fc.assert(property, { numRuns, interruptAfterTimeLimit: 60_000 });
}
