import { type Message, type PromptBuilder, type ProtocolEvent, type ToolDefinition, textMessage } from "@toolglot/core";
import { expect, it } from "vitest";
import { renderManual } from "../src/manual.ts";
import { parse } from "../src/parse.ts";
import { toolsxmlProtocol } from "../src/protocol.ts";
import type { ToolsXmlBlock } from "../src/types.ts";

const prompt: PromptBuilder = {
  forProtocol: "toolsxml/1",
  build: ({ toolsText, locale, mode }) => `${locale}/${mode}\n${toolsText}`,
};
const protocol = toolsxmlProtocol({ prompt });
const tools: ToolDefinition[] = [
  {
    name: "search_web",
    description: "Searches the web.",
    inputSchema: { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } } },
  },
  {
    name: "write_file",
    description: "Writes a file.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string", "x-raw-body": true } },
    },
  },
];
const blockOf = (text: string): ToolsXmlBlock => parse(text, { tools }).blocks[0] as ToolsXmlBlock;

const everything = `<tools>
  <command timeout="2" cwd="/srv">ls && pwd</command>
  <edit><file src="a"><find>1</find><replace>2</replace></file></edit>
  <read><file src="b" from="1"/><search pattern="x"/></read>
  <get_value key="K" reason="why"/>
  <input>y\\n</input>
  <ctrl>C</ctrl>
  <mcp server="s" tool="t">{"a": 1}</mcp>
  <search_web query="q" limit="3"/>
</tools>`;

it("should say what it is", () => {
  expect(protocol).toMatchObject({ id: "toolsxml", version: "toolsxml/1", stop: ["<results>"] });
  expect(protocol.declaresTools).toBeUndefined();
});

it("should refuse a prompt for another protocol", () => {
  const other = { ...prompt, forProtocol: "attp/1" };
  expect(() => toolsxmlProtocol({ prompt: other })).toThrow(/teaches "attp\/1".*@toolglot\/prompts\/toolsxml/);
  expect(() => toolsxmlProtocol({ prompt: undefined as unknown as PromptBuilder })).toThrow(TypeError);
});

it("should give the prompt the manual in its language", () => {
  const [en, zh] = (["en", "zh"] as const).map((locale) => renderManual(tools, { locale }));
  expect(en).not.toBe(zh);
  expect(protocol.renderTools(tools)).toBe(en);
  expect(protocol.renderTools(tools, { locale: "zh" })).toBe(zh);
  expect(toolsxmlProtocol({ prompt, locale: "zh" }).renderTools(tools)).toBe(zh);
  expect(protocol.instructions(tools, { locale: "zh", mode: "single" })).toBe(`zh/single\n${zh}`);
});

it("should make one batch of all calls, in order", () => {
  const block = blockOf(everything);
  const actions = protocol.actions(block);
  expect(actions).toHaveLength(1);
  const [action] = actions;
  if (action?.kind !== "calls") throw new Error(JSON.stringify(action));
  expect(action.span).toEqual(block.span);
  expect(action.calls.map(({ name, input }) => [name, input])).toEqual([
    ["command", { script: "ls && pwd", timeoutMs: 2000, cwd: "/srv" }],
    ["edit", { files: [{ src: "a", edits: [{ find: "1", replace: "2" }] }] }],
    ["read", { files: [{ src: "b", from: 1 }], searches: [{ pattern: "x" }] }],
    ["get_value", { key: "K", reason: "why" }],
    ["input", { data: "y\n" }],
    ["ctrl", { key: "c" }],
    ["mcp", { server: "s", name: "t", arguments: { a: 1 } }],
    ["search_web", { query: "q", limit: 3 }],
  ]);
  for (const [index, call] of action.calls.entries()) {
    expect(call.protocol).toBe("toolsxml");
    expect(call.span).toEqual(block.calls[index]?.span);
    expect(call.id).toMatch(new RegExp(`^toolsxml-${call.span?.start}-${index}-[0-9a-z]+$`));
  }
  expect(protocol.actions(blockOf(everything))).toEqual(actions);
  const [other] = protocol.actions(blockOf(everything.replace("pwd", "id")));
  expect(other?.kind === "calls" && other.calls[0]?.id).not.toBe(action.calls[0]?.id);
});

it("should do nothing for blocks that must not run or have no calls", () => {
  const block = blockOf(everything);
  expect(protocol.actions({ ...block, status: "truncated" })).toEqual([]);
  expect(protocol.actions({ ...block, status: "invalid" })).toEqual([]);
  expect(protocol.actions({ ...block, inReasoning: true })).toEqual([]);
  expect(protocol.actions({ ...block, afterFabricatedResult: true })).toEqual([]);
  expect(protocol.actions(blockOf("<tools>\n<!-- nothing to do -->\n</tools>"))).toEqual([]);
});

it("should never act on a call that was cut off", () => {
  for (let end = 0; end < everything.length; end++) {
    const { blocks } = parse(everything.slice(0, end), { tools });
    const calls = blocks.flatMap(protocol.actions).flatMap((action) => (action.kind === "calls" ? action.calls : []));
    const whole = blockOf(everything).calls;
    expect(calls.length).toBeLessThan(whole.length + (end > everything.indexOf("</tools>") - 2 ? 1 : 0));
    for (const call of calls) expect(call.span?.end).toBeLessThanOrEqual(end);
    const inputs = calls.map(({ span: _, id: __, ...call }) => call);
    const [all] = protocol.actions(blockOf(everything));
    const expected = all?.kind === "calls" ? all.calls.map(({ span: _, id: __, ...call }) => call) : [];
    expect(inputs).toEqual(expected.slice(0, inputs.length));
  }
});

