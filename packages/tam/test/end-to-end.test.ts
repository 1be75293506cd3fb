import type { JsonSchema, Plan, ToolDefinition, ToolResult } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bindPlan } from "../src/bind-plan.ts";
import { parse } from "../src/parse.ts";
import { explain, formatResults } from "../src/results.ts";
import type { TamBlock } from "../src/types.ts";

const tool = (name: string, properties: Record<string, JsonSchema>, required: string[] = []): ToolDefinition => ({
  name,
  description: "",
  inputSchema: { type: "object", properties, required },
});
const text: JsonSchema = { type: "string" };
const tools = [
  tool("File.ApplyEdit", { filePath: text, searchString: text, replaceString: text }, ["filePath"]),
  tool("ImageTool.Generate", { prompt: text, outputUri: text }, ["prompt"]),
  tool("File.Append", { file_path: text, content: text }, ["file_path", "content"]),
  tool("File.Write", { file_path: text, content: { type: "string", "x-preserve-whitespace": true } }, ["file_path"]),
  tool("Report.Build", { payload: { type: "object" }, output_dir: text, pages: { type: "integer" } }, ["payload"]),
];
const block = (...fields: string[]): string => ["<|[REQUEST_TOOL]|>", ...fields, "<|[END_TOOL]|>", ""].join("\n");

/** The plan of a text's one block: the same, but for names in errors, whether the parser had the tools or not. */
function planOf(answer: string): Plan {
  const { blocks } = parse(answer);
  expect(blocks).toHaveLength(1);
  const plan = bindPlan(blocks[0] as TamBlock, tools);
  const early = parse(answer, { tools }).blocks[0] as TamBlock;
  const strip = ({ common, steps }: Plan): unknown => ({
    common,
    steps: steps.map(({ callId: _, errors, ...step }) => ({ ...step, errors: errors.length })),
  });
  expect(strip(bindPlan(early, tools))).toEqual(strip(plan));
  return plan;
}
const errorsOf = (answer: string): string[][] =>
  planOf(answer).steps.map(({ errors }) => errors.map(({ message }) => message));

it("should plan a single call", () => {
  const plan = planOf(
    block(
      "command:»»»File.ApplyEdit«««",
      "file_path:»»»/path/to/main.js«««",
      'search_string:»»»console.log("old");«««',
      'replace_string:»»»console.log("new");«««',
    ),
  );
  expect(plan).toMatchObject({
    common: {},
    steps: [
      {
        index: 1,
        tool: "File.ApplyEdit",
        params: {
          filePath: "/path/to/main.js",
          searchString: 'console.log("old");',
          replaceString: 'console.log("new");',
        },
        onError: "stop",
        retry: 0,
        errors: [],
      },
    ],
  });
});

it("should plan a workflow of several steps", () => {
  const plan = planOf(
    block(
      "request_id:»»»req-20250805-report«««",
      "common_output_dir:»»»fam://project-x/reports/today«««",
      "comment:»»»生成每日报告的完整流程«««",
      "",
      "# 步骤 1: 异步生成封面图，如果失败则跳过",
      "command_1:»»»ImageTool.Generate«««",
      "on_error_1:»»»continue«««",
      "prompt_1:»»»一只戴着宇航头盔的猫头鹰，赛博朋克风格«««",
      "output_uri_1:»»»@{common_output_dir}/cover.png«««",
      "",
      "# 步骤 2: 同步写日志",
      "command_2:»»»File.Append«««",
      "file_path_2:»»»@{common_output_dir}/run.log«««",
      "content_2:»»»-- Report generation started at @{timestamp} --«««",
      "",
      "# 步骤 3: 构建最终报告",
      "command_3:»»»Report.Build«««",
      "type_hint_payload_3:»»»json«««",
      "payload_3:»»»",
      "{",
      '  "title": "每日运营报告",',
      '  "coverImageUri": "@{common_output_dir}/cover.png"',
      "}",
      "«««",
    ),
  );
  expect(plan.requestId).toBe("req-20250805-report");
  expect(plan.steps.map(({ index, tool: name, onError, errors }) => [index, name, onError, errors])).toEqual([
    [1, "ImageTool.Generate", "continue", []],
    [2, "File.Append", "stop", []],
    [3, "Report.Build", "stop", []],
  ]);
  expect(plan.steps.map(({ params }) => params)).toEqual([
    { prompt: "一只戴着宇航头盔的猫头鹰，赛博朋克风格", outputUri: "@{common_output_dir}/cover.png" },
    { file_path: "@{common_output_dir}/run.log", content: "-- Report generation started at @{timestamp} --" },
    {
      payload: { title: "每日运营报告", coverImageUri: "@{common_output_dir}/cover.png" },
      output_dir: "fam://project-x/reports/today",
    },
  ]);
});

it("should plan what is written loosely", () => {
  const plan = planOf(
    "<|[REQUEST_TOOL]|>\n  # 我的计划\n  Command_1: >>>File.Append<<<\n  File-Path 1:»»» /logs/today.log «««\n  CONTENT1:»»»start…\n  another line«««\n<|[END_TOOL]|>",
  );
  expect(plan.steps[0]).toMatchObject({
    tool: "File.Append",
    params: { file_path: "/logs/today.log", content: "start…\nanother line" },
    errors: [],
  });
});

it("should give text as written where the schema asks for it", () => {
  const plan = planOf(block("command:»»»File.Write«««", "file_path:»»» a «««", "content:»»»\n\n  x\n\n«««"));
  expect(plan.steps[0]?.params).toEqual({ file_path: "a", content: "\n  x\n" });
});

