import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { Tool } from "@toolglot/core";
import { ended, forget, startSdk, stopSdk } from "@toolglot/internal/testing/otel";
import { createRouter, type Router } from "@toolglot/trp-core";
import { traceRouter } from "@toolglot/trp-core/tracing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, programTools, type TrpClient } from "../src/index.ts";
import { traceClient } from "../src/tracing/index.ts";
import { capabilities, world } from "./support.ts";
import { carriers } from "./transports/carriers.ts";

beforeEach(() => startSdk());

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
  stopSdk();
});

const spans = (name: string): ReadableSpan[] => ended().filter((span) => span.name === name);
const ids = (found: readonly ReadableSpan[]) => found.map((span) => span.spanContext());

/** Does something in a span of the agent's, as its tracing would. */
function inSpan<Value>(name: string, run: () => Promise<Value>): Promise<Value> {
  return trace.getTracer("agent").startActiveSpan(name, (span) => run().finally(() => span.end()));
}

function tracedRouter(): Router {
  const router = createRouter({ allowVolatile: true, capabilities: capabilities([]), tracing: traceRouter() });
  cleanUp.push(() => router.close({ graceMs: 0 }));
  return router;
}

function traced(client: Parameters<typeof createClient>[0]["transport"], more: object = {}): TrpClient {
  const trp = createClient({ transport: client, agentId: "t", tracing: traceClient(), ...more });
  cleanUp.push(() => trp.close());
  return trp;
}

describe.each(carriers)("over $name", (carrier) => {
  it("a router's spans belong to the span in which the client was called", async () => {
    const router = tracedRouter();
    const carried = await carrier.start(router);
    cleanUp.push(() => carried.close(0));
    const trp = traced(carried.transport());
    for (const name of ["first", "second"]) {
      await inSpan(name, () => trp.callByCap("cap.echo.v1", { text: name }));
    }
    const [first, second] = ids([...spans("first"), ...spans("second")]);
    const calls = spans("CALL_REQ");
    expect(ids(calls).map(({ traceId }) => traceId)).toEqual([first?.traceId, second?.traceId]);
    expect(calls.map(({ attributes }) => attributes["toolglot.trace_id"])).toEqual([first?.traceId, second?.traceId]);
    // What has headers, or is in the process, says which span of the trace it was; a trace_id names the trace alone.
    const parents = calls.map(({ parentSpanContext }) => parentSpanContext?.spanId);
    if (carrier.isDuplex) expect(parents).toEqual([first, second].map((id) => id?.traceId.slice(0, 16)));
    else expect(parents).toEqual([first?.spanId, second?.spanId]);
    expect(spans("execute_tool cap.echo.v1").map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      ids(calls).map(({ spanId }) => spanId),
    );
    // The session was opened for the first call, in its trace.
    expect(ids(spans("HELLO_REQ")).map(({ traceId }) => traceId)).toEqual([first?.traceId]);
    const rows = await router.audit.read();
    expect(rows.filter(({ entry }) => entry.trace_id === second?.traceId)).not.toEqual([]);
  });
});

it("keeps the trace_id that the caller gives, and the client's own where nothing is recorded", async () => {
  const router = tracedRouter();
  const [carrier] = carriers.filter(({ name }) => name === "HTTP by node:http");
  const carried = await carrier?.start(router);
  cleanUp.push(() => carried?.close(0));
  if (!carried) throw new Error("no carrier");
  const trp = traced(carried.transport());
  await inSpan("agent", () => trp.callByCap("cap.echo.v1", { text: "a" }, { traceId: "mine" }));
  const [call] = spans("CALL_REQ");
  expect(call?.attributes["toolglot.trace_id"]).toBe("mine");
  expect(call?.parentSpanContext?.spanId).toBe(ids(spans("agent"))[0]?.spanId);
  trace.disable();
  startSdk(new AlwaysOffSampler());
  await inSpan("agent", () => trp.callByCap("cap.echo.v1", { text: "b" }));
  const rows = await router.audit.read();
  expect(rows.at(-1)?.entry.trace_id).toMatch(/^trc_/);
});

it("says nothing without a span, an SDK, or tracing", async () => {
  const seen: unknown[] = [];
  const recording = (options: object) =>
    createClient({
      agentId: "t",
      transport: {
        send: async (frame, { trace: given }) => {
          seen.push([given, frame.trace_id.slice(0, 4)]);
          throw new TypeError("enough");
        },
        close() {},
      },
      ...options,
    });
  await recording({ tracing: traceClient() })
    .hello()
    .catch(() => {});
  await inSpan("agent", () =>
    recording({})
      .hello()
      .catch(() => {}),
  );
  trace.disable();
  await inSpan("agent", () =>
    recording({ tracing: traceClient() })
      .hello()
      .catch(() => {}),
  );
  expect(seen).toEqual([
    [undefined, "trc_"],
    [undefined, "trc_"],
    [undefined, "trc_"],
  ]);
});

it("gives all calls of a program its trace, wherever the sandbox's messages arrive", async () => {
  const { client } = world({ tracing: traceRouter() });
  const trp = client({ tracing: traceClient() });
  const tools = await inSpan("program", () => programTools(trp, { runId: "r" }));
  const { signal } = new AbortController();
  const call = (name: string, input: object, callId: string) =>
    (tools.find((tool) => tool.name === name) as Tool<object>).execute(input, { callId, signal });
  forget();
  // Of a worker that another program was the first to use, and of none at all.
  await inSpan("another", async () => call("echo", { text: "a" }, "p:1"));
  await context.with(ROOT_CONTEXT, async () => {
    const calls = [{ name: "echo", args: { text: "b" } }];
    await call("router.batch", { calls }, "p:2");
  });
  const program = spans("CALL_REQ").map(({ parentSpanContext }) => parentSpanContext);
  expect(program).toHaveLength(2);
  expect(new Set(program.map((parent) => parent?.spanId)).size).toBe(1);
  expect(program[0]?.traceId).not.toBe(ids(spans("another"))[0]?.traceId);
});

it("throws at once for tracing that is something else", () => {
  const { client } = world();
  expect(() => client({ tracing: true as never })).toThrow(/traceClient/);
});
