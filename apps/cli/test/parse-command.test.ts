import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runDemo } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-parse-"));

const parse = (args: readonly string[], input: string) => runDemo(["parse", ...args], { input });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tam = "I'll look.\n<|[REQUEST_TOOL]|>\ncommand:>>>Find<<<\nquery:»»»a\nb«««\n<|[END_TOOL]|>\n";

it("should show segments, blocks, and findings with their lines", async () => {
  const { code, stdout, stderr } = await parse(["--protocol", "tam"], tam);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("text 1:1\n  I'll look.");
  expect(stdout).toContain("block recovered 2:1");
  expect(stdout).toContain("tool: Find");
  expect(stdout).toContain("query:\n");
  expect(stdout).toMatch(/warning tam\/mixed-delimiters-used at 3:9: .*\n {0,4}command:>>>Find<<<\n +\^/);
  expect(stdout).toContain("1 block, 1 may run; 1 finding");
});

it("should print events while they come, and then the result", async () => {
  const { stdout } = await parse(["--protocol", "toolsxml", "--json"], "<tools><command>ls</command></tools>");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { phase: string; type?: string; blocks?: unknown[] });
  expect(lines[0]).toMatchObject({ phase: "block-start", type: "tools-start" });
  expect(lines.at(-1)).toMatchObject({ phase: "result", blocks: [{ calls: [{ tool: "command", script: "ls" }] }] });
});

it("should say what a model would be told, bind declared tools, and tell by its exit code that nothing may run", async () => {
  const tools = join(folder, "tools.json");
  writeFileSync(tools, JSON.stringify([{ name: "Search", description: "d", inputSchema: { type: "object" } }]));
  const { code, stdout } = await parse(
    ["--protocol", "toolsxml", "--tools", tools, "--explain"],
    "<tools>\n<Serach/>\n</tools>",
  );
  expect(code).toBe(3);
  expect(stdout).toContain("block invalid");
  expect(stdout).toMatch(/Did you mean <search>/i);
  expect((await parse(["--protocol", "attp", "--finish", "length"], "[tool_call]\ncode = '''\nx")).code).toBe(3);
});

it("should read programs in JavaScript as such", async () => {
  const text =
    "thought = \"t\"\n[tool_call]\nstatus = \"success\"\ntarget = \"g\"\ncode = '''\n```js\nreturn 1;\n```\n'''\n";
  expect((await parse(["--protocol", "attp-js"], text)).stdout).toContain("attp/nested-fence");
  expect((await parse(["--protocol", "attp"], text)).stdout).toContain('a fence named "js"');
  const quotes = text.replaceAll("```js\n", "").replaceAll("```\n", "").replace("1", "\"'''\"");
  const { code, stdout } = await parse(["--protocol", "attp-js", "--explain"], quotes);
  expect(code).toBe(0);
  expect(stdout).toContain("repeat(3)");
});

it("should never let a model's text act on the terminal", async () => {
  const { stdout } = await parse(["--protocol", "tam"], "\u001b[2Jhello\u202e <|[REQUEST_TOOL]|>\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come out.
  expect(stdout).not.toMatch(/[\u001b\u202e]/);
});

it.each([
  [[], /--protocol/],
  [["--protocol", "x"], /attp, attp-js, tam, toolsxml/],
  [["--protocol", "tam", "--tools", "/nowhere.json"], /nowhere/],
] as const)("should refuse the arguments %j with the cure", async (args, message) => {
  const { code, stderr } = await parse([...args], "");
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

it("should say what is its own in Chinese, and take tools in the shapes of providers", async () => {
  const tools = join(folder, "openai.json");
  const definition = { name: "Search", parameters: { type: "object" } };
  writeFileSync(tools, JSON.stringify([{ type: "function", function: definition }]));
  const args = ["--protocol", "toolsxml", "--tools", tools, "--lang", "zh"];
  const { code, stdout } = await parse(args, "<tools>\n<Search/>\n</tools>");
  expect(code).toBe(0);
  expect(stdout).toMatch(/1 个块，1 个可以执行；0 个发现\n$/);
  expect((await parse(["--help", "--lang", "zh"], "")).stdout).toContain("退出码：0 有块可以执行");
});
