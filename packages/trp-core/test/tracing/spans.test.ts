import { context, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, BasicTracerProvider, ParentBasedSampler } from "@opentelemetry/sdk-trace-base";
import { ToolError } from "@toolglot/core";
import { ended, forget, idOf, mark, only, parentOf, startSdk, stopSdk, traceOf } from "@toolglot/internal/testing/otel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AnyCapability,
  createFetchHandler,
  createRouter,
  defineCapability,
  MemoryStore,
  type RouterOptions,
} from "../../src/index.ts";
import { traceRouter } from "../../src/tracing/index.ts";
import { ada, boss, callItem, helloFrame, nackOf, newId, openSession, resultOf, type Session } from "../router-rig.ts";

beforeEach(() => startSdk());
afterEach(stopSdk);

const secret = "very private words";
const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

function capability(
  name: string,
  execute: (args: { text: string }, signal: AbortSignal) => unknown,
  more: object = {},
): AnyCapability {
  return defineCapability({
    capId: `cap.test.${name}.v1`,
    name,
    description: "Does something. ".repeat(40),
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: { text: "string" },
    execute: (args, { signal }) => execute(args as { text: string }, signal),
    ...more,
  });
}

const write = { riskTier: "MEDIUM", ioClass: "WRITE", effect: "opaque" } as const;

async function world(capabilities: AnyCapability[], options: RouterOptions = {}): Promise<Session> {
  const router = createRouter({ capabilities, allowVolatile: true, tracing: traceRouter(), ...options });
  const features = ["RESULT_FAILED", "CALL_DAG", "CANCEL"];
  const session = await openSession(router, { features });
  forget();
  return session;
}

const read = (name = "read"): AnyCapability =>
  capability(name, ({ text }) => {
    mark(`in ${name}`);
    return `heard ${text}`;
  });

