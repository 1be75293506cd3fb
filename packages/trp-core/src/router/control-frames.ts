import { denied } from "../calls/faults.ts";
import { type Fault, isFault } from "../frames/fault.ts";
import { nack, replyTo } from "../frames/replies.ts";
import type { CapQueryResPayload, CatalogSyncResPayload, RequestOf, ResponseFrame } from "../frames/types.ts";
import { decide, deniesAlways, policySubject } from "../policy/decide.ts";
import type { AdmittedFrame, FrameDependencies } from "./frame-dependencies.ts";

/** Answers a `CATALOG_SYNC_REQ` (TRP v0.1 draft, 6.1.2): the whole table, or what has changed in it. */
export async function answerSync(
  { store, registry, times, emitter }: FrameDependencies,
  { frame, head, session, principal }: AdmittedFrame<RequestOf<"CATALOG_SYNC_REQ">>,
): Promise<ResponseFrame> {
  const { mode, known_epoch: base } = frame.payload;
  const { epoch, rows, delta } = await registry.sync(session, principal, mode === "DELTA" ? base : null);
  const at = store.now();
  emitter.emit({ type: "catalog.synced", at, sessionId: session.id, epoch, capabilities: rows.length });
  const ttl_sec = Math.max(1, Math.floor(times.catalogTtlMs / 1_000));
  const mayDiffer = session.features.includes("CATALOG_DELTA");
  const payload: CatalogSyncResPayload =
    delta !== undefined && base !== null
      ? { mode: "DELTA", base_epoch: base, catalog_epoch: epoch, ...delta, ttl_sec }
      : { ...(mayDiffer && { mode: "FULL" }), catalog_epoch: epoch, alias_table: rows, ttl_sec };
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
  const refuse = (reason: Fault): ResponseFrame =>
    nack(head, reason, { now: store.now(), expectedSeq: session.expectedSeq });
  if (isFault(found)) return refuse(found);
  const examples = found.definition.examples ?? [];
  const decision = await decide(policy, {
    principal,
    capability: policySubject(found),
    args: examples[0]?.args ?? {},
    now: store.now(),
    phase: "start",
  });
  if (decision.decision === "deny" && deniesAlways(policy, principal, found)) return refuse(denied(decision));
  const payload: CapQueryResPayload = {
    idx,
    cap_id,
    canonical_schema: structuredClone(found.schema),
    policy_hints: {
      // Of what is denied with these arguments, nobody may believe that it needs nobody's consent.
      requires_approval: decision.decision !== "allow",
      idempotency_required: found.keyRequired,
    },
    examples: include_examples ? examples.map(({ args }) => ({ args: structuredClone(args) })) : [],
    schema_digest: found.schemaDigest,
  };
  return replyTo(head, "CAP_QUERY_RES", payload, { now: store.now() });
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
