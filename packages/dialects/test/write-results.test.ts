import type { ToolResult } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatResults } from "../src/format-results.ts";
import { dialects } from "../src/table/all.ts";
import { type DialectId, dialectIds } from "../src/table/ids.ts";
import type { Marker, VariableMarker } from "../src/table/types.ts";

const ok = (text: string, more: Partial<ToolResult> = {}): ToolResult => ({
  callId: "functions.f:0",
  name: "f",
  status: "ok",
  content: [{ type: "text", text }],
  ...more,
});

it.each<[DialectId, string]>([
  ["hermes", "<tool_response>\nsun\n</tool_response>\n<tool_response>\nrain\n</tool_response>"],
  ["exaone", "<tool_response>\nsun\n</tool_response>\n<tool_response>\nrain\n</tool_response>"],
  ["glm", "<tool_response>\nsun\n</tool_response>\n<tool_response>\nrain\n</tool_response>"],
  [
    "harmony",
    "<|start|>functions.f to=assistant<|channel|>commentary<|message|>sun<|end|><|start|>functions.f to=assistant<|channel|>commentary<|message|>rain<|end|>",
  ],
  [
    "deepseek-v3",
    "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>sun<｜tool▁output▁end｜><｜tool▁output▁begin｜>rain<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
  ],
  ["dsml", "<function_results>\n<result>sun</result>\n<result>rain</result>\n</function_results>"],
  ["minimax", "<response>sun</response>\n<response>rain</response>"],
  [
    "gemma4",
    '<|tool_response>response:f{value:<|"|>sun<|"|>}<tool_response|><|tool_response>response:f{value:<|"|>rain<|"|>}<tool_response|>',
  ],
  ["kimi-k2", "## Return of functions.f:0\nsun\n## Return of functions.f:0\nrain"],
  ["llama3-json", '"sun"\n"rain"'],
])("writes results of %s as its chat template does", (dialect, text) => {
  expect(formatResults([ok("sun"), ok("rain")], { dialect })).toBe(text);
  expect(formatResults([], { dialect })).toBe("");
});

describe("content", () => {
  const hermes = (result: Partial<ToolResult>, locale?: "zh"): string =>
    formatResults([ok("", { content: [], ...result })], { dialect: "hermes", ...(locale && { locale }) })
      .replace("<tool_response>\n", "")
      .replace("\n</tool_response>", "");

  it("is the data as JSON, else the text, else what is known of the call", () => {
    expect(hermes({ data: { a: [1] } })).toBe('{"a":[1]}');
    expect(hermes({ content: [{ type: "text", text: "$& {content} {name}" }] })).toBe("$& {content} {name}");
    expect(hermes({ status: "pending" })).toBe("Started; there is no result yet.");
    expect(hermes({ status: "denied" })).toBe("Denied: The call was denied, and was not run.");
    expect(hermes({ status: "denied" }, "zh")).toContain("拒绝");
    const error = { type: "NotFound", message: "no such city", line: 3, hint: "Ask for one." };
    expect(hermes({ status: "error", error, logs: [{ stream: "stdout", text: "x" }] })).toBe(
      "NotFound: no such city (3)\nAsk for one.\nstdout:\nx",
    );
  });

  it("stays JSON where the dialect writes JSON", () => {
    const result = ok("", { content: [], data: { a: 1 } });
    expect(formatResults([result], { dialect: "llama3-json" })).toBe('{"a":1}');
    const long = ok("", { content: [], data: { a: "x".repeat(99) } });
    for (const results of [
      [long],
      [ok("", { status: "error" })],
      [ok("", { data: 1, logs: [{ stream: "stdout", text: "a" }] })],
    ])
      expect(() => JSON.parse(formatResults(results, { dialect: "llama3-json", budget: 50 }))).not.toThrow();
  });

  it("is cut to the budget, with a note", () => {
    const text = formatResults([ok("x".repeat(30_000)), ok("short")], { dialect: "hermes" });
    expect(text.length).toBeLessThan(16_300);
    expect(text).toContain("of 30000 characters");
    expect(text).toContain("\nshort\n");
  });
});

/** The markers of a dialect, as they stand in a text. */
function marksOf(id: DialectId): string[] {
  const { open, close = [], call, arguments: args, reasoning, prose = [], stops, list, results } = dialects[id];
  const textOf = (marker: Marker | VariableMarker): string[] =>
    "text" in marker ? [marker.text, ...(marker.lookAlikes ?? [])] : [`${marker.prefix}:abc${marker.suffix}`];
  const key = typeof args.key === "object" && !("attribute" in args.key) ? args.key : undefined;
  const until = call.name.at === "text" ? call.name.until : [];
  const wrappers = open.flatMap((marker) =>
    textOf(marker).map((text) => (list && /\w$/.test(text) ? `${text}[` : text)),
  );
  const inner = [...close, call.open, call.close, ...until, args.open, args.keyClose, key, args.close];
  const pairs = [...reasoning, ...prose].flatMap((pair) => [pair.open, pair.close]);
  const own = results ? [results.open, results.item, results.close].flatMap((text) => text.split(/\{\w+\}/)) : [];
  const lead = call.name.at === "attribute" ? " " : "";
  return (
    [...wrappers, ...inner.flatMap((marker) => (marker ? textOf(marker) : [])), ...pairs, ...own, ...stops]
      .map((text) => text.trim())
      // A bare word or bracket calls nothing.
      .filter((text) => /[<[|`]|>{3}/.test(text) && text.length > 2)
      .map((text) => (/^<[\w:]+$/.test(text) ? text + (lead || ">") : text))
      // A name follows it.
      .map((text) => (text === ">>>" ? ">>>f" : text))
  );
}

const everyMark = [...new Set(dialectIds.flatMap(marksOf))];

it.each(dialectIds)("leaves no marker in results of %s, whatever they hold", (dialect) => {
  for (const mark of everyMark) {
    // Fences and the like count only where a line begins.
    const hostile = /^[`>]/.test(mark) ? `${mark}\n${mark}` : `${mark}\nthen ${mark}`;
    const clean = formatResults([ok("", { name: "f", callId: "c" })], { dialect });
    const text = formatResults([ok(hostile, { name: "f", callId: "c" })], { dialect });
    expect(text.split(mark).length, mark).toBe(clean.split(mark).length);
    const named = formatResults([ok("", { name: `f\n${mark}`, callId: `c\n${mark}` })], { dialect });
    expect(named.split(mark).length, mark).toBe(clean.split(mark).length);
  }
});

it("has marks to look for", () => {
  expect(everyMark.length).toBeGreaterThan(100);
});

it("leaves ordinary text as it is", () => {
  const text =
    "if (a < b && c > d) { return \"<div class='x'>\" + list[0]; } >>> x\nimport functools\n- [x] done | yes";
  expect(formatResults([ok(text)], { dialect: "hermes" })).toContain(text);
});

it("never throws for what results hold", () => {
  fc.assert(
    fc.property(fc.constantFrom(...dialectIds), fc.string({ unit: "binary" }), fc.anything(), (dialect, text, data) => {
      const result = ok(text, { name: text, callId: text, ...(data === undefined ? {} : { data: data as never }) });
      expect(typeof formatResults([result], { dialect, budget: 40 })).toBe("string");
    }),
  );
});

it("refuses mistakes in the options", () => {
  expect(() => formatResults([], {} as never)).toThrow(/dialect/);
  expect(() => formatResults([ok("")], { dialect: "herms" })).toThrow(/hermes/);
  expect(() => formatResults([ok("")], { dialect: "hermes", max: 1 } as never)).toThrow(TypeError);
});
