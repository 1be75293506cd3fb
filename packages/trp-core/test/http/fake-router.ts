import { type OperationRecord, ToolglotError } from "@toolglot/core";
import type { RouterListener } from "../../src/events/types.ts";
import { principal } from "../../src/identity/principal.ts";
import type { FrameContext, Router } from "../../src/router/types.ts";
import type { ApprovalRecord } from "../../src/store/approval-types.ts";

export const ada = principal({ id: "ada", roles: ["approver"] });

/** As much of a router as the HTTP faces use; `handle` says what comes out. */
export interface FakeRouter {
  router: Router;
  seen: { frame: unknown; context: FrameContext }[];
  decided: unknown[];
  emit: RouterListener;
  answer: (frame: unknown, context: FrameContext) => Promise<unknown>;
  unready: string | undefined;
}

const approval: ApprovalRecord = {
  id: "apr 1",
  tenant: "default",
  requester: "bob",
  operation: { scope: "s", key: "k" },
  capId: "cap.mail.send.v1",
  fingerprint: "sha256:0",
  args: { to: "a@example.com" },
  riskTier: "HIGH",
  reason: "HIGH risk",
  policyVersion: "1",
  status: "pending",
  createdAt: 1,
  expiresAt: 2,
};

export function fakeRouter(): FakeRouter {
  const listeners = new Set<RouterListener>();
  const fake: FakeRouter = {
    seen: [],
    decided: [],
    unready: undefined,
    emit: (event) => {
      for (const listener of listeners) listener(event);
    },
    answer: async (frame) => ({ echo: frame }),
    router: undefined as unknown as Router,
  };
  const refuse = (code: string) => Promise.reject(new ToolglotError(code, `no: ${code}`));
  const decide = (verb: string) => async (who: unknown, id: string, comment?: string) => {
    if (id === "gone") return refuse("trp/approval-not-found");
    if (id === "own") return refuse("trp/approval-own-request");
    if (id === "late") return refuse("trp/approval-not-pending");
    if (id === "broken") throw new Error("secret detail");
    fake.decided.push({ verb, who, id, comment });
    return { ...approval, id, status: "approved" as const };
  };
  fake.router = {
    id: "fake",
    limits: { frameBytes: 1000, depth: 64, batchCalls: 64, callsInFlight: 8, callsWaiting: 8 },
    store: { now: () => 1234 },
    handle: (frame: unknown, context: FrameContext) => {
      fake.seen.push({ frame, context });
      return fake.answer(frame, context);
    },
    ready: async () => fake.unready,
    subscribe: (listener: RouterListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    approvals: {
      list: async (_who: unknown, filter?: unknown) => {
        fake.decided.push({ list: filter });
        return [approval];
      },
      read: async (_who: unknown, id: string) => (id === approval.id ? approval : undefined),
      approve: decide("approve"),
      deny: decide("deny"),
      render: () => "bob wants to send mail",
    },
    operations: {
      inDoubt: async () => [{ scope: "s", key: "k" } as OperationRecord],
      resolve: async (_who: unknown, key: { key: string }, result: unknown) => {
        if (key.key === "unknown") return refuse("trp/not-in-doubt");
        if (key.key === "denied") return refuse("trp/not-allowed");
        fake.decided.push({ key, result });
      },
    },
  } as unknown as Router;
  return fake;
}

/** A promise, and what resolves it. */
export function withResolvers(): { promise: Promise<unknown>; resolve: (value: unknown) => void } {
  let resolve: (value: unknown) => void = () => {};
  const promise = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
