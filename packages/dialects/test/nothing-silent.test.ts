import { describe, expect, it } from "vitest";
import { createParser } from "../src/parse.ts";
import { recoverToolCalls } from "../src/recover-tool-calls.ts";

const tools = [
  { name: "get_weather", inputSchema: { type: "object", properties: { city: { type: "string" } } } },
  { name: "search", inputSchema: { type: "object", properties: { query: { type: "string" } } } },
] as const;

/** Calls of `get_weather` whose own marks are damaged, or those of no format. */
const damaged = [
  'tool_call>\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</tool_call>',
  '<tool_call\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</tool_call>',
  '<call>get_weather{"city": "SF"}</call>',
  '<call>get_weather\n{"city": "SF"}\n</call>',
  '<call name="get_weather">{"city": "SF"}</call>',
  '<call name="get_weather"><arg name="city">SF</arg></call>',
  '<call:get_weather city="SF">',
  '<x>call get_weather {"city": "SF"}</x>',
  '<get_weather city="SF"/>',
  "<get_weather><city>SF</city></get_weather>",
  '{"tool": "get_weather", "city": "SF"}',
  '{"get_weather": {"city": "SF"}}',
  'get_weather {"city": "SF"}',
  'Calling get_weather with {"city": "SF"}',
  '[get_weather(city="SF"',
  '<tool_calls_begin>get_weather<tool_sep>{"city":"SF"}',
  'TOOL_CALLS]get_weather{"city": "SF"}',
  '@get_weather(city="SF")',
  '```json\nget_weather {"city": "SF"}\n```',
  '<action>get_weather</action><input>{"city":"SF"}</input>',
  "<function>get_weather</function><parameter=city>SF</parameter>",
  "$ get_weather --city SF",
  "get_weather city=SF",
  "&lt;call&gt;get_weather{&quot;city&quot;: &quot;SF&quot;}&lt;/call&gt;",
];
const whole = {
  hermes: '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>',
  "qwen-xml": "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
  "mistral-11": '[TOOL_CALLS]search[ARGS]{"query": "x"}',
  harmony: '<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query":"x"}<|call|>',
};

describe("a damaged call of a known tool", () => {
  it.each(damaged)("is reported or read, alone and beside a whole one, in each entry: %j", (one) => {
    for (const [dialect, call] of Object.entries({ "": "", ...whole }))
      for (const text of [`${one}\n\n${call}`, `${call}\n\n${one}`])
        for (const asked of dialect === "" ? ["auto" as const] : ["auto" as const, dialect as "hermes"]) {
          const { blocks, diagnostics } = recoverToolCalls(text, tools, { dialect: asked });
          const start = text.indexOf(one);
          const names = blocks.flatMap(({ calls, rejected }) => [...calls, ...rejected]).map(({ name }) => name);
          const found = diagnostics.some(
            ({ code, span }) =>
              span.start < start + one.length && span.end > start && !/mixed|text-after|shown/.test(code),
          );
          expect([text, names.includes("get_weather") || found]).toEqual([text, true]);
          if (call) expect(names).toContain("search");
        }
  });

  it("is reported each time, with its place, also in a stream", () => {
    const [one, other] = ['<call>get_weather{"city": "SF"}</call>', '{"get_weather": {"city": "Rome"}}'];
    const text = `${one}\n\n${whole.hermes}\n\nText.\n\n${other}\n`;
    const places: string[] = [];
    const parser = createParser({
      tools,
      onEvent(event) {
        if (event.type === "diagnostic" && event.diagnostic.code === "dialects/foreign-call")
          places.push(text.slice(event.diagnostic.span.start, event.diagnostic.span.end));
      },
    });
    for (const unit of text) parser.feed(unit);
    parser.end();
    expect(places).toEqual(['get_weather{"city": "SF"}</call>', 'get_weather": {"city": "Rome"}}']);
  });

  it.each([
    'I used search(query="tea") and found three pages.',
    'As in `get_weather{"city": "SF"}`, the name comes first.',
    "search takes a query: what to look for. get_weather takes a city.",
    'The tool is {"name": "search", "description": "Finds pages", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}.',
    "I will search. Query: tea.",
    "Run search --query and it finds pages; get_weather is for the weather --city aside.",
  ])("is none where a sentence mentions it: %j", (text) =>
    expect(recoverToolCalls(text, tools).diagnostics).toEqual([]),
  );
});
