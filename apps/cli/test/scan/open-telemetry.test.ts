import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { telemetryOf } from "../../src/scan/logs/open-telemetry.ts";
import { fileSource, scanSource } from "../../src/scan/scan-file.ts";
import { ScanReport } from "../../src/scan/scan-report.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-scan-telemetry-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function scan(text: string): Promise<string[]> {
  const path = join(folder, "log.json");
  writeFileSync(path, text);
  const report = new ScanReport();
  report.end(path, await scanSource(path, fileSource(path), {}, report));
  const found = report.findings.map(
    ({ line, code, tool, model, path: at }) => `${line} ${code} ${tool} ${model} ${at}`,
  );
  return [`${report.calls} calls, ${report.unknownLines} unknown`, ...found];
}
const lines = (...records: unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join("");

const leak = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>';
const damaged = { city: "SF</parameter>" };
const parameters = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } };
const definitions = [{ type: "function", name: "get_weather", description: "W", parameters }];
/** As the conventions have messages from 1.37 on. */
const asked = [
  { role: "system", parts: [{ type: "text", content: `Write:\n${leak}` }] },
  { role: "user", parts: [{ type: "text", content: `Weather? ${leak}` }] },
];
const calling = {
  role: "assistant",
  parts: [
    { type: "reasoning", content: `I could write ${leak}` },
    { type: "text", content: leak },
    { type: "tool_call", id: "c1", name: "get_weather", arguments: damaged },
  ],
  finish_reason: "tool_call",
};
const answered = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: `rainy ${leak}` }] };
const done = { role: "assistant", parts: [{ type: "text", content: "Rainy." }], finish_reason: "stop" };

const chat = (input: unknown[], output: unknown[]): Record<string, unknown> => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "qwen3",
  "gen_ai.tool.definitions": JSON.stringify(definitions),
  "gen_ai.input.messages": JSON.stringify(input),
  "gen_ai.output.messages": JSON.stringify(output),
});
const tool = {
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": "get_weather",
  "gen_ai.tool.call.id": "c1",
  "gen_ai.tool.call.arguments": JSON.stringify(damaged),
};
/** A conversation of two requests, between which a tool ran. */
const attributes = [chat(asked, [calling]), tool, chat([...asked, calling, answered], [done])];
const span = (own: unknown, more = {}) => ({ name: "chat qwen3", traceId: "t", id: "s", attributes: own, ...more });

/** A value as OTLP writes it. */
const any = (value: unknown): unknown => {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(any) } };
  if (typeof value === "object" && value !== null) return { kvlistValue: { values: pairs(value) } };
  if (typeof value === "number") return { intValue: String(value) };
  return typeof value === "boolean" ? { boolValue: value } : { stringValue: String(value) };
};
const pairs = (value: object): unknown[] => Object.entries(value).map(([key, one]) => ({ key, value: any(one) }));
const otlp = (spans: unknown[]) => ({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }] });

const found = (line: number, before = "/attributes"): string[] => [
  `${line} scan/leaked-call get_weather qwen3 ${before}/gen_ai.output.messages/0/parts/1/content`,
  `${line} core/leaked-closer get_weather qwen3 ${before}/gen_ai.output.messages/0/parts/2/arguments/city`,
];

