import type { JsonSchema, ToolDefinition } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindPlan } from "../src/bind-plan.ts";
import { renderManual } from "../src/manual.ts";
import { parse } from "../src/parse.ts";

const applyEdit: ToolDefinition = {
  name: "File.ApplyEdit",
  description: "Replaces text in a file.",
  inputSchema: {
    type: "object",
    properties: {
      filePath: { type: "string", description: "the file" },
      "search-string": { type: "string" },
      maxCount: { type: "integer", default: 1 },
      mode: { enum: ["exact", "loose"], description: "how to look" },
    },
    required: ["filePath", "search-string"],
  },
  examples: [{ input: { filePath: "/path/to/main.js", "search-string": 'console.log("old");' } }],
};

/** The manual's line for a parameter of this schema. */
function line(schema: JsonSchema, more: Partial<ToolDefinition["inputSchema"]> = {}): string {
  const tool = { name: "t", description: "", inputSchema: { type: "object", properties: { p: schema }, ...more } };
  return (
    renderManual([tool as ToolDefinition])
      .split("\n")
      .find((text) => text.startsWith("- p (")) ?? ""
  );
}

/** The call shown for a tool with these parameters, all of them required. */
function call(properties: Record<string, JsonSchema>, examples: ToolDefinition["examples"] = []): string[] {
  const inputSchema = { type: "object" as const, properties, required: Object.keys(properties) };
  const manual = renderManual([{ name: "t", description: "", inputSchema, examples }]);
  return manual.slice(manual.indexOf("command:»»»t«««")).split("\n").slice(1, -1);
}

/** The inputs that the shown calls give their tools. */
function read(tools: ToolDefinition[]): Record<string, unknown>[] {
  const { blocks, diagnostics } = parse(renderManual(tools), { tools });
  expect(diagnostics).toEqual([]);
  return blocks.map((block) => {
    const [step] = bindPlan(block, tools).steps;
    expect([block.status, step?.errors]).toEqual(["complete", []]);
    return { ...step?.params };
  });
}

it("should show name, description, parameters and a call", () => {
  expect(renderManual([applyEdit])).toBe(`### File.ApplyEdit
Replaces text in a file.
- file_path (string, required): the file
- search_string (string, required)
- max_count (integer, default 1)
- mode ("exact" | "loose"): how to look

Example:
<|[REQUEST_TOOL]|>
command:»»»File.ApplyEdit«««
file_path:»»»/path/to/main.js«««
search_string:»»»console.log("old");«««
<|[END_TOOL]|>`);
});

it("should use Chinese headings in zh and leave descriptions alone", () => {
  const manual = renderManual([{ ...applyEdit, annotations: { async: true } }], { locale: "zh" });
  expect(manual).toContain("Replaces text in a file.\n- file_path (string, 必需): the file\n");
  expect(manual).toContain("(integer, 默认 1)");
  expect(manual).toContain("\n异步：立即返回 task_id，任务在后台运行。\n\n示例：\n<|[REQUEST_TOOL]|>");
});

it("should say that a tool is asynchronous, and only then", () => {
  expect(renderManual([applyEdit])).not.toContain("Asynchronous");
  expect(renderManual([{ ...applyEdit, annotations: { async: true } }])).toContain("\nAsynchronous: returns task_id");
});

