import { metrics, propagation, SpanKind, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { ended, idOf, only, startSdk, stopSdk, traceOf } from "@toolglot/internal/testing/otel";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import type { McpClientOptions } from "../../src/mcp/index.ts";
import { final } from "../support.ts";
import { listed } from "./in-process.ts";
import { oldServer, type RawServer } from "./raw-http.ts";
import { clientOf } from "./support.ts";

let exporter: InMemoryMetricExporter;
let provider: MeterProvider;

beforeEach(() => {
  startSdk();
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(provider);
});
afterEach(async () => {
  stopSdk();
  metrics.disable();
  await provider.shutdown();
});

async function called(options: Partial<McpClientOptions>, tracing = true): Promise<RawServer> {
  const server = oldServer([listed("a")]);
  const kit = new Toolkit({ tracing });
  await kit.registerMcpClient(clientOf({ name: "x", transport: server.transport, ...options }));
  await final(kit, { name: "a" });
  return server;
}

const metaOf = (server: RawServer, method: string): Record<string, string> | undefined =>
  server.messages.find((message) => message.method === method)?.params?._meta;

it("makes a client's span of each request, and sends the context along", async () => {
  const server = await called({ tracing: true }, false);
  const span = only("tools/call");
  expect(span).toMatchObject({
    name: "tools/call a",
    kind: SpanKind.CLIENT,
    attributes: {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2025-11-25",
      "gen_ai.tool.name": "a",
      "gen_ai.operation.name": "execute_tool",
      "network.transport": "tcp",
      "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
    },
  });
  expect(metaOf(server, "tools/call")?.traceparent).toBe(`00-${traceOf(span)}-${idOf(span)}-01`);
  expect(metaOf(server, "tools/list")?.traceparent).toContain(idOf(only("tools/list")));
});

it("makes one span of one execution: the call's, which says what its request was", async () => {
  const server = await called({ tracing: true });
  const spans = ended().filter(({ attributes }) => attributes["gen_ai.operation.name"] === "execute_tool");
  expect(spans.map(({ name }) => name)).toEqual(["execute_tool a"]);
  expect(spans[0]?.attributes).toMatchObject({
    "mcp.method.name": "tools/call",
    "mcp.protocol.version": "2025-11-25",
    "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
    "toolglot.status": "ok",
  });
  expect(metaOf(server, "tools/call")?.traceparent).toBe(
    `00-${traceOf(spans[0] as never)}-${idOf(spans[0] as never)}-01`,
  );
});

it("sends trace state and baggage, as W3C has them", async () => {
  const server = oldServer([listed("a")]);
  const client = clientOf({ name: "x", transport: server.transport, tracing: true });
  await client.connect();
  const { context } = await import("@opentelemetry/api");
  const baggage = propagation.createBaggage({ user: { value: "a b" }, tier: { value: "1" } });
  await context.with(propagation.setBaggage(context.active(), baggage), () =>
    client.callTool({ name: "a", arguments: {}, repeatable: true }),
  );
  expect(metaOf(server, "tools/call")?.baggage).toBe("user=a%20b,tier=1");
});

it("marks failures of the server and of the tool", async () => {
  const server = oldServer([listed("a")]);
  const client = clientOf({ name: "x", transport: server.transport, tracing: true });
  await expect(client.readResource("memo://1")).rejects.toThrow();
  expect(only("resources/read").attributes).toMatchObject({ "error.type": "-32601" });
});

it("measures how long requests take", async () => {
  await called({ tracing: true });
  await provider.forceFlush();
  const [{ scopeMetrics } = { scopeMetrics: [] }] = exporter.getMetrics().slice(-1);
  const metric = scopeMetrics
    .flatMap(({ metrics: all }) => all)
    .find(({ descriptor }) => descriptor.name === "mcp.client.operation.duration");
  expect(metric?.descriptor.unit).toBe("s");
  expect(metric?.dataPoints.map(({ attributes }) => attributes["mcp.method.name"])).toEqual([
    "tools/list",
    "tools/call",
  ]);
});

it("does nothing unless asked to, and sends nothing without an SDK", async () => {
  const silent = await called({});
  expect(ended("tools/call")).toEqual([]);
  expect(metaOf(silent, "tools/call")?.traceparent).toBeUndefined();
  trace.disable();
  const alone = await called({ tracing: true });
  expect(metaOf(alone, "tools/call")?.traceparent).toBeUndefined();
});
