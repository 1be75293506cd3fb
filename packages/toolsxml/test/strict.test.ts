import type { ParseResult } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "../src/parse.ts";
import { build, isWellFormed, parseStrict } from "../src/strict/index.ts";
import type { ToolsXmlBlock } from "../src/types.ts";
import { markupBlock, declaredTools as tools, wellFormedBlock } from "./well-formed-blocks.ts";

/** `.ci/run` tries five times as many. */
const times = rounds(1, 5);

/** What a reader found, less spans. */
function found({ blocks }: ParseResult<ToolsXmlBlock>): object[] {
  return blocks.map(({ status, calls, comments }) => ({
    status,
    calls: calls.map(({ span: _, ...call }) => JSON.parse(JSON.stringify(call)) as object),
    comments: comments.map(({ text }) => text),
  }));
}

it("should read what a well-formed block says, as parse() does", () => {
  fc.assert(
    fc.property(fc.oneof(wellFormedBlock, markupBlock), ({ xml, calls, comments }) => {
      const strict = parseStrict(xml, { tools });
      expect(found(strict)).toEqual([{ status: "complete", calls: JSON.parse(JSON.stringify(calls)), comments }]);
      const loose = parse(xml, { tools });
      expect(found(loose)).toEqual(found(strict));
      // Spans too, but those of findings: XML readers don't say where an attribute stands.
      expect(loose.blocks).toEqual(strict.blocks);
      expect(loose.segments).toEqual(strict.segments);
      const codes = ({ diagnostics }: ParseResult<ToolsXmlBlock>): string[] =>
        diagnostics.map(({ code }) => code).sort();
      expect(codes(loose)).toEqual(codes(strict));
    }),
    { numRuns: 200 * times },
  );
});

it("should build well-formed XML that says the same", () => {
  fc.assert(
    fc.property(wellFormedBlock, fc.boolean(), ({ xml }, declared) => {
      const [block] = parseStrict(xml, { tools }).blocks;
      const built = build(block as ToolsXmlBlock, declared ? { tools } : {});
      expect(isWellFormed(built)).toBe(true);
      // Without the declarations a raw body would be JSON to build, and text to parse.
      const options = declared ? { tools } : { tools: tools.map((tool) => ({ ...tool, inputSchema: {} })) };
      expect(found(parseStrict(built, options))).toEqual(
        found({ segments: [], blocks: [block as ToolsXmlBlock], diagnostics: [] }),
      );
    }),
    { numRuns: 100 * times },
  );
});

const wellFormed: [string, string][] = [
  ["the specification's commands", "<tools>\n  <command>\n    npm install\n    npm run build\n  </command>\n</tools>"],
  ["a find without a replace", '<tools><edit><file src="a"><find>1</find></file></edit><ctrl>c</ctrl></tools>'],
  ["an unknown tag on a line of its own", "<tools>\n<ctrl>c</ctrl>\n<nothing/>\n<ctrl>d</ctrl>\n</tools>"],
  ["a missing attribute", "<tools><read><file/></read></tools>"],
  ["a wrong control character", "<tools><ctrl>escape</ctrl></tools>"],
  ["JSON that is none", '<tools><mcp server="s" tool="t">{"a": }</mcp></tools>'],
  ["a value of the wrong type", '<tools><search_web query="q" max_results="many"/></tools>'],
  ["a body without marks", "<tools><command cwd='x'> </command></tools>"],
  ["an unknown attribute", '<tools><ctrl key="c">c</ctrl></tools>'],
  ["an attribute twice but for its case", '<tools><read><file src="a" SRC="b"/></read></tools>'],
  ["attributes on the root", '<tools version="1"><ctrl>c</ctrl></tools>'],
  [
    "CRLF",
    '<tools>\r\n<command>\r\n  a\r\n  b\r\n</command>\r\n<edit><file src="a"><find>\r\nx\r\ny\r\n</find><replace/></file></edit></tools>',
  ],
  [
    "an XML declaration and comments around it",
    '<?xml version="1.0"?>\n<!-- a -->\n<tools><ctrl>c</ctrl></tools>\n<!-- b -->',
  ],
  ["a byte order mark", "\ufeff<tools><ctrl>c</ctrl></tools>"],
];

it.each(wellFormed)("should agree with parse() about %s", (_name, xml) => {
  for (const options of [{ tools }, { tools, strict: true }]) {
    const strict = parseStrict(xml, options);
    const loose = parse(xml, options);
    expect(strict.blocks).toHaveLength(1);
    expect(loose.blocks).toEqual(strict.blocks);
    const codes = ({ diagnostics }: ParseResult<ToolsXmlBlock>): string[] => diagnostics.map(({ code }) => code).sort();
    expect(codes(loose)).toEqual(codes(strict));
  }
});

