import type { JsonSchema, ToolDefinition } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtInTags } from "../src/built-in-tags.ts";
import { renderManual } from "../src/manual.ts";
import { parse } from "../src/parse.ts";
import type { ToolsXmlCall } from "../src/types.ts";

const search: ToolDefinition = {
  name: "search_web",
  description: "Searches the web.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "what to look for" },
      maxResults: { type: "integer", default: 5 },
      sites: { type: "array", items: { type: "string" } },
      order: { enum: ["new", "best"] },
    },
    required: ["query"],
  },
  examples: [{ code: "search_web()" }, { input: { query: "R&D", maxResults: 3, sites: ["a.org", "b.org"] } }],
};

const writeFile: ToolDefinition = {
  name: "write_file",
  description: "Writes a file.",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      content: { type: "string", "x-raw-body": true, description: "the whole file" },
    },
    required: ["path", "content"],
  },
  annotations: { async: true },
  examples: [{ input: { path: "a.ts", tags: ["x"], content: "if (a < b && c) {\n  <T>d();\n}" } }],
};

const builtIns = [...builtInTags.keys()].map(
  (name): ToolDefinition => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } }),
);

/** The calls that a manual shows, read with its own tools. */
function callsOf(tools: readonly ToolDefinition[], locale: "zh" | "en" = "en"): object[] {
  const { blocks, diagnostics } = parse(renderManual(tools, { locale }), { tools });
  expect(diagnostics).toEqual([]);
  expect(blocks.map(({ status }) => status)).toEqual(tools.map(() => "complete"));
  return blocks.flatMap(({ calls }) => calls.map(({ span, ...call }: ToolsXmlCall) => call));
}

/** The call made for a tool with these parameters, all of them required. */
function madeCall(properties: Record<string, JsonSchema>, input?: Record<string, unknown>): unknown {
  const inputSchema = { type: "object" as const, properties, required: Object.keys(properties) };
  const tool = { name: "t", description: "", inputSchema, ...(input && { examples: [{ input }] }) };
  const [call] = callsOf([tool]);
  return (call as { input: unknown }).input;
}

it("should show name, description, parameters and a call", () => {
  expect(renderManual([search])).toBe(`### search_web
Searches the web.
Parameters:
- query (string, required): what to look for
- maxResults (integer, default 5)
- sites (string[])
- order ("new" | "best")
Example:
<tools>
  <search_web maxResults="3">
    <query><![CDATA[R&D]]></query>
    <sites>a.org</sites>
    <sites>b.org</sites>
  </search_web>
</tools>`);
});

it("should show a raw body as the element's body, unescaped", () => {
  expect(renderManual([writeFile])).toBe(`### write_file
Writes a file.
Parameters:
- path (string, required)
- tags (string[])
- content (string, required, raw body): the whole file
Asynchronous: returns task_id at once, its task runs in the background.
Example:
<tools>
  <write_file path="a.ts" tags="[&quot;x&quot;]">
if (a < b && c) {
  <T>d();
}
</write_file>
</tools>`);
});

it("should use Chinese headings in zh and leave descriptions alone", () => {
  const manual = renderManual([writeFile], { locale: "zh" });
  expect(manual).toContain("Writes a file.\n参数：\n- path (string, 必需)\n");
  expect(manual).toContain("- content (string, 必需, 原样正文): the whole file\n");
  expect(manual).toContain("\n异步：立即返回 task_id，任务在后台运行。\n示例：\n<tools>");
});