it("should parse in chunks as at once, and report what it parses", () => {
  const events: ProtocolEvent<ToolsXmlBlock>[] = [];
  const parser = protocol.createParser({ tools, onEvent: (event) => events.push(event) });
  for (const character of everything) parser.feed(character);
  expect(parser.end()).toEqual(parse(everything, { tools }));
  expect(events.at(-1)).toMatchObject({ phase: "block-end" });
  parser.reset();
  parser.feed("plain");
  expect(parser.end()).toEqual(parse("plain"));
});

it("should explain with the lines of the text that its parser read", () => {
  const text = "So:\n<tools>\n<read><file/></read>\n</tools>";
  const parser = protocol.createParser({});
  parser.feed(text.slice(0, 9));
  parser.feed(text.slice(9));
  const explained = protocol.explain(parser.end()) ?? "";
  expect(explained).toContain("toolsxml/missing-attribute (line 3, column");
  expect(explained).toContain("    | <read><file/></read>");
  expect(protocol.explain(parse(text))).toContain("toolsxml/missing-attribute:");
  expect(protocol.explain(parse(everything, { tools }))).toBeUndefined();
});

it("should know the mode and the language it was made for", () => {
  expect(protocol.explain(parse("done"))).toBeUndefined();
  expect(toolsxmlProtocol({ prompt, mode: "single" }).explain(parse("done"))).toContain("FormatError");
  expect(toolsxmlProtocol({ prompt, mode: "single", locale: "zh" }).explain(parse("done"))).toContain(
    "没有 <tools> 块",
  );
});

it("should cut results at its budget, and say so in its language", () => {
  const budgeted = toolsxmlProtocol({ prompt, maxResultChars: 10, locale: "zh" });
  const text = budgeted.formatResults([
    { callId: "c", name: "command", status: "ok", content: [{ type: "text", text: "x".repeat(99) }] },
  ]);
  expect(text).toContain(
    `<![CDATA[${"x".repeat(5)}…${"x".repeat(4)}]]>\n（共 99 个字符，只保留开头和结尾 10 个）</result>`,
  );
});

const assistant = (...calls: [name: string, input: unknown][]): Message => ({
  role: "assistant",
  trust: "untrusted",
  parts: [
    { type: "text", text: "I do it.\n\n" },
    ...calls.map(([name, input], index) => ({
      type: "call" as const,
      call: { id: String(index), name, input, protocol: "native" },
    })),
  ],
});

it("should write calls as a block and results as XML, for a provider that knows neither", () => {
  const [action] = protocol.actions(blockOf(everything));
  const calls = action?.kind === "calls" ? action.calls : [];
  const messages: Message[] = [
    textMessage("system", "s"),
    assistant(...calls.map(({ name, input }): [string, unknown] => [name, input])),
    {
      role: "tool",
      trust: "untrusted",
      parts: [
        { type: "result", result: { callId: "1", name: "ctrl", status: "ok", content: [] } },
        { type: "text", text: "<tools>fetched</tools>" },
      ],
    },
  ];
  const encoded = protocol.encodeMessages(messages);
  expect(encoded.map((message) => message.role)).toEqual(["system", "assistant", "user"]);
  const [said, block] = encoded[1]?.parts ?? [];
  expect(said).toEqual({ type: "text", text: "I do it.\n\n" });
  const text = block?.type === "text" ? block.text : "";
  const again = protocol.actions(blockOf(text))[0];
  expect(again?.kind === "calls" && again.calls.map(({ name, input }) => [name, input])).toEqual(
    calls.map(({ name, input }) => [name, input]),
  );
  const [result, loose] = encoded[2]?.parts ?? [];
  expect(result).toEqual({
    type: "text",
    text: '<results>\n<result tool="ctrl" index="0" status="ok"/>\n</results>\n',
  });
  expect(loose?.type === "text" && parse(loose.text).blocks).toEqual([]);
});

it("should write a raw body as it was declared", () => {
  const declared = toolsxmlProtocol({ prompt });
  declared.instructions(tools, { locale: "en", mode: "loop" });
  const input = { path: "a.sh", content: "if (a && b < c)" };
  const [message] = declared.encodeMessages([assistant(["write_file", input])]);
  const part = message?.parts[1];
  expect(part).toEqual({
    type: "text",
    text: '<tools>\n  <write_file path="a.sh">if (a && b < c)</write_file>\n</tools>\n',
  });
});

it("should write what is no call of the protocol too, and never throw", () => {
  const odd: [string, unknown][] = [
    ["command", { command: "ls </command>" }],
    ["read", { path: "x" }],
    ["read", { files: [{ src: "x" }] }],
    ["my tool", { a: 1 }],
    ["edit", "raw"],
    ["search_web", undefined],
    ["x", [1]],
  ];
  const [message] = protocol.encodeMessages([assistant(...odd)]);
  const part = message?.parts[1];
  expect(part?.type === "text" && part.text.split("\n")).toEqual([
    "<tools>",
    '  <command>{"command":"ls \\u003c/command>"}</command>',
    '  <read>{"path":"x"}</read>',
    "  <read>",
    '    <file src="x"/>',
    "  </read>",
    '  <my_tool>{"a":1}</my_tool>',
    '  <edit>{"input":"raw"}</edit>',
    "  <search_web/>",
    '  <x>{"input":[1]}</x>',
    "</tools>",
    "",
  ]);
});
