import type { ToolDefinition } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindPlan, parse } from "../src/index.ts";
import { blockOfLines, readChunks } from "./read-chunks.ts";

const command = "command:»»»W«««";
const two = ["command_1:»»»W«««", "path_1:»»»a«««"];
const second = ["command_2:»»»X«««", "path_2:»»»b«««"];

/** The lines of a block that a doubt lies on. */
function doubted(lines: string[], tools?: ToolDefinition[]): string[] {
  const text = blockOfLines(...lines);
  const { diagnostics } = parse(text, tools ? { tools } : {});
  expect(readChunks(text.split(""), tools ? { tools } : {}).result.diagnostics).toEqual(diagnostics);
  const spans = diagnostics.filter(({ affects }) => affects === "value").map(({ span }) => span);
  let at = text.indexOf("\n") + 1;
  return lines.filter((line) => {
    const [start, end] = [at, at + line.length];
    at = end + 1;
    return spans.some((span) => span.start < end && span.end > start);
  });
}

describe("a field may be commented out", () => {
  it.each(["//", "--", "%", '"', "!", "~", "@", "/*", "-", "*", "–"])("by %s before its key", (sign) => {
    const lines = second.map((line) => `${sign} ${line}`);
    expect(doubted([...two, ...lines])).toEqual(lines);
    const { blocks } = parse(blockOfLines(...two, ...lines));
    expect(blocks[0]?.steps.map(({ tool, params }) => [tool, { ...params }])).toEqual([
      ["W", { path: "a" }],
      ["X", { path: "b" }],
    ]);
    expect(parse(blockOfLines(...two, ...lines), { strict: true }).blocks[0]?.status).toBe("invalid");
  });

  it.each([
    ["/*", "*/"], ["<!--", "-->"], ["{-", "-}"], ['"""', '"""'], ["--[[", "]]"], ["(*", "*)"], ["<#", "#>"], ["#|", "|#"],
    ["/* old:", "old */"], ["=begin", "=end"], ["<!-- skip", "and go on -->"], ["\\iffalse", "\\fi"], ["{% comment %}", "{% end %}"],
  ])("between lines of signs: %s and %s", (open, close) => {
    expect(doubted([...two, open, ...second, close, "command_3:»»»Y«««"])).toEqual(expect.arrayContaining(second));
    expect(doubted([...two, open, ...second, close, "command_3:»»»Y«««"])).not.toContain("command_3:»»»Y«««");
    expect(doubted([...two, open, ...second, close])).not.toContain(two[0]);
  }); // biome-ignore format: one list

  it("by a sign before its key and one behind another's closer", () => {
    const lines = ["/* b:»»»1«««", "c:»»»2«««", "d:»»»3««« */"];
    expect(doubted([command, ...lines, "e:»»»4«««"])).toEqual(lines);
  });

  it("behind an opening sign alone, but not behind a rule across the page", () => {
    expect(doubted([...two, "/*", ...second])).toEqual(["/*", ...second]);
    for (const rule of ["---", "***"]) expect(doubted([...two, rule, ...second])).toEqual([]);
  });

  it.each([
    ["lists", ["- command:»»»W«««", "- path:»»»a«««"]],
    ["lists of steps", ["* command_1:»»»W«««", "  path_1:»»»a«««", "* command_2:»»»X«««", "  path_2:»»»b«««"]],
    ["keys in emphasis and quotes", [command, "**path**:»»»a«««", "`mode`:»»»b«««", '"x y":»»»c«««', "- **z**:»»»d«««".slice(2)]],
    ["comments with words", [command, "# ---", "# first", "path:»»»a«««", "# /* no */", "mode:»»»b«««"]],
    ["prose", [command, "Now the path.", "path:»»»a«««", "And so on.", "mode:»»»b«««"]],
    ["headings in emphasis", [...two, "**Step 2**", ...second, "**Step 3**", "command_3:»»»Y«««"]],
  ])("is not in doubt for %s", (_, lines) => expect(doubted(lines)).toEqual([])); // biome-ignore format: one case a line
});

describe("a key that no model would give a parameter", () => {
  it.each([
    "A field looks like path", 'see "path', "What is it? path", "Use the `x` and path", "请看一下这个字段的写法", "Don’t write path",
    "It ends. Then path", "first second third fourth fifth",
  ])("puts its value and the one before in doubt: %s", (key) => {
    expect(doubted([command, "mode:»»»x«««", "content:»»»y«««", `${key}:»»»z«««`])).toEqual(["content:»»»y«««", `${key}:»»»z«««`]);
    expect(doubted([command, `${key}:»»»z«««`])).toEqual([`${key}:»»»z«««`]);
  }); // biome-ignore format: one list

  it.each(["File Path 1", "type hint search string 2", "file.path", "每日报告输出目录", "a--b..c  d", "ファイルのパス"])("is not %s", (key) => {
    expect(parse(blockOfLines("command_1:»»»W«««", "command_2:»»»W«««", `${key}:»»»text«««`)).blocks[0]?.warnings).toEqual([]);
  }); // biome-ignore format: one list

  it("is any that the tool does not declare, behind a closer", () => {
    const schema = { type: "object" as const, properties: { path: {}, content: {} } };
    const tools = [{ name: "W", description: "", inputSchema: schema }];
    expect(doubted([command, "path:»»»a«««", "content:»»»x«««", "note:»»»y«««"], tools)).toEqual([
      "content:»»»x«««",
      "note:»»»y«««",
    ]);
    expect(doubted([command, "note:»»»y«««"], tools)).toEqual([]);
    const open = [{ name: "W", description: "", inputSchema: { ...schema, additionalProperties: true } }];
    expect(doubted([command, "path:»»»a«««", "note:»»»y«««"], open)).toEqual([]);
  });
});