describe("the spans of a call", () => {
  it("are of its frame, of itself, of the policy's decision and of its run, below which the capability's own are", async () => {
    const session = await world([read()]);
    const args = { text: secret };
    resultOf(await session.call({ cap_id: "cap.test.read.v1", call_id: "c1", args }));
    const [policy, own, run, call, frame] = ended();
    if (!policy || !own || !run || !call || !frame) throw new Error("five spans");
    expect(ended().map(({ name }) => name)).toEqual([
      "policy cap.test.read.v1",
      "in read",
      "run cap.test.read.v1",
      "execute_tool cap.test.read.v1",
      "CALL_REQ",
    ]);
    expect([policy, own, run, call].map(parentOf)).toEqual([call, run, call, frame].map(idOf));
    expect(policy.attributes).toMatchObject({
      "gen_ai.tool.name": "cap.test.read.v1",
      "toolglot.policy.phase": "admission",
      "toolglot.policy.decision": "allow",
      "toolglot.policy.rule": call.attributes["toolglot.policy.rule"],
    });
    expect([frame.kind, call.kind, run.kind]).toEqual([SpanKind.SERVER, SpanKind.INTERNAL, SpanKind.INTERNAL]);
    expect(frame.instrumentationScope.name).toBe("@toolglot/trp-core");
    expect(frame.attributes).toMatchObject({
      "rpc.system.name": "trp",
      "rpc.method": "CALL_REQ",
      "toolglot.protocol": "trp",
      "toolglot.session_id": session.id,
      "toolglot.trace_id": "trace",
      "toolglot.answer": "RESULT",
    });
    expect(call.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "cap.test.read.v1",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "c1",
      "toolglot.status": "ok",
      "toolglot.outcome": "success",
      "toolglot.policy.decision": "allow",
    });
    expect(run.attributes).toMatchObject({ "toolglot.outcome": "done", "toolglot.attempt": 1 });
    for (const { status } of ended()) expect(status).toEqual({ code: SpanStatusCode.UNSET });
  });

  it("hold no arguments, results or keys, and only short texts", async () => {
    const failing = capability("fail", ({ text }) => {
      throw new ToolError(`no: ${text}`);
    });
    const session = await world([read(), failing, capability("write", ({ text }) => text, write)]);
    const args = { text: secret };
    const long = "c".repeat(200);
    await session.call({ cap_id: "cap.test.read.v1", args, call_id: long });
    await session.call({ cap_id: "cap.test.fail.v1", args });
    await session.call({ cap_id: "cap.test.read.v1", args: { wrong: secret } });
    await session.call({ cap_id: "cap.test.write.v1", args, idempotency_key: "order-4711" });
    await session.call({ cap_id: `cap.${secret.replaceAll(" ", "-")}`, args });
    const found = ended();
    expect(found.length).toBeGreaterThanOrEqual(13);
    const said = found.map(({ name, attributes, status, events }) =>
      JSON.stringify([name, attributes, status, events]),
    );
    for (const text of said.slice(0, -2)) expect(text).not.toMatch(/private words|order-4711/);
    for (const { attributes } of found) {
      for (const value of Object.values(attributes)) expect(String(value).length).toBeLessThanOrEqual(256);
    }
    // What nobody has registered is told as it was asked for, but names no span.
    expect(ended("execute_tool").map(({ name }) => name)).toContain("execute_tool");
  });

  it.each([
    ["a failure", "fail", { text: "" }, "TRP_3002", "error", "failed"],
    ["an exception", "throw", { text: "" }, "TRP_3002", "error", "failed"],
    ["wrong arguments", "read", {}, "TRP_2001", "error", "refused"],
    ["a missing key", "write", { text: "" }, "TRP_4003", "error", "refused"],
    ["a role that may not", "hidden", { text: "" }, "TRP_1003", "error", "refused"],
  ])("say of %s with which code it ended", async (_, name, args, code, status, outcome) => {
    const session = await world([
      read(),
      capability("fail", () => {
        throw new ToolError("no");
      }),
      capability("throw", () => {
        throw new RangeError("stack and all");
      }),
      capability("write", () => 1, write),
      capability("hidden", () => 1, { roles: ["insider"] }),
    ]);
    await session.call({ cap_id: `cap.test.${name}.v1`, args });
    const call = only("execute_tool");
    expect(call.attributes).toMatchObject({
      "error.type": code,
      "rpc.response.status_code": code,
      "toolglot.status": status,
      "toolglot.outcome": outcome,
    });
    expect(call.status.code).toBe(SpanStatusCode.ERROR);
    expect(only("CALL_REQ").attributes["error.type"]).toBe(code);
    const runs = ended("run ");
    expect(runs).toHaveLength(outcome === "failed" ? 1 : 0);
    for (const run of runs) expect(run.status.code).toBe(SpanStatusCode.ERROR);
  });

  it("let onError record what was thrown in the run that threw it", async () => {
    const broken = capability("throw", () => {
      throw new RangeError("stack and all");
    });
    const onError = (error: unknown): void => trace.getActiveSpan()?.recordException(error as Error);
    const session = await world([broken], { onError });
    await session.call({ cap_id: "cap.test.throw.v1", args: { text: "" } });
    expect(only("run ").events[0]?.attributes).toMatchObject({ "exception.type": "RangeError" });
  });

  it("end while somebody decides about it, and the approved call is another one", async () => {
    const mail = capability("mail", () => "sent", { ...write, riskTier: "HIGH" });
    const session = await world([mail]);
    const item = { cap_id: "cap.test.mail.v1", args: { text: "" }, idempotency_key: "k" };
    nackOf(await session.call(item));
    const waiting = only("execute_tool");
    const asked = only("approval cap.test.mail.v1");
    expect([parentOf(asked), asked.attributes["toolglot.approval"]]).toEqual([idOf(waiting), "created"]);
    expect(only("policy cap.test.mail.v1").attributes["toolglot.policy.decision"]).toBe("approve");
    expect(waiting.attributes).toMatchObject({ "toolglot.status": "pending", "rpc.response.status_code": "TRP_4002" });
    expect([waiting.status.code, only("CALL_REQ").status.code]).toEqual([SpanStatusCode.UNSET, SpanStatusCode.UNSET]);
    const [request] = await session.router.approvals.list(boss);
    await session.router.approvals.approve(boss, request?.id ?? "");
    forget();
    resultOf(await session.call(item));
    expect(only("execute_tool").attributes["toolglot.status"]).toBe("ok");
    expect(only("approval ").attributes["toolglot.approval"]).toBe("existing");
  });

  it("link a replay to the span that it repeats, once", async () => {
    const session = await world([capability("write", ({ text }) => text, write)]);
    const item = { cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" };
    resultOf(await session.call({ ...item, call_id: "first" }));
    const first = only("execute_tool");
    forget();
    resultOf(await session.call({ ...item, call_id: "second" }));
    const second = only("execute_tool");
    expect(second.attributes["toolglot.replayed_from"]).toBe("first");
    expect(second.links.map((link) => link.context.spanId)).toEqual([idOf(first)]);
    expect(ended("run ")).toEqual([]);
  });

  it("name the adapter of each run, when several are tried", async () => {
    const adapters = [
      { name: "first", cost: 1, execute: () => Promise.reject(new Error("down")) },
      { name: "second", cost: 2, execute: () => "done" },
    ];
    const session = await world([capability("many", () => 1, { execute: undefined, adapters })]);
    resultOf(await session.call({ cap_id: "cap.test.many.v1", args: { text: "" } }));
    expect(ended("run ").map(({ attributes }) => attributes["toolglot.adapter"])).toEqual(["first", "second"]);
    expect(only("execute_tool").attributes["toolglot.adapter"]).toBe("second");
  });
});

