import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { context, metrics, trace } from "@opentelemetry/api";
import { afterEach, expect, it, vi } from "vitest";

const program = new URL("../examples/tracing.mjs", import.meta.url).pathname;
const guide = readFileSync(new URL("../../../docs/tracing.md", import.meta.url), "utf8");

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  trace.disable();
  context.disable();
  metrics.disable();
});

/** Runs the program anew; gives what it printed. */
async function run(): Promise<string> {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...words) => void printed.push(words.join(" ")));
  vi.spyOn(console, "dir").mockImplementation((value, options) => {
    printed.push(inspect(value, { customInspect: false, ...options }));
  });
  vi.resetModules();
  await import(program);
  return printed.join("\n");
}

it("should show in the guide what the example prints", async () => {
  expect(guide).toContain("](../packages/toolkit/examples/tracing.mjs)");
  const shown = /## An example\n[\s\S]*?```text\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  expect(shown).toContain("'gen_ai.tool.name': 'book_table'");
  const withoutIds = (output: string) => output.replace(/'tam-0-1-\w+'/g, "CALL").trim();
  expect(withoutIds(await run())).toBe(withoutIds(shown));
});

it("should send the example's spans to a collector", async () => {
  interface Sent {
    name: string;
    spanId: string;
    parentSpanId?: string;
    attributes: { key: string; value: Record<string, unknown> }[];
  }
  const sent: Sent[] = [];
  const paths: (string | undefined)[] = [];
  const collector = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      paths.push(request.url);
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const { spans } of scopeSpans) sent.push(...spans);
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  try {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(collector.address() as AddressInfo).port}`);
    expect(await run()).toContain("ok 4 seats at Chez Ada");
  } finally {
    collector.closeAllConnections();
    await new Promise((resolve) => collector.close(resolve));
  }
  expect(paths).toEqual(["/v1/traces"]);
  const call = sent.find(({ name }) => name === "execute_tool book_table");
  const attributes = Object.fromEntries(call?.attributes.map(({ key, value }) => [key, value]) ?? []);
  expect(attributes).toMatchObject({
    "gen_ai.operation.name": { stringValue: "execute_tool" },
    "toolglot.request_id": { stringValue: "dinner-1" },
    "toolglot.attempts": { intValue: 2 },
  });
  const asks = sent.filter(({ name }) => name === "ask the restaurant");
  expect(asks.map(({ parentSpanId }) => parentSpanId)).toEqual([call?.spanId, call?.spanId]);
});
