import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialectIds, dialects } from "@toolglot/dialects";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import { afterAll, expect, it } from "vitest";
import type { Ended } from "./support/child.ts";
import { runCli } from "./support/in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-dialects-"));
const tools = join(folder, "tools.mjs");
writeFileSync(
  tools,
  `export default [{ name: "dice", description: "Rolls dice.", annotations: { readOnlyHint: true },
    inputSchema: { type: "object", properties: { sides: { type: "integer" } } },
    execute: ({ sides }) => "rolled " + (typeof sides) + " " + sides }];`,
);
const notes = join(folder, "notes.txt");
mkdirSync(join(folder, "data"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const answer = (text: string) => ({ chunks: [sse(openAiText(text), { done: true })] });
const nativeCall = {
  chunks: [sse([...openAiCall(0, "c1", "dice", { sides: 8 }), openAiFinish("tool_calls")], { done: true })],
};
const qwen = "<tool_call>\n<function=dice>\n<parameter=sides>\n6\n</parameter>\n</function>\n</tool_call>";
const mistral = '[TOOL_CALLS]dice[ARGS]{"sides": 6}';

const ask = (url: string, protocol: string, ...more: string[]): Promise<Ended> =>
  runCli(
    [
      ...["--model", "m", "--base-url", `${url}/v1`, "--protocol", protocol, "--tools", tools, "--no-config"],
      ...["--no-project", "--no-keep", "--data-dir", join(folder, "data"), ...more, "Roll."],
    ],
    { folder },
  );

it("should run calls of the provider and calls in the text in one run, each answered in its own way", async () => {
  const { url, requests } = await localProvider([nativeCall, answer(`Again.\n${qwen}`), nativeCall, answer("Done.")]);
  const { code, stdout } = await ask(url, "dialect:auto");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Done.")]);
  expect(stdout.match(/rolled number [68]/g)).toEqual(["rolled number 8", "rolled number 6", "rolled number 8"]);
  expect(requests[0]?.body).toMatchObject({ tools: [{ function: { name: "dice" } }] });
  const said = requests[3]?.body.messages as { role: string; content?: unknown; tool_calls?: unknown }[];
  expect(
    said.filter(({ role }) => role !== "system").map(({ role, tool_calls }) => role + (tool_calls ? "!" : "")),
  ).toEqual([...["user", "assistant!", "tool", "assistant", "user", "assistant!", "tool"]]);
  expect(JSON.stringify(said)).toMatch(/<tool_response>\\n\W*rolled number 6\W*\\n<\/tool_response>/);
});

it("should show the tools as text where the server knows no calls", async () => {
  const { url, requests } = await localProvider([answer(qwen), answer("Done.")]);
  const { code, stdout } = await ask(url, "dialect-prompt:qwen-xml");
  expect([code, stdout]).toEqual([0, expect.stringContaining("rolled number 6")]);
  expect(requests[0]?.body.tools).toBeUndefined();
  expect(JSON.stringify(requests[0]?.body.messages)).toContain("<name>dice</name>");
});

it("should read one dialect alone where it is named, and ask again for a call in another", async () => {
  const { url, requests } = await localProvider([answer(mistral), answer(qwen), answer("Done.")]);
  const { code, stdout } = await ask(url, "dialect:qwen-xml");
  expect([code, stdout.match(/rolled/g)?.length]).toEqual([0, 1]);
  expect(JSON.stringify(requests[1]?.body.messages)).toContain("mistral-11");
});

it("should play back what was recorded in a dialect", async () => {
  const file = join(folder, "run.jsonl");
  const { url } = await localProvider([answer(qwen), answer("Done.")]);
  expect((await ask(url, "dialect-prompt:qwen-xml", "--record", file)).code).toBe(0);
  expect(readFileSync(file, "utf8")).toMatch(/^\{"type":"protocol","name":"dialect-prompt:qwen-xml"\}\n/);
  const { code, stdout } = await runCli(["--replay", file, "--no-config"], { folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining("rolled number 6")]);
});

it.each([
  ["dialect:qwen", /there is no dialect "qwen"\. Did you mean "qwen-xml"/],
  ["dialect-prompt:kimi-k2", /kimi-k2 has no text for its tools/],
  ["dialect", /dialect:ID/],
  ["qwen-xml", /dialect:ID/],
])("should say what there is instead of %s", async (protocol, words) => {
  const { code, stderr } = await ask("http://127.0.0.1:9", protocol);
  expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
});

it("should name the dialects in its help, in both languages", async () => {
  for (const language of ["en", "zh"]) {
    const help = (await runCli(["--help", "--lang", language])).stdout;
    for (const name of ["dialect:auto", "dialect:ID", "dialect-prompt:ID"]) expect(help).toContain(name);
  }
});

it.each(dialectIds)("should parse %s by its name", async (id) => {
  const { text, calls } = dialects[id].example;
  const { code, stdout } = await runCli(["parse", "--protocol", `dialect:${id}`, "--json"], { input: text });
  const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as {
    blocks: { dialect: string; calls: object[] }[];
  };
  expect(code).toBe(0);
  expect(result.blocks.flatMap((block) => block.calls)).toMatchObject(
    calls.map(({ name, input }) => ({ name, input })),
  );
});

it("should parse any of them by itself, and say what the model would hear", async () => {
  const shown = await runCli(["parse", "--protocol", "auto"], { input: `I roll.\n${mistral}` });
  expect([shown.code, shown.stderr]).toEqual([0, ""]);
  expect(shown.stdout).toContain("dialect: mistral-11");
  expect(shown.stdout).toContain("name: dice");
  const cut = await runCli(["parse", "--protocol", "auto", "--explain"], { input: mistral.slice(0, -2) });
  expect([cut.code, cut.stdout]).toEqual([3, expect.stringContaining("dialects/truncated")]);
  const wrong = await runCli(["parse", "--protocol", "dialect:nope"], { input: "" });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('there is no dialect "nope"')]);
  expect((await runCli(["parse", "--protocol", "nope"], { input: "" })).stderr).toContain("auto, dialect:ID");
});

it("should say in which dialect a call leaked", async () => {
  const message = (text: string) => ({ role: "assistant", content: text });
  const tool = {
    type: "function",
    function: { name: "dice", parameters: { type: "object", properties: { sides: {} } } },
  };
  const call = { id: "1", type: "function", function: { name: "dice", arguments: '{"sides": 4}' } };
  const request = {
    ...{ model: "m", tools: [tool] },
    messages: [
      { role: "user", content: "Roll." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "1", content: "4" },
      ...[qwen, mistral, "<tools>\n<dice sides=6/>\n</tools>"].flatMap((text) => [
        message(text),
        { role: "user", content: "?" },
      ]),
    ],
  };
  writeFileSync(notes, JSON.stringify(request));
  const { stdout } = await runCli(["scan", notes, "--json"], { folder });
  const { findings } = JSON.parse(stdout) as { findings: { code: string; tool: string; dialect?: string }[] };
  expect(findings.map(({ code, tool, dialect }) => [code, tool, dialect])).toEqual([
    ["scan/leaked-call", "dice", "qwen-xml"],
    ["scan/leaked-call", "dice", "mistral-11"],
    ["scan/leaked-call", "dice", undefined],
  ]);
  expect((await runCli(["scan", notes], { folder })).stdout).toContain("where nobody reads it (qwen-xml)");
});
