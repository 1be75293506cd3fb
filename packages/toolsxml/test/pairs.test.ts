/**
 * What is done on one side and has to be carried through on the other: the form that a tool's parameters are shown in, the one that a call is
 * written in, the one that a history holds, and what the reader makes of each.
 */
import type { JsonSchema, ToolDefinition } from "@toolglot/core";
import { createBridge } from "@toolglot/core/bridge";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse, renderManual, serialize, toolsxmlProtocol } from "../src/index.ts";

const protocol = toolsxmlProtocol({ prompt: { forProtocol: "toolsxml/1", build: ({ toolsText }) => toolsText } });
const string = { type: "string" } as const;
const toolOf = (properties: Record<string, JsonSchema>, name = "note"): ToolDefinition => ({
  name,
  description: "",
  inputSchema: { type: "object", properties },
});
const write = (tool: ToolDefinition, input: Record<string, unknown>): string =>
  protocol.formatActions(
    [{ kind: "calls", span: { start: 0, end: 0 }, calls: [{ id: "1", protocol: "x", name: tool.name, input }] }],
    { tools: [tool] },
  );
/** What a written call reads back as; undefined where it has findings. */
function readBack(text: string, tool: ToolDefinition): unknown {
  const { blocks, diagnostics } = parse(text, { tools: [tool] });
  const [call] = blocks[0]?.calls ?? [];
  return diagnostics.length === 0 && call?.tool === "custom" ? { ...call.input } : diagnostics;
}

const file = toolOf(
  {
    path: string,
    content: string,
    mode: { type: "integer" },
    kind: { enum: ["a", "b"] },
    owner: { ...string, maxLength: 20 },
  },
  "write_file",
);

it("shows, writes and remembers a call in one form: short values in attributes, texts as they stand in elements", () => {
  const content = '<p class="x">1 & 2</p>\n\n    "three" \\n\n';
  const input = { path: "a.html", content, mode: 420, kind: "b", owner: "me" };
  const text = `<tools>
  <write_file mode="420" kind="b" owner="me">
    <path>a.html</path>
    <content><![CDATA[
${content}
]]></content>
  </write_file>
</tools>
`;
  expect(write(file, input)).toBe(text);
  expect(renderManual([{ ...file, examples: [{ input }] }])).toContain(text.trimEnd());
  const [message] = createBridge(protocol, { tools: [file] }).encode([
    {
      role: "assistant",
      trust: "user",
      parts: [{ type: "call", call: { id: "1", name: "write_file", input, protocol: "x" } }],
    },
  ]);
  expect(message?.parts).toEqual([{ type: "text", text: text.trimEnd() }]);
  expect(readBack(text, file)).toEqual(input);
});

it("shows a text on lines of its own where it makes an example up", () => {
  const tool = toolOf({ ...file.inputSchema.properties });
  tool.inputSchema.required = Object.keys(tool.inputSchema.properties ?? {});
  expect(renderManual([tool])).toContain(`<note mode="1" kind="a" owner="…">
    <path>
…
</path>
    <content>
…
</content>
  </note>`);
});

it("writes lists and objects in elements when a text in them has several lines, else as JSON", () => {
  const edit = { type: "object" as const, properties: { old: string, new: string } };
  const tool = toolOf({ tags: { type: "array", items: string }, edits: { type: "array", items: edit }, at: edit });
  const input = {
    tags: ["a", "b"],
    edits: [
      { old: "x\ny", new: "" },
      { old: "<", new: "z" },
    ],
    at: { old: "1", new: "2" },
  };
  const text = write(tool, input);
  expect(text).toContain("<tags>a</tags>\n    <tags>b</tags>\n");
  expect(text).toContain("<edits>\n      <old>\nx\ny\n</old>\n      <new></new>\n    </edits>");
  expect(text).toContain('<at>{"old":"1","new":"2"}</at>');
  expect(readBack(text, tool)).toEqual(input);
});

it.each([
  ["a null that a text might be", { type: ["string", "null"] }, null],
  ["a number of a union", { anyOf: [{ type: "string" }, { type: "number" }] }, 0],
  ["a value without a type", {}, { b: [1, "x'y<&"] }],
  ["a text that a number might be", { type: ["number", "string"] }, "7"],
  ["a name that no attribute has", string, "v", "my param"],
  ["a name of the protocol's own", string, "v", "json-input"],
] as [string, JsonSchema, unknown, string?][])("writes %s, also beside a raw body", (_, schema, value, key = "a") => {
  const alone = toolOf({ [key]: schema });
  expect(readBack(write(alone, { [key]: value }), alone)).toEqual({ [key]: value });
  const beside = toolOf({ [key]: schema, body: { ...string, "x-raw-body": true } });
  const input = { [key]: value, body: "two\nlines" };
  expect(readBack(write(beside, input), beside)).toEqual(input);
  const texts = toolOf({ [key]: schema, text: string });
  const text = write(texts, { [key]: value, text: 'a\n"b"' });
  expect(text).toContain('<text>\na\n"b"\n</text>');
  expect(readBack(text, texts)).toEqual({ [key]: value, text: 'a\n"b"' });
});

