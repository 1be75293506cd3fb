import type { EndOptions } from "@toolglot/core";
import { cut } from "@toolglot/internal/testing/parsers";
import { describe, expect, it } from "vitest";
import { createParser, parse } from "../src/index.ts";
import { blockOfLines, readChunks } from "./read-chunks.ts";

const call = blockOfLines("command:»»»T«««", "a:»»»x«««");

describe("the examples of the specification", () => {
  it("one step", () => {
    const { blocks, diagnostics } = parse(
      blockOfLines(
        "command:»»»File.ApplyEdit«««",
        "file_path:»»»/path/to/main.js«««",
        'search_string:»»»console.log("old");«««',
        'replace_string:»»»console.log("new");«««',
      ),
    );
    expect(diagnostics).toEqual([]);
    expect(blocks).toMatchObject([
      {
        status: "complete",
        steps: [
          {
            index: 1,
            tool: "File.ApplyEdit",
            params: {
              file_path: "/path/to/main.js",
              search_string: 'console.log("old");',
              replace_string: 'console.log("new");',
            },
          },
        ],
      },
    ]);
  });

  it("several steps", () => {
    const { blocks, diagnostics } = parse(
      blockOfLines(
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
        '  "author": "咕咕"',
        "}",
        "«««",
      ),
    );
    expect(diagnostics).toEqual([]);
    expect(blocks).toMatchObject([
      {
        status: "complete",
        requestId: "req-20250805-report",
        comment: "生成每日报告的完整流程",
        comments: [
          { text: "步骤 1: 异步生成封面图，如果失败则跳过" },
          { text: "步骤 2: 同步写日志" },
          { text: "步骤 3: 构建最终报告" },
        ],
        common: { output_dir: "fam://project-x/reports/today" },
        steps: [
          {
            index: 1,
            tool: "ImageTool.Generate",
            onError: "continue",
            uris: {},
            params: {
              prompt: "一只戴着宇航头盔的猫头鹰，赛博朋克风格",
              output_uri: "@{common_output_dir}/cover.png",
            },
          },
          {
            index: 2,
            tool: "File.Append",
            onError: "stop",
            retry: 0,
            params: {
              file_path: "@{common_output_dir}/run.log",
              content: "-- Report generation started at @{timestamp} --",
            },
          },
          {
            index: 3,
            tool: "Report.Build",
            typeHints: { payload: "json" },
            params: { payload: '{\n  "title": "每日运营报告",\n  "author": "咕咕"\n}' },
          },
        ],
      },
    ]);
  });

  it("a sloppy block", () => {
    const { blocks } = parse(
      blockOfLines(
        "  # 我的计划",
        "  Command_1: >>>File.Write<<<",
        "  File-Path 1:»»» /logs/today.log «««",
        "  CONTENT1:»»»start…",
        "  another line«««",
      ),
    );
    expect(blocks[0]?.warnings).toEqual(["mixed_delimiters_used"]);
    expect(blocks[0]?.comments.map(({ text }) => text)).toEqual(["我的计划"]);
    expect(blocks[0]?.steps).toMatchObject([
      { index: 1, tool: "File.Write", params: { file_path: "/logs/today.log", content: "start…\nanother line" } },
    ]);
    expect(Object.keys(blocks[0]?.steps[0]?.params ?? {})).toEqual(["file_path", "content"]);
  });
});