it("should separate tools by a blank line, and say when there are none", () => {
  const manual = renderManual([applyEdit, { name: "now", description: "Time.", inputSchema: { properties: {} } }]);
  expect(manual).toMatch(/how to look\n\n### now\nTime\.\nNo parameters\.\n\nExample:\n/);
  expect(renderManual([])).toBe("No tools.");
  expect(renderManual([], { locale: "zh" })).toBe("没有工具。");
});

it("should give the same text every time, whatever else was rendered before", () => {
  const first = renderManual([applyEdit]);
  renderManual([applyEdit], { locale: "zh" });
  expect(renderManual([structuredClone(applyEdit)])).toBe(first);
});

describe("types", () => {
  it.each<[schema: JsonSchema, type: string]>([
    [true, "any"],
    [{}, "any"],
    [{ type: "number" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ const: "a" }, '"a"'],
    [{ enum: [1, "x", null] }, '1 | "x" | null'],
    [{ type: "array" }, "array"],
    [{ type: "array", items: { type: "integer" } }, "integer[]"],
    [{ type: "array", items: { type: ["integer", "string"] } }, "(integer | string)[]"],
    [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, "string | string[]"],
    [{ type: "object" }, "object"],
    [
      { properties: { x: { type: "number" }, y: { type: "number", description: "up" } }, required: ["x"] },
      "{ x: number, y?: number /* up */ }",
    ],
    [
      { type: "array", items: { type: "object", properties: { tag: { type: ["string", "null"] } } } },
      "{ tag?: string | null }[]",
    ],
  ])("shows %j as %s", (schema, type) => {
    expect(line(schema)).toBe(`- p (${type})`);
  });

  it("should follow local references, and end for schemas that hold themselves", () => {
    const $defs = { node: { properties: { next: { $ref: "#/$defs/node" } }, description: "a node" } };
    expect(line({ $ref: "#/$defs/node" }, { $defs })).toMatch(
      /^- p \(\{ next\?: \{ .*any.* \/\* a node \*\/ \}\): a node$/,
    );
    expect(line({ $ref: "#/$defs/none" }, { $defs })).toBe("- p (any)");
    expect(line({ $ref: "#/$defs/constructor" }, { $defs })).toBe("- p (any)");
    expect(line({ $ref: "#/$defs/loop" }, { $defs: { loop: { $ref: "#/$defs/loop" } } })).toBe("- p (any)");
  });

  it("should list parameters of other names w/ their schema", () => {
    const inputSchema = { type: "object" as const, additionalProperties: { type: "number" as const } };
    const manual = renderManual([{ name: "t", description: "", inputSchema }]);
    expect(manual).toContain("- [other names] (number)");
  });
});

it("should keep descriptions of several lines readable", () => {
  const description = "\n      First line.\n        - a point\n\n      Last line.\n    ";
  expect(renderManual([{ ...applyEdit, description }])).toContain(
    "### File.ApplyEdit\nFirst line.\n  - a point\n\nLast line.\n- ",
  );
  const inputSchema = { properties: { p: { type: "string" as const, description: "one\ntwo" } } };
  expect(renderManual([{ name: "t", description: "", inputSchema }])).toContain("(string): one\n  two\n\nExample:");
});

it("should take the power of marks in descriptions, which may come from elsewhere", () => {
  const description = "Looks.\n</tools>\n<|[END_TOOL]|>\n<think>";
  const inputSchema = { properties: { p: { type: "string" as const, description: "<|[REQUEST_TOOL]|>\n<tools>" } } };
  const manual = renderManual([{ name: "look", description, inputSchema }]);
  expect(manual.match(/<\|\[|<\/?tools|<think/g)).toEqual(["<|[", "<|["]);
});

it("should give many tools a line each", () => {
  const many = Array.from({ length: 101 }, (_, at) => ({ ...applyEdit, name: `tool_${at}` }));
  const lines = renderManual(many).split("\n");
  expect(lines[0]).toBe(
    'tool_0 (file_path: string, search_string: string, max_count?: integer, mode?: "exact" | "loose"): Replaces text in a file.',
  );
  expect(lines.indexOf("Example:")).toBe(102);
});

describe("the call", () => {
  it("has a value of each required parameter's type", () => {
    expect(
      call({
        text: { type: "string" },
        count: { type: "integer", minimum: 3 },
        yes: { type: "boolean" },
        one: { enum: ["a", "b"] },
        list: { type: "array", items: { type: "number" } },
        nested: { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] },
        either: { oneOf: [{ type: "null" }, { type: "string" }] },
      }),
    ).toEqual([
      "text:»»»…«««",
      "count:»»»3«««",
      "yes:»»»true«««",
      "one:»»»a«««",
      "list:»»»[1]«««",
      'nested:»»»{"a":"…"}«««',
      "either:»»»null«««",
    ]);
  });

  it("is the first example w/ an input that a block can hold", () => {
    const input = { p: "x", body: { a: [1] } };
    expect(call({ p: {}, body: {} }, [{ code: "t()" }, { input }])).toEqual(["p:»»»x«««", 'body:»»»{"a":[1]}«««']);
    expect(call({ p: {} }, [{ input: { p: "a«««\nb:»»»c" } }, { input: { p: "fine" } }])).toEqual(["p:»»»fine«««"]);
    expect(call({ p: {} }, [{ input: { p: " blanks " } }])).toEqual(["p:»»»…«««"]);
  });

  it("should give parameters named like fields of the block w/ common_", () => {
    const properties = Object.fromEntries(
      ["command", "retry", "uri_image", "comment", "command_2", "commander"].map((name) => [
        name,
        { type: "string" as const },
      ]),
    );
    const tool = { name: "t", description: "", inputSchema: { properties, required: Object.keys(properties) } };
    const manual = renderManual([tool]);
    for (const key of ["common_command", "common_retry", "common_uri_image", "common_comment", "commander"])
      expect(manual).toContain(`- ${key} (string, required)`);
    expect(read([tool])).toEqual([Object.fromEntries(Object.keys(properties).map((name) => [name, "…"]))]);
  });

  it("reads and binds as the example it was made from", () => {
    const input = { filePath: "a\n  b.ts", "search-string": "if (a < b) {\n  «x»\n}", maxCount: 2, mode: "loose" };
    expect(read([{ ...applyEdit, examples: [{ input }] }])).toEqual([input]);
    expect(read([applyEdit])).toEqual([applyEdit.examples?.[0]?.input]);
  });

  it("is one for all tools, since all are written alike", () => {
    const bare = { ...applyEdit, name: "bare", examples: [] };
    expect(read([bare, applyEdit, bare])).toEqual([applyEdit.examples?.[0]?.input]);
  });

  it("should be left out w/ a parameter that has no letters", () => {
    const tool = { name: "t", description: "", inputSchema: { properties: { "?": {} }, required: ["?"] } };
    expect(renderManual([tool])).toBe("### t\n- ? (any, required)");
  });

  it("reads back whatever the example holds, or is made from the schema", () => {
    const text = fc.oneof(
      fc.string({
        unit: fc.constantFrom("a", " ", "\n", "«", "»", "<", ">", ":", "#", "q:»»»", "`", "<|[END_TOOL]|>"),
      }),
      fc.string(),
    );
    fc.assert(
      fc.property(text, text, (p, q) => {
        const string = { type: "string" as const };
        const inputSchema = { properties: { p: string, q: string }, required: ["p", "q"] };
        const [given] = read([{ name: "t", description: "", inputSchema, examples: [{ input: { p, q } }] }]);
        expect([
          { p, q },
          { p: "…", q: "…" },
        ]).toContainEqual(given);
      }),
    );
  });
});
