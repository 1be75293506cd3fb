import { expect, it } from "vitest";
import { decisionEntry, outcomeEntry } from "../src/audit/logger.ts";
import { stopOf } from "../src/calls/running/cancel.ts";
import type { IncomingCall } from "../src/calls/types.ts";
import { fault } from "../src/frames/fault.ts";
import type { PolicyProof } from "../src/frames/results.ts";
import { alice, capability } from "./rules-rig.ts";

function call(given: { key?: string | null; tenant?: string } = {}): IncomingCall {
  const principal = { ...alice, tenant: given.tenant ?? "acme" };
  return {
    item: {
      call_id: "call_1",
      idempotency_key: given.key === undefined ? "key-1" : given.key,
      idx: 3,
      cap_id: "cap.test.read.v1",
      attempt: 2,
      timeout_ms: 1_000,
      args: { secret: "s3cr3t-argument" },
    },
    session: {
      id: "sess_1",
      tenant: principal.tenant,
      principal: principal.id,
      agentId: "agent",
      features: [],
      view: "v",
      expectedSeq: 8,
      createdAt: 1,
      expiresAt: 2,
    },
    principal,
    digest: "",
    traceId: "trc_1",
    frameId: "frm_1",
    seq: 7,
    catalogEpoch: 42,
    capability: capability(),
    stop: stopOf(new AbortController().signal),
  };
}

const proof: PolicyProof = { digest: "sha256:ab", rule: "low-allowed", policy_version: "1", decision: "allow" };

it("has every field of the TRP v0.1 draft, 14.1, in a decision and in an outcome", () => {
  const shared = {
    tenant: "acme",
    principal: "alice",
    trace_id: "trc_1",
    session_id: "sess_1",
    catalog_epoch: 42,
    seq: 7,
    call_id: "call_1",
    idx: 3,
    cap_id: "cap.test.read.v1",
    idempotency_key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    policy_decision: "allow",
    policy_rule: "low-allowed",
    policy_version: "1",
    policy_digest: "sha256:ab",
    attempt: 2,
  };
  expect(decisionEntry(call(), proof)).toEqual({
    ...shared,
    kind: "decision",
    latency_ms: 0,
    result_status: "STARTED",
    error_class: null,
    error_code: null,
  });
  const failure = fault("TRP_3001", "the message is not for the log", { dispatched: true });
  expect(outcomeEntry(call(), { status: "FAILED", fault: failure, proof, latencyMs: 12.5 })).toEqual({
    ...shared,
    kind: "outcome",
    latency_ms: 12.5,
    result_status: "FAILED",
    error_class: "TRANSIENT",
    error_code: "TRP_3001",
  });
});

it("has no arguments, no messages and no key in the clear", () => {
  const failure = fault("TRP_2001", "the message is not for the log");
  const text = JSON.stringify([
    decisionEntry(call(), proof, "apr_1"),
    outcomeEntry(call(), { status: "REFUSED", fault: failure, latencyMs: 1 }),
  ]);
  for (const hidden of ["s3cr3t-argument", "key-1", "not for the log"]) expect(text).not.toContain(hidden);
  expect(text).toContain("apr_1");
});

it("hashes the key with its tenant, the same each time", () => {
  const hash = (given: Parameters<typeof call>[0]): string | null => decisionEntry(call(given), proof).idempotency_key;
  expect(hash({ tenant: "acme" })).toBe(hash({ tenant: "acme" }));
  expect(hash({ tenant: "acme" })).not.toBe(hash({ tenant: "other" }));
  // Where one ends and the other begins makes a difference.
  expect(hash({ tenant: "a", key: "bc" })).not.toBe(hash({ tenant: "ab", key: "c" }));
  expect(hash({ key: null })).toBeNull();
});

it("says nothing of a policy that was not asked, and REFUSED where it did not let the call through", () => {
  expect(outcomeEntry(call(), { status: "REFUSED", latencyMs: -1 })).toMatchObject({
    policy_decision: null,
    policy_rule: null,
    policy_version: null,
    policy_digest: null,
    latency_ms: 0,
  });
  expect(decisionEntry(call(), { ...proof, decision: "deny" }).result_status).toBe("REFUSED");
  expect(decisionEntry(call(), { ...proof, decision: "approve" }).result_status).toBe("REFUSED");
  expect(decisionEntry(call(), { ...proof, decision: "approve" }, "apr_1").result_status).toBe("STARTED");
});
