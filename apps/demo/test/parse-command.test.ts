import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "demo-parse-"));

function run(file: string, args: string[], input: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, file), ...args], {
    input,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}

const parse = (args: string[], input: string) => run("apps/demo/dist/main.js", ["parse", ...args], input);

beforeAll(() => {
  // Builds what is not built yet.
  expect(run("scripts/demo.mjs", ["--help"], "").status).toBe(0);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tam = "I'll look.\n<|[REQUEST_TOOL]|>\ncommand:>>>Find<<<\nquery:»»»a\nb«««\n<|[END_TOOL]|>\n";

it("should show segments, blocks, and findings with their lines", () => {
  const { status, stdout, stderr } = parse(["--protocol", "tam"], tam);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("text 1:1\n  I'll look.");
  expect(stdout).toContain("block recovered 2:1");
  expect(stdout).toContain("tool: Find");
  expect(stdout).toContain("query:\n");
  expect(stdout).toMatch(/warning tam\/mixed_delimiters_used at 3:9: .*\n {0,4}command:>>>Find<<<\n +\^/);
  expect(stdout).toContain("1 block, 1 may run; 1 finding");
});

it("should print events while they come, and then the result", () => {
  const { stdout } = parse(["--protocol", "toolsxml", "--json"], "<tools><command>ls</command></tools>");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { phase: string; type?: string; blocks?: unknown[] });
  expect(lines[0]).toMatchObject({ phase: "block-start", type: "tools-start" });
  expect(lines.at(-1)).toMatchObject({ phase: "result", blocks: [{ calls: [{ tool: "command", script: "ls" }] }] });
});

it("should say what a model would be told, bind declared tools, and tell by its exit code that nothing may run", () => {
  const tools = join(folder, "tools.json");
  writeFileSync(tools, JSON.stringify([{ name: "Search", description: "d", inputSchema: { type: "object" } }]));
  const { status, stdout } = parse(
    ["--protocol", "toolsxml", "--tools", tools, "--explain"],
    "<tools>\n<Serach/>\n</tools>",
  );
  expect(status).toBe(3);
  expect(stdout).toContain("block invalid");
  expect(stdout).toMatch(/Did you mean <search>/i);
  expect(parse(["--protocol", "attp", "--finish", "length"], "[tool_call]\ncode = '''\nx").status).toBe(3);
});

it("should read programs in JavaScript as such", () => {
  const text =
    "thought = \"t\"\n[tool_call]\nstatus = \"success\"\ntarget = \"g\"\ncode = '''\n```js\nreturn 1;\n```\n'''\n";
  expect(parse(["--protocol", "attp-js"], text).stdout).toContain("attp/nested-fence");
  expect(parse(["--protocol", "attp"], text).stdout).toContain('a fence named "js"');
  const quotes = text.replaceAll("```js\n", "").replaceAll("```\n", "").replace("1", "\"'''\"");
  const { status, stdout } = parse(["--protocol", "attp-js", "--explain"], quotes);
  expect(status).toBe(0);
  expect(stdout).toContain("repeat(3)");
});

it("should never let a model's text act on the terminal", () => {
  const { stdout } = parse(["--protocol", "tam"], "\u001b[2Jhello\u202e <|[REQUEST_TOOL]|>\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come out.
  expect(stdout).not.toMatch(/[\u001b\u202e]/);
});

it.each([
  [[], /--protocol/],
  [["--protocol", "x"], /attp, attp-js, tam, toolsxml/],
  [["--protocol", "tam", "--tools", "/nowhere.json"], /nowhere/],
] as const)("should refuse the arguments %j with the cure", (args, message) => {
  const { status, stderr } = parse([...args], "");
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});
