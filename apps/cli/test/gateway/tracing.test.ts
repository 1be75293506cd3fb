import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { metrics } from "@opentelemetry/api";
import { ended, startSdk, stopSdk } from "@toolglot/internal/testing/otel";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { place, startStdio } from "./support/gateway.ts";

afterEach(() => {
  stopSdk();
  vi.unstubAllEnvs();
});

/** A collector of traces as JSON, at which the environment points. Returns what it got. */
async function collector(): Promise<string[]> {
  const got: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === "/v1/traces") got.push(body);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
  // Set by the exporter, for this test alone.
  for (const name of ["OTEL_SERVICE_NAME", "OTEL_NODE_RESOURCE_DETECTORS"]) vi.stubEnv(name, undefined);
  return got;
}

async function callOnce(): Promise<string> {
  const gateway = await startStdio(place());
  expect((await gateway.call("shop__read", { id: "A-1" })).text).toBe("read A-1");
  gateway.leave();
  const { code, stderr } = await gateway.ended;
  expect(code).toBe(0);
  return stderr;
}

it("sends spans to the collector that the environment names, the last ones when it ends", async () => {
  const got = await collector();
  expect(await callOnce()).not.toContain("OTEL_");
  const all = got.join("\n");
  expect(all).toContain('"tools/call shop__read"');
  expect(all).toContain('"tools/call read"');
  expect(all).toContain('{"key":"service.name","value":{"stringValue":"toolglot"}}');
  expect(all).not.toMatch(/A-1|process\.|host\./);
  // The next SDK of this process finds its place free.
  expect(metrics.setGlobalMeterProvider(metrics.getMeterProvider())).toBe(true);
  metrics.disable();
});

it("leaves spans to an SDK that is there already", async () => {
  const got = await collector();
  startSdk();
  await callOnce();
  expect(ended("tools/call shop__read")).toHaveLength(1);
  expect(got).toEqual([]);
});