describe("what a model said and called is found in OpenTelemetry's", () => {
  it("spans, a line each, with messages as JSON text; once, though requests and the tool's span repeat them", async () => {
    const spans = attributes.map((own) => span(own));
    expect(await scan(lines(...spans))).toEqual(["1 calls, 0 unknown", ...found(1)]);
    expect(await scan(spans.map((one) => JSON.stringify(one, undefined, 4)).join("\n"))).toEqual([
      "1 calls, 0 unknown",
      ...found(1),
    ]);
  });

  it("OTLP, in one document or a line for each batch, with messages as text or as values", async () => {
    const before = (index: number): string => `/resourceSpans/0/scopeSpans/0/spans/${index}/attributes`;
    const plain = attributes.map((own) => ({ traceId: "t", name: "chat", attributes: pairs(own) }));
    for (const text of [lines(otlp(plain)), JSON.stringify(otlp(plain), undefined, 2)])
      expect(await scan(text)).toEqual(["1 calls, 0 unknown", ...found(1, before(0))]);
    const { "gen_ai.input.messages": input, "gen_ai.output.messages": output, ...rest } = chat(asked, [calling]);
    const structured = pairs({ ...rest, "gen_ai.input.messages": asked, "gen_ai.output.messages": [calling] });
    expect([typeof input, typeof output]).toEqual(["string", "string"]);
    expect(await scan(lines(otlp([{ name: "http" }, { traceId: "t", attributes: structured }])))).toEqual([
      "1 calls, 0 unknown",
      ...found(1, before(1)),
    ]);
  });

  it("events of a whole request, as log records", async () => {
    const name = "gen_ai.client.inference.operation.details";
    const record = { timeUnixNano: "1764600000000000000", eventName: name, attributes: pairs(attributes[0] as object) };
    expect(await scan(lines({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }))).toEqual([
      "1 calls, 0 unknown",
      ...found(1, "/resourceLogs/0/scopeLogs/0/logRecords/0/attributes"),
    ]);
  });

  const calls = [{ id: "c1", type: "function", function: { name: "get_weather", arguments: JSON.stringify(damaged) } }];
  const older = [
    ["gen_ai.user.message", { content: `Weather? ${leak}` }],
    ["gen_ai.choice", { index: 0, finish_reason: "tool_calls", message: { content: leak, tool_calls: calls } }],
    ["gen_ai.user.message", { content: `Weather? ${leak}` }],
    ["gen_ai.assistant.message", { content: leak, tool_calls: calls }],
    ["gen_ai.tool.message", { id: "c1", content: `rainy ${leak}` }],
    ["gen_ai.choice", { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Rainy." } }],
  ] as const;

  it("older events, one for each message", async () => {
    const event = ([name, body]: (typeof older)[number]) => ({ event_name: name, body, attributes: {} });
    const expected = (body: string): string[] => [
      "1 calls, 0 unknown",
      `2 scan/leaked-call get_weather undefined ${body}/message/content`,
      `2 core/leaked-closer get_weather undefined ${body}/message/tool_calls/0/function/arguments/city`,
    ];
    expect(await scan(lines(...older.map(event)))).toEqual(expected("/body"));
    const written = older.map(([name, body]) => ({ eventName: name, body: any(body), attributes: [] }));
    expect(await scan(lines(...written))).toEqual(expected("/body"));
    const held = older.map(([name, body]) => ({
      name: "event",
      attributes: { "event.name": name, "gen_ai.event.content": JSON.stringify(body) },
    }));
    expect(await scan(lines(...held))).toEqual(expected("/attributes"));
  });

  it("events of a span, with the message in their attributes", async () => {
    const message = JSON.stringify([
      { text: leak },
      { toolUse: { toolUseId: "c1", name: "get_weather", input: damaged } },
    ]);
    const events = [
      { name: "gen_ai.user.message", attributes: { content: JSON.stringify([{ text: leak }]) } },
      { name: "gen_ai.choice", attributes: { finish_reason: "tool_use", message } },
    ];
    expect(await scan(lines(span({ "gen_ai.request.model": "qwen3" }, { events })))).toEqual([
      "1 calls, 0 unknown",
      "1 scan/leaked-call get_weather qwen3 /events/1/attributes/message/content/0/text",
      "1 core/leaked-closer get_weather qwen3 /events/1/attributes/message/content/1/toolUse/input/city",
    ]);
  });

  it("numbered keys of OpenLLMetry, and of OpenInference", async () => {
    const [call] = calls;
    const list = (prefix: string, input: string, output: string, at: string) => ({
      [`${input}.0.${prefix}role`]: "user",
      [`${input}.0.${prefix}content`]: leak,
      [`${output}.0.${prefix}role`]: "assistant",
      [`${output}.0.${prefix}content`]: leak,
      [`${output}.0.${prefix}tool_calls.0.${at}name`]: "get_weather",
      [`${output}.0.${prefix}tool_calls.0.${at}arguments`]: call?.function.arguments,
    });
    const [one, other] = [
      list("", "gen_ai.prompt", "gen_ai.completion", ""),
      list("message.", "llm.input_messages", "llm.output_messages", "tool_call.function."),
    ];
    expect(await scan(lines(span(one), span(other)))).toEqual([
      "2 calls, 0 unknown",
      "1 scan/leaked-call get_weather undefined /attributes/gen_ai.completion/0/content",
      "1 core/leaked-closer get_weather undefined /attributes/gen_ai.completion/0/tool_calls/0/arguments/city",
      "2 scan/leaked-call get_weather undefined /attributes/llm.output_messages/0/message/content",
      "2 core/leaked-closer get_weather undefined /attributes/llm.output_messages/0/message/tool_calls/0/tool_call/function/arguments/city",
    ]);
  });

  it("spans of Jaeger, and a tool's span alone, whose arguments were cut", async () => {
    const tags = Object.entries({ ...tool, "gen_ai.tool.call.arguments": '{"city": "S' }).map(([key, value]) => ({
      key,
      type: "string",
      value,
    }));
    expect(await scan(JSON.stringify({ data: [{ traceID: "t", spans: [{ traceID: "t", tags }] }] }))).toEqual([
      "1 calls, 0 unknown",
      "1 core/cut-input get_weather undefined /data/0/spans/0/attributes/gen_ai.tool.call.arguments",
    ]);
  });
});

it("finds a call whose result is missing, though the model answered again", async () => {
  expect(await scan(lines(span(chat([...asked, calling, ...asked.slice(1)], [done]))))).toContain(
    "1 scan/lost-result get_weather qwen3 /attributes/gen_ai.input.messages/2/parts/2/arguments",
  );
});

it("knows spans of other work, and nothing that only looks like one", async () => {
  expect(await scan(lines({ traceId: "t", name: "GET", attributes: { "http.method": "GET" } }))).toEqual([
    "0 calls, 0 unknown",
  ]);
  expect(await scan(lines({ name: "x", attributes: { a: 1 } }))).toEqual(["0 calls, 1 unknown"]);
});

it("is total: keys that lead too far or round, values nested deeper than a stack", () => {
  const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  let value: unknown = { stringValue: "x" };
  for (let at = 0; at < 20_000; at++) value = { arrayValue: { values: [value] } };
  const odd = {
    "gen_ai.prompt.999999999.content": "x",
    "gen_ai.prompt.0.__proto__.polluted": "x",
    "gen_ai.prompt.0.content.x": "y",
    "gen_ai.prompt.0.content": "z",
    [`gen_ai.prompt.1.${"a.".repeat(9_000)}b`]: "x",
    "gen_ai.prompt": "a text",
    "gen_ai.output.messages": deep,
  };
  expect(telemetryOf({ attributes: odd })?.members.length).toBeGreaterThan(0);
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
  expect(telemetryOf({ attributes: [{ key: "gen_ai.x", value }] })).toBeDefined();
  expect(telemetryOf({ attributes: [1, null, { key: 2 }], body: 1 })).toBeUndefined();
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`gen_ai.prompt.0.tool_calls.${at}.id`, "x"]),
  );
  expect(telemetryOf({ attributes: many })?.members).toHaveLength(1);
});
