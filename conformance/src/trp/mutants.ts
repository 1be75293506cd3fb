import type { RouterUnderTest, TrpImplementation } from "./router-under-test.ts";

type Frame = { frame_type: string; payload: Record<string, unknown>; [field: string]: unknown };

/** Routers that do one thing wrong: the vectors have to notice each of them. */
export const mutants: Record<string, (router: RouterUnderTest) => RouterUnderTest> = {
  "answers everything with one NACK": (router) => ({
    ...router,
    handle: async () => ({ frame_type: "NACK", payload: { error_code: "TRP_5001" } }),
  }),
  "throws at broken frames": (router) => ({
    ...router,
    handle: (frame, who) => {
      if (typeof frame !== "object" || frame === null) throw new Error("no frame");
      return router.handle(frame, who);
    },
  }),
  "forgets the fix line": changed("NACK", ({ fix: _, ...payload }) => payload),
  "forgets the next seq": changed("NACK", (payload) => ({ ...payload, retry_hint: {} })),
  "says one seq too many": changed("NACK", (payload) => {
    const { expected_seq, ...hint } = payload.retry_hint as Record<string, number>;
    return { ...payload, retry_hint: { ...hint, expected_seq: Number(expected_seq) + 1 } };
  }),
  "lets everything be tried again": changed("NACK", (payload) => ({ ...payload, retryable: true })),
  "lets nothing be tried again": changed("NACK", (payload) => ({ ...payload, retryable: false })),
  "never says that it was started": changed("NACK", (payload) => ({ ...payload, dispatched: false })),
  "calls unknown outcomes failures": changed("RESULT", (payload) => ({
    ...payload,
    status: payload.status === "UNKNOWN" ? "FAILED" : payload.status,
  })),
  "does not say whose result it repeats": changed("RESULT", ({ replayed_from: _, ...payload }) => payload),
  "calls partial batches successes": changed("CALL_BATCH_RES", (payload) => ({
    ...payload,
    status: payload.status === "PARTIAL_SUCCESS" ? "SUCCESS" : payload.status,
  })),
  "turns batch results round": changed("CALL_BATCH_RES", (payload) => ({
    ...payload,
    results: [...(payload.results as unknown[])].reverse(),
  })),
  "adds a field to envelopes": (router) => ({
    ...router,
    handle: async (frame, who) => ({ ...((await router.handle(frame, who)) as Frame), extra: 1 }),
  }),
  "answers under an id of its own": (router) => ({
    ...router,
    handle: async (frame, who) => ({ ...((await router.handle(frame, who)) as Frame), frame_id: "res_1" }),
  }),
  "lets everybody be the agent": (router) => ({
    ...router,
    handle: (frame, who) => router.handle(frame, { ...who, id: "agent-1", tenant: "default" }),
  }),
  "believes auth_context": (router) => ({
    ...router,
    handle: (frame, who) => {
      const roles = (frame as { auth_context?: { roles?: string[] } } | null)?.auth_context?.roles;
      return router.handle(frame, Array.isArray(roles) ? { ...who, roles } : who);
    },
  }),
  "makes a new key of each key": (router) => {
    let count = 0;
    return {
      ...router,
      handle: (frame, who) => {
        const { payload } = (frame ?? {}) as { payload?: Record<string, unknown> };
        if (typeof payload?.idempotency_key !== "string") return router.handle(frame, who);
        const changedFrame = {
          ...(frame as object),
          payload: { ...payload, idempotency_key: `${payload.idempotency_key}-${++count}` },
        };
        return router.handle(changedFrame, who);
      },
    };
  },
  "lets everybody decide": (router) => ({
    ...router,
    decide: async (who, decision, id) => {
      const told = await router.decide(who, decision, id);
      return told === "own-request" || told === "not-allowed" ? "ok" : told;
    },
  }),
  "has no clock": (router) => ({ ...router, advance: () => {} }),
};

/** The implementation, as the mutant spoils it. */
export function mutated(implementation: TrpImplementation, name: string): TrpImplementation {
  const mutate = mutants[name];
  if (!mutate) throw new TypeError(`no such mutant: ${name}`);
  return { name, open: async (setup) => mutate(await implementation.open(setup)) };
}

function changed(
  type: string,
  change: (payload: Record<string, unknown>) => Record<string, unknown>,
): (router: RouterUnderTest) => RouterUnderTest {
  return (router) => ({
    ...router,
    async handle(frame, who) {
      const answer = (await router.handle(frame, who)) as Frame;
      return answer.frame_type === type ? { ...answer, payload: change(answer.payload) } : answer;
    },
  });
}
