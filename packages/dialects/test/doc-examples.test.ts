// The examples of the doc comments, word for word, and what they come to.
import { join } from "node:path";
import { dialectFor, dialectProtocol, parse, recoverToolCalls, serialize } from "@toolglot/dialects";
import { dialectFromTemplate } from "@toolglot/dialects/response-template";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { expect, it } from "vitest";

testDocExamples([import.meta.filename], [join(import.meta.dirname, "../src")], 6);

it("should run the example of recoverToolCalls", () => {
  const { calls, text } = recoverToolCalls('One moment.\n[TOOL_CALLS]search[ARGS]{"query": "tea"}');
  // calls[0]: { name: "search", input: { query: "tea" }, … }; text: "One moment."
  expect(calls).toMatchObject([{ name: "search", input: { query: "tea" } }]);
  expect(text).toBe("One moment.");
});

it("should run the example of parse", () => {
  const text = '<tool_call>\n{"name": "search", "arguments": {"query": "tea"}}\n</tool_call>';
  const call = parse(text).blocks[0]?.calls[0]; // { name: "search", input: { query: "tea" }, … }
  expect(call).toMatchObject({ name: "search", input: { query: "tea" } });
});

it("should run the example of serialize", () => {
  const text = serialize({ dialect: "hermes", calls: [{ name: "get_weather", input: { city: "SF" } }] });
  // <tool_call>
  // {"name": "get_weather", "arguments": {"city": "SF"}}
  // </tool_call>
  expect(text).toBe('<tool_call>\n{"name": "get_weather", "arguments": {"city": "SF"}}\n</tool_call>');
});

it("should run the example of dialectFor", () => {
  const dialect = dialectFor({ model: "Qwen/Qwen3-Coder-480B-A35B-Instruct" }); // "qwen-xml"
  expect(dialect).toBe("qwen-xml");
});

it("should run the example of the protocol", () => {
  const protocol = dialectProtocol({ dialect: dialectFor({ model: "Qwen/Qwen3-32B" }) ?? "auto" });
  expect(protocol.id).toBe("hermes");
});

it("should run the example of dialectFromTemplate", () => {
  const tokenizerConfig = JSON.stringify({
    response_template: {
      version: 1,
      start_anchor: "<|assistant|>",
      fields: {
        content: {},
        tool_calls: {
          open: "<call>",
          close: "</call>",
          content: "json",
          repeats: true,
          transform: { type: "function", function: "{content}" },
        },
      },
    },
  });
  const answer = 'One moment.<call>{"name": "search", "arguments": {"query": "tea"}}</call>';
  const tools = [{ name: "search", inputSchema: {} }];
  const dialect = dialectFromTemplate(JSON.parse(tokenizerConfig).response_template);
  const { calls } = recoverToolCalls(answer, tools, { dialect });
  expect(calls).toMatchObject([{ name: "search", input: { query: "tea" } }]);
  const protocol = dialectProtocol({ dialect });
  expect(protocol.formatResults([{ callId: "1", status: "ok", content: [], data: 1 }])).toContain("<tool_response>");
});
