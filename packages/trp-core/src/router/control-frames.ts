import { isFault } from "../frames/fault.ts";
import { nack, replyTo } from "../frames/replies.ts";
import type { CapQueryResPayload, RequestOf, ResponseFrame, ResultQueryResPayload } from "../frames/types.ts";
import { decide, policySubject } from "../policy/decide.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";
import { standingOf } from "./known-calls.ts";

/** Answers a `CATALOG_SYNC_REQ` (TRP v0.1 draft, 6.1.2): the whole table, also to `DELTA`. */
export async function answerSync(
  { store, registry, times, emitter }: FrameDependencies,
  { head, session, principal }: AdmittedFrame<RequestOf<"CATALOG_SYNC_REQ">>,
): Promise<ResponseFrame> {
  const { epoch, rows } = await registry.sync(session, principal);
  const at = store.now();
  emitter.emit({ type: "catalog.synced", at, sessionId: session.id, epoch, capabilities: rows.length });
  const payload = {
    catalog_epoch: epoch,
    alias_table: rows,
    ttl_sec: Math.max(1, Math.floor(times.catalogTtlMs / 1_000)),
  };
  return replyTo(head, "CATALOG_SYNC_RES", payload, { now: at, catalogEpoch: epoch });
}

/** Answers a `CAP_QUERY_REQ` (6.1.3). */
export async function answerCapQuery(
  { store, registry, policy }: FrameDependencies,
  { frame, head, session, principal }: AdmittedFrame<RequestOf<"CAP_QUERY_REQ">>,
): Promise<ResponseFrame> {
  const { idx, cap_id, include_examples = false } = frame.payload;
  // That the schema has changed is no reason to refuse: who asks wants to know it.
  const schema_digest = registry.get(cap_id)?.schemaDigest ?? null;
  const found = await registry.resolve(session, principal, { idx, cap_id, schema_digest }, frame.catalog_epoch);
  if (isFault(found)) return nack(head, found, { now: store.now(), expectedSeq: session.expectedSeq });
  const examples = found.definition.examples ?? [];
  const decision = await decide(policy, {
    principal,
    capability: policySubject(found),
    args: examples[0]?.args ?? {},
    now: store.now(),
    phase: "start",
  });
  const payload: CapQueryResPayload = {
    idx,
    cap_id,
    canonical_schema: structuredClone(found.schema),
    policy_hints: {
      requires_approval: decision.decision === "approve",
      idempotency_required: found.keyRequired,
    },
    examples: include_examples ? examples.map(({ args }) => ({ args: structuredClone(args) })) : [],
    schema_digest: found.schemaDigest,
  };
  return replyTo(head, "CAP_QUERY_RES", payload, { now: store.now() });
}

/** Answers a `RESULT_QUERY_REQ`: how a call of this session stands. */
export async function answerResultQuery(
  deps: FrameDependencies,
  { frame, head, session }: AdmittedFrame<RequestOf<"RESULT_QUERY_REQ">>,
): Promise<ResponseFrame> {
  const { call_id } = frame.payload;
  const payload: ResultQueryResPayload = { call_id, status: "NOT_FOUND", result: null, error: null, last_event_id: 0 };
  const call = await deps.store.sessions.readCall(session.id, call_id);
  const standing = call === undefined ? undefined : await standingOf(deps, session, call);
  if (standing?.kind === "running") payload.status = "IN_PROGRESS";
  else if (standing?.kind === "outcome") {
    const { outcome } = standing;
    payload.status = outcome.type === "RESULT" ? outcome.payload.status : "FAILED";
    if (outcome.type === "RESULT") payload.result = outcome.payload;
    else payload.error = outcome.payload;
  }
  return replyTo(head, "RESULT_QUERY_RES", payload, { now: deps.store.now() });
}

/** Answers a `HELLO_REQ` (6.1.1). */
export async function answerHello(
  { store, sessions }: FrameDependencies,
  { frame, head, principal }: Pick<AdmittedFrame<RequestOf<"HELLO_REQ">>, "frame" | "head" | "principal">,
): Promise<ResponseFrame> {
  const answer = await sessions.hello(frame.payload, principal);
  if (isFault(answer)) return nack(head, answer, { now: store.now() });
  return replyTo(head, "HELLO_RES", answer, { now: store.now() });
}