it("should take closing tags as XML does", () => {
  const { blocks, diagnostics } = parseStrict("<tools><command>a</command> and <x/><command>b</command></tools>");
  expect(blocks).toMatchObject([{ status: "invalid", calls: [{ script: "a" }, { script: "b" }] }]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["toolsxml/stray-text", "toolsxml/unknown-tag"]);
});

it.each([
  ["a raw body", "<tools>\n<command>a && b</command>\n</tools>", "toolsxml/not-well-formed", "line 2, column 12"],
  ["prose", "I run <tools><ctrl>c</ctrl></tools>.", "toolsxml/not-well-formed", "line 1, column 1"],
  ["an unclosed block", "<tools>\n<ctrl>c</ctrl>", "toolsxml/not-well-formed", "line 1, column 1"],
  ["another document", "<project><tools/></project>", "toolsxml/not-a-block", "<project>, not <tools>"],
  ["nothing", "", "toolsxml/not-well-formed", "line 1, column 1"],
])("should refuse %s, and say where", (_name, xml, code, words) => {
  const { segments, blocks, diagnostics } = parseStrict(xml);
  expect(blocks).toEqual([]);
  expect(segments.map((segment) => segment.type === "text" && segment.text).join("")).toBe(xml);
  expect(diagnostics).toMatchObject([{ code, severity: "error", affects: "value", source: "toolsxml" }]);
  expect(diagnostics[0]?.message).toContain(words);
  expect(diagnostics[0]?.span.end).toBeLessThanOrEqual(xml.length);
});

it("should refuse what is too long, before it looks at it", () => {
  const xml = "<tools><ctrl>c</ctrl></tools>";
  expect(parseStrict(xml, { maxInputLength: xml.length }).blocks).toHaveLength(1);
  expect(parseStrict(xml, { maxInputLength: xml.length - 1 })).toMatchObject({
    blocks: [],
    diagnostics: [{ code: "toolsxml/input-too-long", severity: "error" }],
  });
});

it("should read a tag alone, and a document type never", () => {
  expect(parseStrict("<TOOLS/>").blocks).toMatchObject([{ status: "complete", calls: [], comments: [] }]);
  const bomb = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><tools><command>&b;</command></tools>';
  expect(parseStrict(bomb).blocks).toEqual([]);
  expect(isWellFormed(bomb)).toBe(false);
});

it("should not expand, merge or pollute anything", () => {
  const entities = `<tools><command>${"&lt;".repeat(200_000)}</command></tools>`;
  expect(parseStrict(entities).blocks[0]?.calls).toMatchObject([{ script: "<".repeat(200_000) }]);
  const json = '<tools><mcp server="s" tool="t">{"__proto__": {"polluted": 1}, "constructor": 2}</mcp></tools>';
  const [call] = parseStrict(json).blocks[0]?.calls ?? [];
  expect(call?.tool === "mcp" && Object.keys(call.arguments)).toEqual(["__proto__", "constructor"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it("should throw for what is no string", () => {
  for (const wrong of [undefined, null, 1, {}] as unknown as string[]) {
    expect(() => parseStrict(wrong)).toThrow(TypeError);
    expect(() => isWellFormed(wrong)).toThrow(TypeError);
  }
  expect(() => parseStrict("", { maxInputLength: Number.NaN })).toThrow(TypeError);
});

it("should build what can be read, in lines", () => {
  const [block] = parse(
    '<tools>\n<!-- first -- then -->\n<command timeout="1.5">a && b</command><edit><file src="x&quot;y"><find all="true">a]]>b</find><replace></replace></file></edit><input>\\x1b\\n</input></tools>',
  ).blocks;
  const built = build(block as ToolsXmlBlock);
  expect(built.split("\n")).toEqual([
    "<tools>",
    "<!-- first - - then -->",
    '<command timeout="1.5"><![CDATA[a && b]]></command>',
    '<edit><file src="x&quot;y"><find all="true"><![CDATA[a]]]]><![CDATA[>b]]></find><replace><![CDATA[]]></replace></file></edit>',
    "<input><![CDATA[\\e\\n]]></input>",
    "</tools>",
  ]);
});

it("should refuse to build what XML can't hold", () => {
  const span = { start: 0, end: 0 };
  const command = (script: string) => ({ calls: [{ tool: "command" as const, script, span }], comments: [] });
  for (const script of ["a\u0000b", "\u001b[1m", "\ud83d", "a\rb", "\ufffe"]) {
    expect(() => build(command(script))).toThrow(/XML can't hold U\+/);
  }
  const custom = (name: string, input = {}) => ({
    calls: [{ tool: "custom" as const, name, input, span }],
    comments: [],
  });
  for (const name of ["my tool", "1st", "a/b", "", "a>b", "a b='c'"]) {
    expect(() => build(custom(name))).toThrow(/no XML name/);
  }
  expect(() => build(custom("Write.File", { "a b": 1, content: "x" }), { tools })).toThrow(/no XML name/);
  expect(build(custom("a.b:c", { "a b": "\u0000" }))).toContain('{"a b":"\\u0000"}');
});
