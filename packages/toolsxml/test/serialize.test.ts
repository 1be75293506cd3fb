import type { JsonObject } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse, serialize, type ToolsXmlCall } from "../src/index.ts";
import { type Bare, bare, tools } from "./read-chunks.ts";

/** `.ci/run` tries five times as many. */
const times = rounds(1, 5);

const span = { start: 0, end: 0 };
const blockOf = (calls: readonly Bare<ToolsXmlCall>[]) => ({
  calls: calls.map((call) => ({ ...call, span }) as ToolsXmlCall),
  comments: [],
});

it("writes canonical text", () => {
  const text = serialize(
    blockOf([
      { tool: "command", script: "ls -l && pwd", timeoutMs: 1500, cwd: 'a "b"' },
      { tool: "command", script: "cat <<E\n  x\nE" },
      { tool: "command", script: "echo </command>" },
      { tool: "edit", files: [{ src: "a", edits: [{ find: "x", replace: "y\nz", all: true }] }] },
      { tool: "read", files: [{ src: "a", from: 1 }], searches: [{ pattern: "p" }] },
      { tool: "get_value", key: "A", reason: "r" },
      { tool: "input", data: "y\n" },
      { tool: "ctrl", key: "c" },
      { tool: "mcp", server: "s", name: "t", arguments: { a: "<&" } },
      { tool: "custom", name: "write_file", input: { path: "p", mode: 420, text: "a < b" } },
      { tool: "custom", name: "search", input: { query: "q" } },
    ]),
    { tools },
  );
  expect(text).toBe(`<tools>
  <command timeout="1.5" cwd="a &quot;b&quot;">ls -l && pwd</command>
  <command>
cat <<E
  x
E
  </command>
  <command><![CDATA[echo </command>]]></command>
  <edit>
    <file src="a">
      <find all="true">x</find>
      <replace>
y
z
</replace>
    </file>
  </edit>
  <read>
    <file src="a" from="1"/>
    <search pattern="p"/>
  </read>
  <get_value key="A" reason="r"/>
  <input>y\\n</input>
  <ctrl>c</ctrl>
  <mcp server="s" tool="t">{"a":"\\u003c\\u0026"}</mcp>
  <write_file path="p" mode="420">a < b</write_file>
  <search>
    <query>q</query>
  </search>
</tools>
`);
});

it("writes comments where they stood", () => {
  const text = "<tools><!-- a --><ctrl>c</ctrl><!--b - - --><ctrl>d</ctrl></tools>";
  const [block] = parse(text).blocks;
  const again = serialize(block ?? blockOf([]));
  expect(again).toMatch(/a -->\n {2}<ctrl>c<\/ctrl>\n {2}<!-- b - - -->\n {2}<ctrl>d/);
  expect(parse(again).blocks[0]?.comments.map(({ text }) => text)).toEqual(["a", "b - -"]);
});

it("refuses what no tag can say", () => {
  const custom = (name: string, input: JsonObject) => () =>
    serialize(blockOf([{ tool: "custom", name, input }]), { tools });
  expect(custom("a b", {})).toThrow(/can't be a tag/);
  expect(custom("read", {})).toThrow(/built-in/);
});

const piece = fc.constantFrom(
  ...'</command>|<command>|</find>|<find>|</replace>|<replace>|</tools>|<tools>|</input>|</mcp>|</write_file>|]]>|<![CDATA[|<!--|-->|&lt;|&amp;|&|<|&#65;|\n|\r\n|\r|  |\t|\\n|\\x41|\\|```|<b>|</b>|\u2028|😀|é|\0|\u001b|x|a < b|{"a":1}'.split(
    "|",
  ),
);
const hostile = fc
  .array(fc.oneof(piece, fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" })), { maxLength: 12 })
  .map((parts) => parts.join(""));
const filled = hostile.filter((text) => text !== "");
const json = fc.jsonValue({ depthSize: "small" });
const object = fc.dictionary(
  fc.oneof(hostile, fc.constant("__proto__")),
  fc.oneof(json, hostile, fc.maxSafeInteger(), fc.constant(2 ** 70)),
  { noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

const call: fc.Arbitrary<Bare<ToolsXmlCall>> = fc.oneof(
  fc.record(
    {
      tool: fc.constant("command" as const),
      script: hostile.filter((text) => text.trim() !== ""),
      timeoutMs: fc.integer({ min: 1 }),
      cwd: hostile,
    },
    { requiredKeys: ["tool", "script"] },
  ),
  fc.record({
    tool: fc.constant("edit" as const),
    files: fc.array(
      fc.record({
        src: filled,
        edits: fc.array(
          fc.record(
            { find: hostile, replace: hostile, all: fc.constant(true as const) },
            { requiredKeys: ["find", "replace"] },
          ),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    tool: fc.constant("read" as const),
    files: fc.array(
      fc.record(
        { src: filled, from: fc.integer({ min: 1, max: 9 }), to: fc.integer({ min: 9 }) },
        { requiredKeys: ["src"] },
      ),
      { minLength: 1 },
    ),
    searches: fc.array(fc.record({ pattern: filled, src: hostile, glob: hostile }, { requiredKeys: ["pattern"] })),
  }),
  fc.record(
    {
      tool: fc.constant("get_value" as const),
      key: fc.stringMatching(/^[A-Za-z_]\w{0,9}$/),
      reason: filled,
      note: hostile,
    },
    { requiredKeys: ["tool", "key", "reason"] },
  ),
  fc.record({ tool: fc.constant("input" as const), data: hostile }),
  fc.record({ tool: fc.constant("ctrl" as const), key: fc.constantFrom(..."az[\\]^_") }),
  fc.record({ tool: fc.constant("mcp" as const), server: filled, name: filled, arguments: object }),
  fc.record({
    tool: fc.constant("custom" as const),
    name: fc.constant("write_file"),
    input: fc.record(
      { path: hostile, mode: fc.maxSafeInteger(), text: hostile },
      { requiredKeys: [], noNullPrototype: true },
    ) as fc.Arbitrary<JsonObject>,
  }),
  fc.record({
    tool: fc.constant("custom" as const),
    name: fc.constantFrom("search", "File.Write_2", "写"),
    input: object,
  }),
);

it("gives the same calls when it is parsed again, whatever they hold", () => {
  const declared = [
    ...tools,
    ...["File.Write_2", "写"].map((name) => ({ name, description: "", inputSchema: { type: "object" as const } })),
  ];
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), (calls) => {
      const text = serialize(blockOf(calls), { tools: declared });
      const { blocks, segments } = parse(text, { tools: declared });
      expect(segments.filter(({ type }) => type === "block")).toHaveLength(1);
      expect(blocks[0]?.status).toBe("complete");
      // -0 is 0 in JSON.
      expect(JSON.stringify(bare(blocks[0]?.calls ?? []))).toBe(JSON.stringify(calls));
    }),
    { numRuns: 80 * times },
  );
});