it("says what a JSON attribute that is no object has to be", () => {
  const tool = toolOf({ a: string });
  expect(readBack("<tools><note json-input='{'/></tools>", tool)).toMatchObject([
    { code: "toolsxml/invalid-attribute", severity: "error" },
  ]);
  expect(readBack("<tools><note a='1' json-input='{\"a\":2}'/></tools>", tool)).toMatchObject([
    { code: "toolsxml/duplicate-attribute" },
  ]);
});

const layout = ["", "\n", "\r\n", " ", "  ", "\t", "a", "b c", "\u00a0", "é"];
it("takes one line break at either end for layout, as text and in CDATA, and nothing else", () => {
  const pieces = fc.array(fc.constantFrom(...layout), { maxLength: 8 }).map((parts) => parts.join(""));
  const tool = toolOf({ text: string });
  const raw = toolOf({ text: { ...string, "x-raw-body": true } });
  fc.assert(
    fc.property(pieces, fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "  ", "\t"), (text, line, indent) => {
      fc.pre(!text.endsWith("\r"));
      const body = `${line}${text}${line}${indent}`;
      // One line alone may be dressed in white space by mistake, unless it is in CDATA.
      for (const [declared, open, close] of [
        [tool, "<text>", "</text>"],
        [raw, "", ""],
      ] as const)
        for (const written of [
          ...(text.includes("\n") || text === text.trim() ? [body] : []),
          `<![CDATA[${body}]]>`,
          `\n  <![CDATA[${body}]]>\n  `,
        ])
          expect(readBack(`<tools><note>${open}${written}${close}</note></tools>`, declared)).toEqual({ text });
    }),
  );
  const edit = "<tools><edit><file src='a'><find><![CDATA[\n  x\n]]></find><replace>y</replace></file></edit></tools>";
  expect(parse(edit).blocks[0]?.calls).toMatchObject([{ files: [{ edits: [{ find: "\n  x\n" }] }] }]);
});

const piece = fc.constantFrom(
  ...'</note>|<note>|<a>|</a>|</body>|</tools>|<tools>|]]>|<![CDATA[|<!--|-->|&lt;|&|<|>|[/a]|\n|\r\n|\r|  |\t|```|</invoke>|<|im_end|>|[/TOOL_CALL]|\u2028|😀|\0|x|7|true|null|[1]|{"a":1}|…'.split(
    /\|(?!im_end|>)/,
  ),
);
const text = fc
  .array(fc.oneof(piece, fc.string({ unit: "grapheme" })), { maxLength: 8 })
  .map((parts) => parts.join(""));
/** A schema with a value that fits it. */
const { fitting } = fc.letrec<{ fitting: [JsonSchema, unknown] }>((tie) => ({
  fitting: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    text.map((value): [JsonSchema, unknown] => [string, value]),
    text.map((value): [JsonSchema, unknown] => [{ ...string, format: "x" }, value]),
    fc.constantFrom<[JsonSchema, unknown]>(
      [{ type: ["string", "null"] }, null],
      [{ type: ["string", "null"] }, "null"],
      [{ anyOf: [string, { type: "number" }] }, 4],
      [{ type: "boolean" }, true],
      [{}, { a: [null] }],
      [true, "x"],
      [{ enum: ["a", 1, null] }, null],
      [{ const: "</note>" }, "</note>"],
    ),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value): [JsonSchema, unknown] => [{ type: "number" }, value]),
    fc.array(text, { maxLength: 3 }).map((value): [JsonSchema, unknown] => [{ type: "array", items: string }, value]),
    fc
      .dictionary(fc.constantFrom("a", "b", "my c", "note"), tie("fitting"), { maxKeys: 3, noNullPrototype: true })
      .map((parts): [JsonSchema, unknown] => [
        {
          type: "object",
          properties: Object.fromEntries(Object.entries(parts).map(([key, [schema]]) => [key, schema])),
        },
        Object.fromEntries(Object.entries(parts).map(([key, [, value]]) => [key, value])),
      ]),
  ),
}));
it("writes every input that fits its schema, and reads it back without a finding", () => {
  const keys = fc.constantFrom("a", "b", "path", "tools", "command", "my c", "json-input", "note", "file");
  fc.assert(
    fc.property(fc.dictionary(keys, fitting, { maxKeys: 5, noNullPrototype: true }), fc.option(text), (parts, raw) => {
      const of = <Value>(at: 0 | 1): [string, Value][] =>
        Object.entries(parts).map(([key, pair]) => [key, pair[at] as Value]);
      const properties = Object.fromEntries(of<JsonSchema>(0));
      const input: Record<string, unknown> = Object.fromEntries(of<unknown>(1));
      if (raw !== null) {
        properties.body = { ...string, "x-raw-body": true };
        input.body = raw;
      }
      const tool = toolOf(properties);
      expect(JSON.parse(JSON.stringify(readBack(write(tool, input), tool)))).toEqual(JSON.parse(JSON.stringify(input)));
      const call = {
        tool: "custom" as const,
        name: "note",
        input: JSON.parse(JSON.stringify(input)),
        span: { start: 0, end: 0 },
      };
      const again = readBack(serialize({ calls: [call], comments: [] }, { tools: [tool] }), tool);
      expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(input)));
    }),
    { numRuns: 150 },
  );
});
