import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SpanKind } from "@opentelemetry/api";
import { ended, idOf, only, parentOf, startSdk, stopSdk, traceOf } from "@toolglot/internal/testing/otel";
import { afterEach, expect, it, vi } from "vitest";
import { open, shopServer } from "./support.ts";

afterEach(() => {
  stopSdk();
  vi.unstubAllEnvs();
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

interface Call {
  tool?: string;
  id?: string;
  headers?: Record<string, string>;
  traceparent?: string;
  tracestate?: string;
}

/** Calls a tool of the shop through a gateway over HTTP, and returns the result. */
async function call(
  { tool = "read_order", id = "4711", headers = {}, ...meta }: Call,
  options: Parameters<typeof open>[2] = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-shop-"));
  const opened = await open({ shop: shopServer(folder) }, { approvals: { waitMs: 0 } }, options, folder);
  try {
    const { url } = await opened.gateway.listen();
    await opened.gateway.settled();
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${opened.token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": `shop__${tool}`,
        ...headers,
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: {
          ...{ name: `shop__${tool}`, arguments: { id } },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
            ...meta,
          },
        },
      }),
    });
    const text = await response.text();
    const json = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as {
      result: { structuredContent?: { meta?: Record<string, string> } };
    };
    return json.result;
  } finally {
    await opened.gateway.close();
  }
}

it("puts a call into the client's trace, and tells the server the trace", async () => {
  startSdk();
  const result = await call({ traceparent, tracestate: "vendor=1" }, { tracing: true });
  const server = only("tools/call shop__read_order");
  const [frame] = ended("CALL_REQ");
  const execution = only("execute_tool cap.mcp.shop.");
  const run = only("run cap.mcp.shop.");
  const client = only("tools/call read_order");
  expect([server.kind, client.kind]).toEqual([SpanKind.SERVER, SpanKind.CLIENT]);
  expect(parentOf(server)).toBe("b7ad6b7169203331");
  const chain = [server, frame, execution, run, client] as const;
  for (const [at, span] of chain.entries()) {
    expect(span && traceOf(span)).toBe(traceId);
    if (at > 0) expect(span && parentOf(span)).toBe(idOf(chain[at - 1] as typeof server));
  }
  expect(server.attributes).toMatchObject({
    "gen_ai.tool.name": "shop__read_order",
    "toolglot.server": "shop",
    "toolglot.tool": "read_order",
    "toolglot.outcome": "done",
  });
  expect(result.structuredContent?.meta).toMatchObject({
    traceparent: `00-${traceId}-${idOf(client)}-01`,
    tracestate: "vendor=1",
  });
  const told = JSON.stringify(ended().map(({ name, attributes, events }) => ({ name, attributes, events })));
  expect(told).not.toContain("4711");
  expect(told).not.toContain('"agent"');
});

it("takes the trace from the headers of the request where its body names none", async () => {
  startSdk();
  const other = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;
  await call({ headers: { traceparent: other } }, { tracing: true });
  expect(parentOf(only("tools/call shop__read_order"))).toBe("2".repeat(16));
  stopSdk();
  startSdk();
  await call({ traceparent, headers: { traceparent: other } }, { tracing: true });
  expect(parentOf(only("tools/call shop__read_order"))).toBe("b7ad6b7169203331");
});

it("begins a trace where the client names none that can be read, and notes how the call ended", async () => {
  startSdk();
  const result = await call({ tool: "refund", traceparent: "00-0-0-0", tracestate: "vendor=1" }, { tracing: true });
  expect(result.structuredContent).toBeUndefined();
  const server = only("tools/call shop__refund");
  expect(parentOf(server)).toBeUndefined();
  expect(server.attributes).toMatchObject({
    "toolglot.outcome": "pending",
    "toolglot.dispatched": false,
    "rpc.response.status_code": "TRP_4002",
  });
  expect(server.attributes["error.type"]).toBeUndefined();
  // Who is asked for, and the wait for them, in the same trace.
  const waiting = only("approval shop__refund");
  expect([parentOf(waiting), waiting.attributes["toolglot.approval"]]).toEqual([idOf(server), "pending"]);
  const asked = only("approval cap.mcp.shop.refund.v1");
  const decided = only("policy cap.mcp.shop.refund.v1");
  expect([asked, decided].map(parentOf)).toEqual(Array(2).fill(idOf(only("execute_tool cap.mcp.shop."))));
  stopSdk();
  startSdk();
  const read = await call({ traceparent: "00-0-0-0", tracestate: "vendor=1" }, { tracing: true });
  const { meta } = read.structuredContent ?? {};
  expect(meta?.traceparent).toContain(traceOf(only("tools/call shop__read_order")));
  expect(meta?.tracestate).toBeUndefined();
});

it("makes no span and passes the client's trace as it is, unless it is told to trace", async () => {
  startSdk();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "");
  const result = await call({ traceparent });
  expect(ended()).toEqual([]);
  expect(result.structuredContent?.meta?.traceparent).toBe(traceparent);
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
  await call({});
  expect(only("tools/call shop__read_order").attributes["toolglot.outcome"]).toBe("done");
});