it.each<[string, string[], string[]]>([
  ["an unknown tool", ["command_1:»»»File.Wirte«««"], ['There is no tool "File.Wirte". Did you mean "File.Write"?']],
  [
    "an unknown parameter",
    ["command_1:»»»File.Write«««", "file_path_1:»»»a«««", "contnet_1:»»»b«««"],
    ['File.Write has no parameter "contnet". Did you mean "content"?'],
  ],
  ["a missing parameter", ["command_1:»»»File.Write«««"], ['File.Write needs the parameter "file_path".']],
  [
    "a wrong value",
    ["command_1:»»»Report.Build«««", "payload_1:»»»{}«««", "pages_1:»»»many«««"],
    ['Report.Build, pages: expected integer, got "many"'],
  ],
])("should say %s once, on its step", (_name, fields, messages) => {
  const other = ["command_2:»»»File.Write«««", "file_path_2:»»»a«««"];
  expect(errorsOf(block(...fields, ...other))).toEqual([messages, []]);
});

it.each<[string, string[], RegExp]>([
  ["a hint that does not fit", ["type_hint_payload_1:»»»json«««", 'payload_1:»»»{"a":,}«««'], /position 5/],
  [
    "a hint that does not fit, under other names",
    ["type_hint_PAYLOAD_1:»»»json«««", "payload_1:»»»[«««", "output-dir_1:»»»x«««"],
    /position 1 /,
  ],
  ["a reference besides a value", ["payload_1:»»»{}«««", "uri_payload_1:»»»fam://x«««"], /uri_payload/],
  ["a retry that is none", ["payload_1:»»»{}«««", "retry_1:»»»often«««"], /retry/],
])("should say %s once, on its step", (_name, fields, message) => {
  for (const name of ["Report.Build", "report_build"]) {
    const [errors] = errorsOf(block(`command_1:»»»${name}«««`, ...fields));
    expect(errors).toEqual([expect.stringMatching(message)]);
  }
});

it("should leave to the results what is wrong with single steps", () => {
  const answer = block(
    "command_1:»»»File.Wirte«««",
    "command_2:»»»File.Write«««",
    "path_2:»»»a«««",
    "retry_2:»»»99«««",
  );
  expect(explain(parse(answer, { tools }), { source: answer })).toBeUndefined();
});

/** What a `<|[TOOL_RESULT]|>` says, read by the parser of requests. */
function readBack(written: string): TamBlock {
  const request = written
    .replace("<|[TOOL_RESULT]|>", "<|[REQUEST_TOOL]|>\ncommand_1:»»»r«««\ncommand_2:»»»r«««\ncommand_3:»»»r«««")
    .replace(/<\|\[END_RESULT\]\|>\n$/, "<|[END_TOOL]|>\n");
  const { blocks, segments } = parse(request);
  expect([blocks.length, segments.length]).toEqual([1, 1]);
  return blocks[0] as TamBlock;
}

it("should read results back as they were written, whatever they hold", () => {
  const nasty = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "«««",
          "»»»",
          "««««",
          "«",
          "»",
          "<<<",
          ">>>",
          "《《",
          "》》",
          "\n",
          "\n",
          " ",
          "\t",
          "\nkey_1:»»»",
          "status_2:>>>",
          "x = 》》》",
          "# c\n",
          "<|[END_TOOL]|>\n",
          "<|[END_RESULT]|>\n",
          "<|[REQUEST_TOOL]|>\n",
          "```\n",
          "<think>",
          "\u200b",
          "中",
          ":",
        ),
        fc.string({ unit: "grapheme-ascii", maxLength: 4 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 3 }), (values) => {
      const results = values.map((data): ToolResult => ({ callId: "c", status: "ok", content: [], data }));
      const read = readBack(formatResults(results));
      // A result is not a call: what its texts begin and end with is nobody's doubt.
      expect(read.diagnostics.filter(({ code }) => !/dressed|invisible/.test(code))).toEqual([]);
      for (const [at, value] of values.entries()) {
        expect(read.steps[at]?.params.status).toBe("ok");
        const raw = read.steps[at]?.raw.result ?? "";
        const own = raw.replace(/^\n/, "").replace(/\n$/, "");
        expect(own.replaceAll("\u200b", "")).toBe(value.replaceAll("\u200b", ""));
      }
    }),
    { numRuns: 2000 },
  );
});

it("should bind whatever was read, and never throw", () => {
  const piece = fc.constantFrom(
    "command_1:»»»",
    "command_2: >>>",
    "File.Write",
    "file_append",
    "Report.Build",
    "«««\n",
    "<<<\n",
    "file_path_1:»»»",
    "filePath_1:»»»",
    "uri_file_path_1:»»»",
    "common_file_path:»»»",
    "common_payload:»»»",
    "type_hint_payload_1:»»»json",
    "type_hint_content_1:»»»base64",
    "content_1:»»»",
    "payload_1:»»»",
    "pages_2:»»»",
    "retry_1:»»»",
    "__proto___1:»»»",
    '{"a": [1]}',
    "12",
    "text",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), fc.boolean(), (pieces, knows) => {
      const { blocks } = parse(`<|[REQUEST_TOOL]|>\n${pieces.join("")}\n<|[END_TOOL]|>\n`, knows ? { tools } : {});
      for (const read of blocks)
        for (const step of [...bindPlan(read, tools).steps, ...bindPlan(read).steps]) {
          expect(new Set(step.errors.map(({ message }) => message)).size).toBe(step.errors.length);
          expect(step.errors.slice(0, read.steps.find(({ index }) => index === step.index)?.errors.length)).toEqual(
            read.steps.find(({ index }) => index === step.index)?.errors,
          );
        }
    }),
    { numRuns: 1000 },
  );
});