describe("several calls in one frame", () => {
  it("say nothing of a fault when the store had expected too much, and the frame is looked at again", async () => {
    const store = new MemoryStore();
    const admit = store.sessions.admit.bind(store.sessions);
    let wrong = 0;
    Object.assign(store.sessions, {
      async admit(admission: Parameters<typeof admit>[0]) {
        const session = await store.sessions.read(admission.sessionId, admission);
        if (admission.mayExpect !== true || wrong > 0 || session === undefined) return admit(admission);
        wrong += 1;
        const result = Promise.resolve({ status: "gap" as const, session });
        return { status: "admitted" as const, session, calls: {}, pending: { token: "t", result } };
      },
    });
    const session = await world([capability("write", () => "done", write)], { store });
    resultOf(await session.call({ cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" }));
    expect(wrong).toBe(1);
    const calls = ended("execute_tool");
    expect(calls.map(({ status }) => status.code)).toEqual([SpanStatusCode.UNSET, SpanStatusCode.UNSET]);
    expect(calls.map(({ attributes }) => attributes["error.type"])).toEqual([undefined, undefined]);
  });

  it("have a span each, below that of the frame: in a batch and in a graph", async () => {
    const session = await world([read("one"), read("two")]);
    const calls = [
      callItem({ cap_id: "cap.test.one.v1", call_id: "x", args: { text: "1" } }, 0),
      callItem({ cap_id: "cap.test.two.v1", call_id: "y", args: { text: "2" } }, 1),
    ];
    await session.send("CALL_BATCH_REQ", { batch_id: newId("b"), mode: "PARALLEL", max_concurrency: 2, calls });
    const batch = only("CALL_BATCH_REQ");
    expect(batch.attributes["toolglot.answer_status"]).toBe("SUCCESS");
    expect(ended("execute_tool").map(parentOf)).toEqual([idOf(batch), idOf(batch)]);
    // Side by side, and yet each capability's own spans are below its own run.
    for (const name of ["one", "two"]) {
      const run = only(`run cap.test.${name}.v1`);
      expect(parentOf(only(`in ${name}`))).toBe(idOf(run));
      expect(parentOf(run)).toBe(idOf(only(`execute_tool cap.test.${name}.v1`)));
    }
    forget();
    const args = { text: { $from: "p", path: "/data" } };
    const graph = [
      callItem({ cap_id: "cap.test.one.v1", call_id: "p", args: { text: "1" } }, 0),
      callItem({ cap_id: "cap.test.two.v1", call_id: "q", args }, 1),
    ];
    await session.send("CALL_DAG_REQ", { dag_id: newId("d"), max_concurrency: 2, calls: graph });
    const dag = only("CALL_DAG_REQ");
    expect(ended("execute_tool").map(({ attributes }) => attributes["gen_ai.tool.call.id"])).toEqual(["p", "q"]);
    expect(ended("execute_tool").map(parentOf)).toEqual([idOf(dag), idOf(dag)]);
  });

  it("outlive their frame when they are ASYNC, in its trace", async () => {
    let finish: (value: string) => void = () => {};
    const done = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const session = await world([capability("slow", () => done, { maxTimeoutMs: 60_000 })]);
    const item = callItem({ cap_id: "cap.test.slow.v1", call_id: "c", args: { text: "" } });
    const ack = await session.send("CALL_REQ", { ...item, execution_mode: "ASYNC" });
    expect(ack.frame_type).toBe("ACK");
    const frame = only("CALL_REQ");
    expect(frame.attributes["toolglot.answer_status"]).toBe("ACCEPTED");
    expect(ended("execute_tool")).toEqual([]);
    finish("done");
    await session.router.close();
    const call = only("execute_tool");
    expect([parentOf(call), traceOf(call)]).toEqual([idOf(frame), traceOf(frame)]);
    expect(parentOf(only("run "))).toBe(idOf(call));
  });
});

describe("the trace of a frame", () => {
  it("is that of its traceparent, with the caller's decision and state", async () => {
    const session = await world([read()]);
    const frame = session.frame("CALL_REQ", callItem({ cap_id: "cap.test.read.v1", args: { text: "" } }));
    const headers = { traceparent, tracestate: "vendor=1" };
    await session.router.handle(frame, { principal: ada, trace: headers });
    const span = only("CALL_REQ");
    expect([traceOf(span), parentOf(span)]).toEqual([traceId, "b7ad6b7169203331"]);
    expect(span.parentSpanContext?.isRemote).toBe(true);
    expect(span.spanContext().traceState?.get("vendor")).toBe("1");
    for (const each of ended()) expect(traceOf(each)).toBe(traceId);
  });

  it("is that of a trace_id of 32 hex digits, or of one that is a traceparent", async () => {
    const session = await world([read()]);
    const item = { cap_id: "cap.test.read.v1", args: { text: "" } };
    await session.call(item, { trace_id: traceId });
    expect([traceOf(only("CALL_REQ")), parentOf(only("CALL_REQ"))]).toEqual([traceId, traceId.slice(0, 16)]);
    forget();
    await session.call(item, { trace_id: `${"0".repeat(16)}b7ad6b7169203331` });
    expect(parentOf(only("CALL_REQ"))).toBe("b7ad6b7169203331");
    forget();
    await session.call(item, { trace_id: traceparent });
    expect(parentOf(only("CALL_REQ"))).toBe("b7ad6b7169203331");
  });

  it("goes by the header when both are there, and by what is active when it is of the same trace or the frame of none", async () => {
    const session = await world([read()]);
    const item = callItem({ cap_id: "cap.test.read.v1", args: { text: "" } });
    const send = (trace_id: string, headers?: string) =>
      session.router.handle(session.frame("CALL_REQ", { ...item, call_id: newId("c") }, { trace_id }), {
        principal: ada,
        trace: headers === undefined ? undefined : { traceparent: headers },
      });
    await send("f".repeat(32), traceparent);
    expect(traceOf(only("CALL_REQ"))).toBe(traceId);
    forget();
    const active = trace.getTracer("test").startSpan("active");
    const { traceId: here, spanId } = active.spanContext();
    await context.with(trace.setSpan(context.active(), active), async () => {
      await send("trc_1");
      await send(here);
      await send("trc_2", `00-${here}-${"1".repeat(16)}-01`);
      await send(traceId);
      await send("trc_3", traceparent);
    });
    expect(ended("CALL_REQ").map(parentOf)).toEqual([spanId, spanId, spanId, traceId.slice(0, 16), "b7ad6b7169203331"]);
  });

  it.each([
    "",
    "no",
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `ff-${traceId}-b7ad6b7169203331-01`,
    `${traceparent}-more`,
    traceparent.toUpperCase(),
    `${traceparent}, ${traceparent}`,
    `00-${traceId}-b7ad6b7169203331`,
    42 as never,
    null as never,
  ])("is its own when the traceparent is %j", async (given) => {
    const session = await world([read()]);
    const frame = session.frame("CALL_REQ", callItem({ cap_id: "cap.test.read.v1", args: { text: "" } }));
    const reply = await session.router.handle(frame, { principal: ada, trace: { traceparent: given } });
    expect(reply.frame_type).toBe("RESULT");
    expect(only("CALL_REQ").parentSpanContext).toBeUndefined();
  });

  it("takes the fields of a later version that it knows", async () => {
    const session = await world([read()]);
    const frame = session.frame("CALL_REQ", callItem({ cap_id: "cap.test.read.v1", args: { text: "" } }));
    const later = `01-${traceId}-b7ad6b7169203331-09-more`;
    await session.router.handle(frame, { principal: ada, trace: { traceparent: later } });
    expect(only("CALL_REQ").spanContext()).toMatchObject({ traceId, traceFlags: TraceFlags.SAMPLED });
  });

  it("is not recorded when the caller does not record it and the sampler follows", async () => {
    stopSdk();
    startSdk(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
    const session = await world([read()]);
    const frame = () => session.frame("CALL_REQ", callItem({ cap_id: "cap.test.read.v1", args: { text: "" } }));
    await session.router.handle(frame(), { principal: ada, trace: { traceparent: traceparent.replace(/1$/, "0") } });
    expect(ended()).toEqual([]);
    await session.router.handle(frame(), { principal: ada, trace: { traceparent } });
    expect(ended("CALL_REQ")).toHaveLength(1);
  });
});

describe("over HTTP", () => {
  const post = (accept: string, origin = "https://app.example") => ({
    method: "POST",
    headers: { "content-type": "application/json", accept, traceparent, tracestate: "vendor=1", origin },
    body: JSON.stringify(helloFrame()),
  });

  it.each(["application/json", "text/event-stream"])("a frame is of the trace of its headers (%s)", async (accept) => {
    const router = createRouter({ tracing: traceRouter() });
    const handler = createFetchHandler(router, { authenticate: () => ada, allowedOrigins: ["https://app.example"] });
    const answer = await handler(new Request("http://router/trp/frame", post(accept)));
    expect(await answer.text()).toContain("HELLO_RES");
    expect([traceOf(only("HELLO_REQ")), parentOf(only("HELLO_REQ"))]).toEqual([traceId, "b7ad6b7169203331"]);
    expect(only("HELLO_REQ").spanContext().traceState?.get("vendor")).toBe("1");
    // A page may send them, too.
    expect(answer.headers.get("access-control-allow-headers")).toContain("traceparent, tracestate");
  });
});

describe("frames that are no calls", () => {
  it("have one span each, refused and unreadable ones too", async () => {
    const router = createRouter({ capabilities: [read()], tracing: traceRouter() });
    const session = await openSession(router);
    expect(ended().map(({ name }) => name)).toEqual(["HELLO_REQ", "CATALOG_SYNC_REQ"]);
    forget();
    await router.handle("no frame", { principal: ada });
    await router.handle(helloFrame(), {} as never);
    await session.query("nobody");
    const [broken, nobody, query] = ended();
    expect([broken?.name, broken?.attributes["error.type"]]).toEqual(["frame", "TRP_2000"]);
    expect([nobody?.name, nobody?.attributes["error.type"]]).toEqual(["HELLO_REQ", "TRP_4007"]);
    expect([query?.name, query?.status.code]).toEqual(["RESULT_QUERY_REQ", SpanStatusCode.UNSET]);
  });
});

describe("an SDK", () => {
  it("may come late and leave early, and need not be there", async () => {
    stopSdk();
    const session = await world([read()]);
    const item = { cap_id: "cap.test.read.v1", args: { text: "" } };
    resultOf(await session.call(item));
    startSdk();
    resultOf(await session.call(item));
    expect(ended("execute_tool")).toHaveLength(1);
    trace.disable();
    resultOf(await session.call(item));
    expect(ended("execute_tool")).toHaveLength(1);
  });

  it("disturbs no call when it fails", async () => {
    stopSdk();
    for (const failing of ["onStart", "onEnd"]) {
      const fail = (): never => {
        throw new Error("the exporter is broken");
      };
      const quiet = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
      trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [{ ...quiet, [failing]: fail }] }));
      const session = await world([read()]);
      resultOf(await session.call({ cap_id: "cap.test.read.v1", args: { text: "" } }));
      trace.disable();
    }
  });
});

it("throws at once for tracing that is something else", () => {
  expect(() => createRouter({ tracing: true as never })).toThrow(/traceRouter\(\) of @toolglot\/trp-core\/tracing/);
  expect(() => createRouter({ tracing: traceRouter as never })).toThrow(TypeError);
});
