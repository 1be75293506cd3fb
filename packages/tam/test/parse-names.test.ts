import type { ToolDefinition } from "@toolglot/core";
import { expect, it } from "vitest";
import { parse } from "../src/index.ts";
import type { TamBlock } from "../src/types.ts";
import { blockOfLines } from "./read-chunks.ts";

const tool = (name: string, ...params: string[]): ToolDefinition => ({
  name,
  description: "",
  inputSchema: { type: "object", properties: Object.fromEntries(params.map((param) => [param, {}])) },
});

function read(lines: string[], tools?: ToolDefinition[]): TamBlock {
  const [block] = parse(blockOfLines(...lines), tools ? { tools } : {}).blocks;
  if (!block) throw new Error("no block");
  return block;
}

it.each([
  ["filePath", "file_path"],
  ["File-Path", "file_path"],
  ["file.path", "file_path"],
  ['"file_path"', "file_path"],
  ["**file path**", "file_path"],
  ["- file_path", "file_path"],
  ["URLPath", "urlpath"],
  ["路径", "路径"],
  ["sha_256", "sha_256"],
  ["__proto__", "proto"],
  ["constructor", "constructor"],
])("reads the key %s as %s", (key, name) => {
  for (const separator of [":", " : ", "：", ": \t"])
    expect({ ...read(["command:»»»T«««", `${key}${separator}»»»x«««`]).steps[0]?.params }).toEqual({ [name]: "x" });
});

it("gives fields to steps by their numbers, in any order", () => {
  const block = read([
    "pathB_2:»»»2«««",
    "sha_256_1:»»»3«««",
    "Command2:»»»B«««",
    "command_10:»»»C«««",
    "Command_1:»»»A«««",
    "CONTENT1:»»»4«««",
    "retry_2:»»»3«««",
    "onError10:»»»Continue«««",
    "uri_image_10:»»»fam://x«««",
    "output_uri_10:»»»y«««",
    "type_hint_n_10:»»»number«««",
    "n_10:»»»7«««",
    "common_dir:»»»d«««",
    "comment_1:»»»a parameter«««",
  ]);
  expect(block).toMatchObject({
    status: "complete",
    common: { dir: "d" },
    commonRaw: { dir: "d" },
    steps: [
      { index: 1, tool: "A", params: { sha_256: "3", content: "4", comment: "a parameter" } },
      { index: 2, tool: "B", params: { path_b: "2" }, retry: 3 },
      {
        index: 10,
        tool: "C",
        params: { output_uri: "y", n: "7" },
        uris: { image: "fam://x" },
        typeHints: { n: "number" },
        onError: "continue",
      },
    ],
  });
  expect(block.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["tam/step-gap", "info"]]);
});

it("takes digits for a step only when there is that command, and no such parameter", () => {
  expect({ ...read(["command:»»»T«««", "x_1:»»»a«««", "y2:»»»b«««"]).steps[0]?.params }).toEqual({ x_1: "a", y2: "b" });
  const lines = ["command_1:»»»Hash«««", "command_256:»»»Hash«««", "sha256:»»»x«««"];
  expect(read(lines, [tool("Hash", "sha")]).steps[1]?.params).toMatchObject({ sha: "x" });
  expect(read(lines, [tool("Hash", "sha256")]).diagnostics.map(({ code }) => code)).toContain("tam/unassigned-field");
});

it.each<[string, string[], string]>([
  ["no command", ["a:»»»x«««"], "tam/missing-command"],
  ["an empty command", ["command:»»» «««"], "tam/missing-command"],
  ["a field without a number", ["command_1:»»»T«««", "a:»»»x«««"], "tam/unassigned-field"],
  ["a field of a step that is not there", ["command_1:»»»T«««", "a_2:»»»x«««"], "tam/unassigned-field"],
])("makes a block with %s invalid", (_, lines, code) => {
  const block = read(lines);
  expect([block.status, block.diagnostics.map((found) => [found.code, found.severity])]).toEqual([
    "invalid",
    [[code, "error"]],
  ]);
});

it("leaves other faults to their steps", () => {
  const block = read([
    "command_1:»»»T«««",
    "retry_1:»»»11«««",
    "on_error_1:»»»maybe«««",
    "type_hint_a_1:»»»json«««",
    'a_1:»»»\n{"x":\n oops}\n«««',
    "command_2:»»»U«««",
    "type_hint_b_2:»»»yaml«««",
    "b_2:»»»x«««",
  ]);
  expect(block.status).toBe("recovered");
  expect(block.steps.map(({ errors }) => errors.map(({ message }) => message))).toEqual([
    [
      'retry is a whole number from 0 to 10, not "11".',
      'on_error is stop or continue, not "maybe".',
      'T, a: not valid JSON at position 7 (line 2, column 2): unexpected "o"',
    ],
    [],
  ]);
  expect(block.steps.map(({ retry, onError, typeHints }) => [retry, onError, { ...typeHints }])).toEqual([
    [0, "stop", { a: "json" }],
    [0, "stop", { b: "text" }],
  ]);
  expect(block.warnings).toEqual(["unknown_type_hint"]);
});

it("lets the last of two fields win", () => {
  const block = read(["command:»»»T«««", "filePath:»»»1«««", "file-path:»»»2«««", "command:»»»U«««"]);
  expect(block.steps).toMatchObject([{ tool: "U", params: { file_path: "2" } }]);
  expect(block.diagnostics.map(({ code }) => code)).toEqual(["tam/duplicate-key", "tam/duplicate-key"]);
});

it("binds names to declared ones", () => {
  const tools = [tool("File.Write", "filePath", "content"), tool("Odd", "keyName", "key_name")];
  const bound = read(
    ["command:»»»file_write«««", "file_path:»»»a«««", "Content:»»»b«««", "uri_filepath:»»»u«««"],
    tools,
  );
  expect(bound.steps).toMatchObject([
    { tool: "File.Write", params: { filePath: "a", content: "b" }, uris: { filePath: "u" }, errors: [] },
  ]);
  const text = blockOfLines(
    "command_1:»»»File.Wirte«««",
    "command_2:»»»File.Write«««",
    "contnet_2:»»»x«««",
    "command_3:»»»Odd«««",
    "keyname_3:»»»x«««",
  );
  const { blocks, diagnostics } = parse(text, { tools });
  expect(blocks[0]?.status).toBe("complete");
  expect(diagnostics.map(({ code, message, span }) => [code, text.slice(span.start, span.end), message])).toEqual([
    ["tam/unknown-tool", "File.Wirte", 'There is no tool "File.Wirte". Did you mean "File.Write"?'],
    ["tam/unknown-parameter", "contnet_2", 'File.Write has no parameter "contnet". Did you mean "content"?'],
    ["tam/ambiguous-parameter", "keyname_3", 'The parameter "keyname" of Odd could be "keyName" or "key_name".'],
  ]);
  expect(blocks[0]?.steps.map(({ errors }) => errors.length)).toEqual([1, 1, 1]);
});
