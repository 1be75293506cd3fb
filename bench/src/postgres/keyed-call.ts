import type { ClaimRequest, OperationEnd } from "@toolglot/core";
import { MemoryStore } from "@toolglot/trp-core";
import type { Admission, Answer, RouterStore, SameTransaction, StartOptions } from "@toolglot/trp-core/store";
import { inProcess } from "../trp/clients.ts";
import type { Peer } from "../trp/load.ts";
import { writeCapability } from "../trp/work.ts";

/** What a router asks a store for one keyed call. */
export interface KeyedCall {
  admission: Admission;
  request: ClaimRequest;
  options: StartOptions;
  end: OperationEnd;
  together: SameTransaction & { answer: Answer };
}

/** Lets a router make a keyed call, and keeps what it asks its store. */
export async function recordKeyedCall(): Promise<KeyedCall> {
  const store = new MemoryStore();
  const { sessions, operations } = store;
  const found: Partial<KeyedCall> = {};
  const [admit, start, finish] = [
    sessions.admit.bind(sessions),
    operations.start.bind(operations),
    operations.finish.bind(operations),
  ];
  sessions.admit = (admission) => {
    found.admission = admission;
    return admit(admission);
  };
  operations.start = (request, options) => {
    Object.assign(found, { request, options });
    return start(request, options);
  };
  operations.finish = (claim, end, together) => {
    Object.assign(found, { end, together });
    return finish(claim, end, together);
  };
  const router = inProcess("recorded", store, writeCapability);
  await router.call();
  await router.close();
  if (found.admission === undefined || found.request === undefined || found.together === undefined)
    throw new Error("a router makes keyed calls in another way now");
  return found as KeyedCall;
}

let stores = 0;

/** A session to call in, and how far it is. */
interface Session {
  id: string;
  seq: number;
}

/**
 * Keyed calls on a store alone, as the router makes them: admission with start, then end with answer and audit rows. `sessions`: how many
 * the callers share.
 */
export async function keyedCalls(name: string, store: RouterStore, sessions: number): Promise<Peer> {
  const { admission, request, options, end, together } = await recordKeyedCall();
  const { tenant, principal } = admission;
  const prefix = `${process.pid}-${++stores}`;
  const free: Session[] = [];
  for (let n = 0; n < sessions; n += 1) {
    const id = `sess_bench-${prefix}-${n}-`.padEnd(admission.sessionId.length, "x");
    const session = { id, tenant, principal, agentId: "bench", features: [], view: "", ttlMs: 3_600_000 };
    free.push({ id, seq: (await store.sessions.create(session)).expectedSeq - 1 });
  }
  const [admitted] = admission.calls;
  const [[, outcome] = []] = together.answer.outcomes;
  if (admitted === undefined || outcome === undefined) throw new Error("no call was recorded");
  let count = 0;
  return {
    name,
    close: () => store.close(),
    async call() {
      const id = `${prefix}-${++count}`;
      const session = free.shift();
      if (session === undefined) throw new Error("there are more callers than sessions");
      if (sessions === 1) free.push(session);
      const [callId, frameId] = [`call_${id}`, `frm_${id}`];
      const operation = { scope: request.scope, key: `${request.key}${id}` };
      const place = { sessionId: session.id, frameId };
      const frame: Admission = {
        ...admission,
        ...place,
        digest: `${admission.digest}${id}`,
        seq: ++session.seq,
        calls: [{ ...admitted, callId, operation }],
      };
      let asked = await store.sessions.admit(frame);
      // The frame before it is on its way: a router waits for it, too.
      while (asked.status === "gap") asked = await store.sessions.admit(frame);
      if (asked.status !== "admitted") throw new Error(`${name}: ${asked.status}`);
      const started = await store.operations.start(
        { ...request, ...operation },
        {
          ...options,
          effectId: `${options.effectId}${id}`,
          unlessCancelled: { sessionId: session.id, callId },
          ...(asked.pending && { ifAdmitted: asked.pending.token }),
        },
      );
      if (started.status !== "claimed") throw new Error(`${name}: ${started.status}`);
      await asked.pending?.result;
      const answer = { ...together.answer, ...place, outcomes: [[callId, outcome] as const] };
      if (!(await store.operations.finish(started.claim, end, { ...together, answer })))
        throw new Error(`${name}: lost`);
      if (sessions > 1) free.push(session);
    },
  };
}