describe("what stands at the edges of a value", () => {
  it.each(["`a.txt`", "“a”", "**a**", "\u200ba", "a\u2060", "「a」", "'a'", '"a"', "*a*", "«a»".replace("«", "‹").replace("»", "›")])(
    "is kept, and in doubt, on one line: %s",
    (text) => {
      for (const field of [`path:»»»${text}«««`, `uri_path:»»»${text}«««`, `common_path:»»»${text}«««`])
        for (const gap of ["", " "]) expect(doubted([command, field.replace(text, gap + text + gap)])).toHaveLength(1);
      expect({ ...parse(blockOfLines(command, `path:»»»${text}«««`)).blocks[0]?.steps[0]?.params }).toEqual({ path: text });
    },
  ); // biome-ignore format: one list

  it("is nobody's doubt in a body, in JSON, and in words that are not wrapped", () => {
    const json = ["type_hint_path:»»»json«««", 'path:»»»"a"«««'];
    for (const lines of [["path:»»»", "`a`", "`b`", "«««"], ["path:»»»'a' or 'b'«««"], ["path:»»»__init__«««"], ["path:»»»**/*.ts«««"], json])
      expect(doubted([command, ...lines])).toEqual([]);
    expect(doubted([command, ...json].reverse())).toEqual([]);
  }); // biome-ignore format: one list

  it.each([
    ["\u200b\ncat <<E\nx\nE\n", "cat <<E\nx\nE"],
    ["\n\ufeffimport os\nx\u200b\n", "import os\nx"],
    ["\u2060a\n  b\u200b\n\u200b", "a\n  b"],
    ["\n\u200b    a\nb\n", "    a\nb"],
    ["\u200b\na\n", "a"],
  ])("goes from a body when nobody sees it: %j", (body, text) => {
    const { blocks, diagnostics } = parse(blockOfLines(command, `a:»»»${body}«««`));
    expect(blocks[0]?.steps[0]?.params.a).toBe(text);
    expect(diagnostics.map(({ code, affects }) => [code, affects])).toEqual([["tam/invisible-characters", "none"]]);
  });

  it("makes no line of a block", () => {
    const lines = [
      "\u200b",
      "　　command:»»»W«««",
      "\u200b\u3000",
      "\u00a0path:»»»a«««\u200b",
      "　　text:»»»",
      "　　x",
      "　　　y",
      "　　«««",
    ];
    const { blocks, diagnostics } = parse(blockOfLines(...lines));
    expect([{ ...blocks[0]?.steps[0]?.params }, diagnostics]).toEqual([{ path: "a", text: "x\n　y" }, []]);
  });
});

describe("layout of a value", () => {
  it.each([
    ["\n    indented = 1\nlast line\n", "    indented = 1\nlast line"],
    ["    indented = 1\nlast line\n\n", "    indented = 1\nlast line\n"],
    ["\n\n\tx\n\ny\n\n", "\n\tx\n\ny\n"],
    ["\r\n  x\r\ny\r\n  ", "  x\ny"],
    [" x\ny ", "x\ny"],
    ["\n  x  \n", "x"],
    ["\nx\n\n", "x\n"],
    ["\n\n", ""],
    ["\n\n\n", "\n"],
    [" \t ", ""],
    ["\n　　x\n　y\n", "　　x\n　y"],
  ])("%j is %j", (body, text) => {
    for (const lines of [[command, `a:»»»${body}«««`], [command, `a:»»»${body}«««`, "b:»»»z«««"]]) {
      const whole = readChunks([blockOfLines(...lines)]);
      expect(whole.result.blocks[0]?.steps[0]?.params.a).toBe(text);
      expect(whole.result.diagnostics).toEqual([]);
      expect(readChunks(blockOfLines(...lines).split(""))).toEqual(whole);
    }
  }); // biome-ignore format: one list
});

it("reads a JSON string under a hint as the text it says, and binds it whatever the schema", () => {
  const tools = [{ name: "W", description: "", inputSchema: { type: "object" as const, properties: { n: { type: "integer" as const }, s: { type: "string" as const, "x-preserve-whitespace": true } } } }];
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 12 }), fc.boolean(), (text, isNumber) => {
      const json = JSON.stringify(isNumber ? "5" : text).replace(/[«»《》<>]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
      const [block] = parse(blockOfLines(command, "type_hint_s:»»»json«««", `s:»»»${json}«««`, "type_hint_n:»»»json«««", `n:»»»${json}«««`), { tools }).blocks;
      const params = { s: isNumber ? "5" : text, n: isNumber ? "5" : text };
      expect([{ ...block?.steps[0]?.params }, { ...block?.steps[0]?.typeHints }, block?.status]).toEqual([params, {}, "complete"]);
      expect(block && bindPlan(block, tools).steps[0]?.params).toEqual(params);
    }),
  );
  const late = parse(blockOfLines(command, 's:»»»"x"«««', "type_hint_s:»»»json«««")).blocks[0];
  expect([late?.steps[0]?.params.s, late?.steps[0]?.typeHints.s, late && bindPlan(late).steps[0]?.params.s]).toEqual(['"x"', "json", "x"]);
}); // biome-ignore format: short lines say less