it("should separate tools by a blank line, and say when there are none", () => {
  const manual = renderManual([search, { name: "now", description: "Time.", inputSchema: {} }]);
  expect(manual).toMatch(/<\/tools>\n\n### now\nTime\.\nNo parameters\.\nExample:\n<tools>\n {2}<now\/>\n<\/tools>$/);
  expect(renderManual([])).toBe("No tools.");
  expect(renderManual([], { locale: "zh" })).toBe("没有工具。");
});

it("should keep descriptions of several lines readable", () => {
  const description = "\n      First line.\n        - a point\n\n      Last line.\n    ";
  expect(renderManual([{ ...search, description }])).toContain(
    "### search_web\nFirst line.\n  - a point\n\nLast line.\nParameters:\n",
  );
});

describe("built-in tags", () => {
  it("are described as the specification has them, whatever their schema", () => {
    const manual = renderManual(builtIns);
    for (const mark of [
      "### command\nDoes command.\n",
      "timeout? (seconds), cwd?",
      'all="true"',
      "<search pattern",
      "$KARYI{key}",
      "reason (told to the user)",
      "\\n is Enter",
      "<ctrl>c</ctrl>",
      '<mcp server="github" tool="create_issue">',
    ])
      expect(manual).toContain(mark);
    expect(manual).not.toContain("No parameters.");
  });

  it.each(["zh", "en"] as const)("have examples that read as calls (%s)", (locale) => {
    expect(callsOf(builtIns, locale)).toEqual([
      { tool: "command", script: "npm install && npm run build\nls dist" },
      {
        tool: "edit",
        files: [
          {
            src: "README.md",
            edits: [
              { find: "Project Alpha", replace: "Project Karyi" },
              { find: "a private project", replace: "an open-source project" },
            ],
          },
        ],
      },
      { tool: "read", files: [{ src: "src/" }, { src: "src/main.ts", from: 1, to: 80 }], searches: [] },
      { tool: "get_value", key: "NPM_TOKEN", reason: "To publish the package" },
      { tool: "input", data: "y\n" },
      { tool: "ctrl", key: "c" },
      { tool: "mcp", server: "github", name: "create_issue", arguments: { title: "Fix the build" } },
    ]);
  });
});

describe("the call of a declared tool", () => {
  it("reads back as the example it was made from", () => {
    expect(callsOf([search, writeFile])).toEqual([
      { tool: "custom", name: "search_web", input: search.examples?.[1]?.input },
      { tool: "custom", name: "write_file", input: writeFile.examples?.[0]?.input },
    ]);
    const input = { text: 'two\nlines & <b>"quotes"</b>', object: { a: [1, { b: "<" }] }, none: [], list: [1, 2] };
    const number = { type: "number" as const };
    expect(
      madeCall(
        {
          text: { type: "string" },
          object: { type: "object" },
          none: { type: "array" },
          list: { type: "array", items: number },
        },
        input,
      ),
    ).toEqual(input);
  });

  it("has a value of each required parameter's type when there is no example", () => {
    expect(
      madeCall({
        text: { type: "string" },
        count: { type: "integer", minimum: 3 },
        yes: { type: "boolean" },
        one: { enum: ["a", "b"] },
        list: { type: "array", items: { type: "number" } },
        nested: { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] },
      }),
    ).toEqual({ text: "…", count: 3, yes: true, one: "a", list: [1], nested: { a: "…" } });
  });

  it("should give everything but the raw body in attributes, w/o a body too", () => {
    const note = "a text of more than sixty characters, which stands in an element elsewhere";
    const tool = { ...writeFile, examples: [{ input: { path: note, tags: ["x", "y"] } }] };
    expect(callsOf([tool])).toMatchObject([{ input: { path: note, tags: ["x", "y"] } }]);
  });

  it("should be a JSON body w/ parameter names that XML can't hold", () => {
    expect(madeCall({ "my param": { type: "string" }, n: { type: "integer" } })).toEqual({ "my param": "…", n: 1 });
  });

  it("should refuse a tool name that can't be a tag w/ the cure", () => {
    expect(() => renderManual([{ ...search, name: "search web" }])).toThrow(TypeError);
    expect(() => renderManual([{ ...search, name: "a<b" }])).toThrow(/"a<b" can't be a tag: give the tool a name/);
    expect(renderManual([{ ...search, name: "搜索.web" }])).toContain("<搜索.web maxResults=");
  });

  it("reads back whatever the example holds", () => {
    const marks = ["a", " ", "\n", "<", ">", "&", "&lt;", "]]>", '"', "'", "</p>", "</t>", "<tools>", "[", "{", "é"];
    const text = fc.oneof(fc.string({ unit: fc.constantFrom(...marks) }), fc.string());
    const string = { type: "string" as const };
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 3 }), fc.boolean(), (p, q, list, raw) => {
        const properties = {
          p: { ...string, "x-raw-body": raw },
          q: string,
          list: { type: "array" as const, items: string },
        };
        const tool = { name: "t", description: "", inputSchema: { properties }, examples: [{ input: { p, q, list } }] };
        const { blocks, diagnostics } = parse(renderManual([tool]), { tools: [tool] });
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        expect(blocks.map(({ calls }) => calls.map((call) => call.tool === "custom" && call.input))).toEqual([
          [{ p, q, list }],
        ]);
      }),
    );
  });
});
