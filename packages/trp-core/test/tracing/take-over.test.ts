import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { ended, forget, idOf, mark, only, parentOf, startSdk, stopSdk, traceOf } from "@toolglot/internal/testing/otel";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRouter, defineCapability, type Effect, MemoryStore, type Router } from "../../src/index.ts";
import { traceRouter } from "../../src/tracing/index.ts";
import { openSession, resultOf } from "../router-rig.ts";

const routers: Router[] = [];
beforeEach(() => startSdk());
afterEach(async () => {
  await Promise.all(routers.splice(0).map((router) => router.close({ graceMs: 0 })));
  stopSdk();
});

const leaseMs = 60_000;

/** Two routers on a store, of which the first never comes to the end of a call. */
async function stage(effect: Effect) {
  const clock = { now: 1_800_000_000_000 };
  const store = new MemoryStore({ now: () => clock.now });
  let begun = (): void => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const router = (hangs: boolean): Router => {
    const capability = defineCapability({
      capId: "cap.test.write.v1",
      name: "write",
      description: "Writes.",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect,
      args: { text: "string" },
      execute: async () => {
        mark(hangs ? "in the first" : "in the second");
        begun();
        if (hangs) await new Promise(() => {});
        return "done";
      },
    });
    const times = { leaseMs, recoverEveryMs: 0, pruneEveryMs: 0 };
    const made = createRouter({
      store,
      capabilities: [capability],
      allowVolatile: true,
      times,
      tracing: traceRouter(),
    });
    routers.push(made);
    return made;
  };
  const first = await openSession(router(true));
  const item = { cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" };
  void first.call({ ...item, call_id: "first" });
  await isBegun;
  // The first one's spans have not ended: its call's is the parent of the run that the mark is in.
  const record = await store.operations.read({
    scope: JSON.stringify(["trp", "default", "ada", "cap.test.write"]),
    key: "k",
  });
  const { traceparent } = (record?.data ?? {}) as { traceparent?: string };
  const [, traceId = "", spanId = ""] = traceparent?.split("-") ?? [];
  expect(traceOf(only("in the first"))).toBe(traceId);
  forget();
  clock.now += leaseMs + 1;
  return { second: router(false), item, traceId, spanId };
}

it("an operation that is recovered has a span of its own, linked to the call that began it", async () => {
  const { second, traceId, spanId } = await stage("idempotent");
  // Whatever is active when a router looks for abandoned operations has nothing to do with them.
  const active = trace.getTracer("test").startSpan("active");
  const report = await context.with(trace.setSpan(ROOT_CONTEXT, active), () => second.recover());
  expect(report).toMatchObject({ rerun: 1 });
  const call = only("execute_tool");
  expect(call.parentSpanContext).toBeUndefined();
  expect(call.links.map((link) => link.context)).toEqual([expect.objectContaining({ traceId, spanId })]);
  expect(call.attributes).toMatchObject({ "gen_ai.tool.call.id": "first", "toolglot.outcome": "success" });
  const run = only("run ");
  expect([parentOf(run), run.attributes["toolglot.attempt"]]).toEqual([idOf(call), 2]);
  expect(parentOf(only("in the second"))).toBe(idOf(run));
});

it("an operation that must not run again is linked, too, and says that nobody knows", async () => {
  const { second, spanId } = await stage("opaque");
  expect(await second.recover()).toMatchObject({ inDoubt: 1 });
  const call = only("execute_tool");
  expect(call.links.map((link) => link.context.spanId)).toEqual([spanId]);
  expect(call.attributes).toMatchObject({ "toolglot.outcome": "unknown", "error.type": "TRP_3004" });
  expect(ended("run ")).toEqual([]);
});

it("a call that goes on with what another router began is in its own trace, and linked", async () => {
  const { second, item, traceId, spanId } = await stage("keyed");
  const session = await openSession(second);
  forget();
  resultOf(await session.call({ ...item, call_id: "second" }));
  const call = only("execute_tool");
  expect(parentOf(call)).toBe(idOf(only("CALL_REQ")));
  expect(traceOf(call)).not.toBe(traceId);
  expect(call.links.map((link) => link.context.spanId)).toEqual([spanId]);
});
