import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runCli } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-check-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const schema = { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } };
const ours = file("ours.json", [{ name: "write", description: "Writes", inputSchema: schema }]);
const swallowed = { path: 'a.txt</path>\n<parameter name="content">hello' };

it.each([
  ["ours", ours],
  ["OpenAI's", file("openai.json", [{ type: "function", function: { name: "write", parameters: schema } }])],
  ["OpenAI's of the Responses API", file("responses.json", [{ type: "function", name: "write", parameters: schema }])],
  ["Anthropic's", file("anthropic.json", [{ name: "write", input_schema: schema }])],
  ["MCP's", file("mcp.json", { tools: [{ name: "write", inputSchema: schema }] })],
  [
    "MCP's, as the server answers",
    file("rpc.json", { jsonrpc: "2.0", id: 1, result: { tools: [{ name: "write", inputSchema: schema }] } }),
  ],
])("should find what an argument swallowed, with tools in the shape %s", async (_, tools) => {
  const call = file("call.json", { name: "write", input: swallowed });
  const { code, stdout, stderr } = await runCli(["check", call, "--tools", tools]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(/^write \/path\n {2}core\/swallowed-argument: an argument swallowed others\n/);
});

it.each([
  ["ours", { name: "write", input: swallowed }],
  ["ours, with the arguments as text", { name: "write", arguments: JSON.stringify(swallowed) }],
  ["OpenAI's", { id: "c", type: "function", function: { name: "write", arguments: JSON.stringify(swallowed) } }],
  ["Anthropic's", { type: "tool_use", id: "t", name: "write", input: swallowed }],
  ["the AI SDK's", { type: "tool-call", toolCallId: "t", toolName: "write", input: swallowed }],
])("should read a call in the shape %s, from a file and from standard input", async (_, call) => {
  const fromFile = await runCli(["check", file("shape.json", call), "--tools", ours, "--json"]);
  const piped = await runCli(["check", "-", "--tools", ours, "--json"], { input: JSON.stringify(call) });
  expect(piped).toEqual(fromFile);
  expect(JSON.parse(piped.stdout)).toMatchObject({
    calls: 1,
    findings: [{ call: 0, tool: "write", code: "core/swallowed-argument", path: "/path", affects: "value" }],
  });
});

it("should check each call of a list, and end well when nothing is wrong", async () => {
  const calls = [
    { name: "write", input: { path: "a", content: "b" } },
    { name: "write", arguments: '{"path":"a","con' },
    { name: "read", input: { path: "a</invoke>" } },
  ];
  const { code, stdout, stderr } = await runCli(["check", file("list.json", calls), "--tools", ours]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^2: write\n {2}core\/cut-input: .*\n[\s\S]*\n3: read \/path\n {2}core\/leaked-closer/);
  expect(stderr).toContain('There is no tool "read" in the file');
  const well = await runCli(["check", file("well.json", calls.slice(0, 1)), "--tools", ours]);
  expect(well).toEqual({ code: 0, stdout: "1 call: nothing was found\n", stderr: "" });
});

it("should speak Chinese", async () => {
  const call = file("zh.json", { name: "write", input: swallowed });
  expect((await runCli(["check", call, "--tools", ours, "--lang", "zh"])).stdout).toContain("一个参数吞掉了其他参数");
  expect((await runCli(["check", "--help", "--lang", "zh"])).stdout).toContain("退出码：0 没有发现");
});

it.each([
  [[], /required option .--tools/],
  [["--tools", ours], /call\.json/],
  [["x.json"], /--tools/],
  [["/nowhere.json", "--tools", ours], /\/nowhere\.json is no JSON: ENOENT/],
  [[file("bad.json", "{"), "--tools", ours], /bad\.json is no JSON/],
  [[file("none.json", { x: 1 }), "--tools", ours], /\{ name, input \} is wanted/],
  [[file("one.json", []), "--tools", "/nowhere.json"], /--tools \/nowhere/],
  [[file("two.json", []), "--tools", file("no-tools.json", [{ name: "x" }])], /JSON array/],
] as const)("should refuse the arguments %j with the cure", async (args, message) => {
  const { code, stderr } = await runCli(["check", ...args]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