describe("where a block begins and ends", () => {
  it.each([
    "<|[request_tool]|>\ncommand:»»»T«««\n<|[End_Tool]|>",
    "  <| [ REQUEST_TOOL ] |>\t\ncommand:»»»T«««\n\t<|[END_TOOL]|>  \r\n",
    "```\n<|[REQUEST_TOOL]|>\ncommand:»»»T«««\n<|[END_TOOL]|>\n```\n",
    "<|[REQUEST_TOOL]|>\n```\ncommand:»»»T«««\n```\n<|[END_TOOL]|>\n",
    "\ufeff<|[REQUEST_TOOL]|>\ncommand:»»»T««« <|[END_TOOL]|>",
  ])("reads %j as one block", (text) => {
    const { blocks, diagnostics } = parse(text);
    expect([blocks.map(({ status }) => status), diagnostics]).toEqual([["complete"], []]);
    expect(blocks[0]?.steps[0]?.tool).toBe("T");
  });

  it.each([
    "say <|[REQUEST_TOOL]|> and",
    "`<|[REQUEST_TOOL]|>`\n",
    "<|[REQUEST_TOOL]|> command:»»»T«««\n",
    "<|[END_TOOL]|>\n",
  ])("finds none in %j", (text) => expect(parse(text).blocks).toEqual([]));

  it("keeps the text around blocks, and the fences with them", () => {
    const text = `One\n\`\`\`tam\n${call}\`\`\`\nTwo\n${call}Three`;
    expect(parse(text).segments.map(({ type, span }) => [type, text.slice(span.start, span.end)])).toEqual([
      ["text", "One\n"],
      ["block", `\`\`\`tam\n${call}\`\`\`\n`],
      ["text", "Two\n"],
      ["block", call],
      ["text", "Three"],
    ]);
  });

  it("ends a block before a made-up result, whose fields are none", () => {
    const open = call.slice(0, -15);
    const { blocks, diagnostics } = parse(`${open}<|[TOOL_RESULT]|>\nstatus_1:»»»ok«««\n<|[END_RESULT]|>\n${call}`);
    expect(blocks.map(({ steps }) => Object.keys(steps[0]?.params ?? {}))).toEqual([["a"], ["a"]]);
    expect(blocks.map(({ afterFabricatedResult }) => afterFabricatedResult)).toEqual([undefined, true]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["tam/unclosed-block", "core/fabricated-result"]);
  });

  it.each([
    "<tool_response>\nok\n</tool_response>",
    "[tool_result]\nok",
    "Result: ok",
    "<|im_start|>user\nyes",
    "User: yes",
  ])("marks a block whose second step stands behind a made-up %j", (result) => {
    const second = "command_2:»»»U«««\n";
    const text = blockOfLines("command_1:»»»T«««", "a_1:»»»x«««", `${result}\n${second}a_2:»»»y«««`);
    const read = parse(text);
    expect(read.blocks.map((one) => [one.steps.length, one.afterFabricatedResult])).toEqual([[2, true]]);
    expect(read.diagnostics.map(({ code }) => code)).toContainEqual(expect.stringMatching(/^core\/fabricated-/));
    for (const size of [1, 7]) expect(readChunks(cut(text, [size])).result).toEqual(read);
    const [one] = parse(text.replace(/command_2[\s\S]*(?=<\|\[END)/, "")).blocks;
    expect(one?.afterFabricatedResult).toBeUndefined();
  });

  it.each([
    ["the end", ""],
    ["the next block", call],
    ["a fence", "```\n"],
  ])("without an end marker, a block ends at %s", (_, next) => {
    const open = "<|[REQUEST_TOOL]|>\ncommand:»»»T«««\na:»»»x";
    const [whole] = parse(`\`\`\`\n${open}«««\n${next}`).blocks;
    expect([whole?.status, whole?.warnings, whole?.steps[0]?.params.a]).toEqual(["recovered", ["unclosed_block"], "x"]);
    const { blocks, diagnostics } = parse(`\`\`\`\n${open}\n${next}`);
    expect(blocks[0]?.status).toBe("truncated");
    expect(diagnostics.map(({ code, severity, affects }) => [code, severity, affects])).toEqual([
      ["tam/unclosed-block", "error", "value"],
      ["tam/unclosed-value", "warning", "value"],
      // What comes next may be text of the value that was not closed.
      ...(next === call ? [["tam/ambiguous-delimiter", "warning", "value"]] : []),
    ]);
  });
});

describe("how the message ended", () => {
  const status = (text: string, end?: EndOptions): string | undefined => {
    const parser = createParser();
    parser.feed(text);
    return parser.end(end).blocks[0]?.status;
  };
  const open = "<|[REQUEST_TOOL]|>\ncommand:»»»T«««\na:»»»x«««\n";

  it.each<[string, EndOptions | undefined, string]>([
    [open, undefined, "recovered"],
    [open, { finish: "stop" }, "recovered"],
    [open, { finish: "length" }, "truncated"],
    [open, { finish: "error" }, "truncated"],
    [open, { finish: "stop", stopSequence: "<|[END_TOOL]|>" }, "complete"],
    [open, { stopSequence: "<|[end_tool]|>\n" }, "complete"],
    [open, { finish: "stop", stopSequence: "<|[TOOL_RESULT]|>" }, "recovered"],
    [`${open}<|[END`, undefined, "recovered"],
    [`${open}<|[END_TOOL]|>`, { finish: "length" }, "complete"],
    [`${open}b:»»»y««`, undefined, "truncated"],
    [`${open}b:»»»y««`, { finish: "stop", stopSequence: "<|[END_TOOL]|>" }, "recovered"],
    [`${open}b:»»»y`, { finish: "stop", stopSequence: "<|[END_TOOL]|>" }, "recovered"],
    [`${open}b:»»»y ««« z`, undefined, "truncated"],
    [`${open}file_pa`, undefined, "truncated"],
    [`${open}file_path:»`, undefined, "truncated"],
    [`${open}\nThat is all.`, { finish: "stop" }, "recovered"],
    [`${open}b:»»»see\ncommand:»»»X«««\n`, undefined, "truncated"],
    [`${open}b:»»»\n<|[REQUEST_TOOL]|>\ncommand:»»»X«««\n`, { stopSequence: "<|[END_TOOL]|>" }, "truncated"],
  ])("%j with %j is %s", (text, end, expected) => {
    expect(status(text, end)).toBe(expected);
  });

  it("runs no call that a cut value documents", () => {
    const parser = createParser();
    parser.feed(`<|[REQUEST_TOOL]|>\ncommand:»»»T«««\na:»»»\n${call}`);
    expect(parser.end({ finish: "length" }).blocks.map((block) => block.status)).toEqual(["truncated"]);
  });
});

it("repairs nothing when told so", () => {
  const text = blockOfLines("command:»»»T«««", "a:>>>x<<<");
  for (const options of [
    { strict: true },
    { repairs: "none" as const },
    { repairs: { "tam/mixed-delimiters-used": false } },
  ]) {
    const { blocks, diagnostics } = parse(`So:\n\`\`\`\n${text}\`\`\`\n`, options);
    expect(blocks.map((block) => [block.status, block.warnings])).toEqual([["invalid", []]]);
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["tam/mixed-delimiters-used", "error"]]);
  }
  expect(parse(`So:\n${call}`, { strict: true }).blocks[0]?.status).toBe("complete");
  expect(parse(text, { repairs: { "tam/unclosed-value": false } }).blocks[0]?.status).toBe("recovered");
});

it("runs nothing of a text that is too long", () => {
  const { blocks, diagnostics } = parse(call, { maxInputLength: call.length - 1 });
  expect(blocks.map(({ status }) => status)).toEqual(["invalid"]);
  expect(diagnostics.at(-1)?.code).toBe("tam/input-too-long");
});
