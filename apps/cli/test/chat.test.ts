import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { localProvider, openAiCall, openAiFinish, openAiText, sse } from "@toolglot/internal/testing/providers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandNames, commandOf } from "../src/chat/commands.ts";
import { buildDemo } from "./support/child.ts";
import { demoModule } from "./support/in-process.ts";
import { type CliTerminal, demoTerminal, typedTerminal } from "./support/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-chat-"));

beforeAll(buildDemo, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const data = ["--data-dir", join(folder, "data")];
const terminal = (...args: string[]): CliTerminal => typedTerminal([...data, ...args], { folder, tools: [demoModule] });

it("should offer the tour in a terminal, and start it with an empty line", async () => {
  const { seen, type } = demoTerminal(folder, data);
  await seen("starts a tour of two minutes");
  await seen("You");
  type("\r");
  await seen("1. One program reads a rule");
});

it("should answer commands itself, refuse those it does not know, and speak Chinese throughout", async () => {
  const { seen, type, ended } = terminal("--lang", "zh", "--protocol", "native");
  await seen("基于规则的规划器");
  await seen("开始两分钟的演示");
  await seen("◆  你");
  type("/modle\r");
  await seen("没有 /modle 这个命令");
  await seen("◆  你");
  type("为客户投诉建一张工单：灯笼 F4 过热\r");
  await seen("执行 create_ticket？");
  const asked = await seen("└");
  expect(asked).toContain("回车确认");
  type("\r");
  const refused = await seen("◆  你");
  expect(refused).toContain("已拒绝，拒绝者：你，原因：你选择了否");
  expect(refused).toContain("没有得到同意，所以没有执行（你选择了否）。");
  expect(asked + refused).not.toMatch(/denied|did not run|navigate/);
  type("/exit\r");
  expect(await ended).toBe(0);
});

it("should let a program wait for a decision, and go on with it when it is asked to", async (context) => {
  leftToCi(context);
  const { seen, type, ended } = terminal("--protocol", "trp-code-js");
  await seen("◆  You");
  type("open a ticket: Lantern overheats\r");
  await seen("Not now");
  // The choice below "No".
  type("\x1b[B\r");
  await seen("The program waits for your approval of create_ticket");
  await seen("◆  You");
  type("/resume\r");
  await seen("Yes, once");
  type("\x1b[B\x1b[B\r");
  await seen("Ticket 4 is open");
  await seen("◆  You");
  type("/resume\r");
  await seen("No program waits.");
  await seen("◆  You");
  type("/exit\r");
  expect(await ended).toBe(0);
});

it("should talk with a real model: several lines, files, a tool that is allowed always, undo, and another start", async () => {
  const call = [...openAiCall(0, "c1", "create_ticket", { title: "T", body: "B" }), openAiFinish("tool_calls")];
  const { url, requests } = await localProvider([
    { chunks: [sse(call, { done: true })] },
    { chunks: [sse(openAiText("Ticket opened.", "stop", [1000, 10]), { done: true })] },
    { chunks: [sse(openAiText("Two lines and a file.", "stop", [10, 1]), { done: true })] },
  ]);
  const provider = { here: { baseUrl: `${url}/v1` } };
  const models = { fast: { provider: "here", id: "m", price: { input: 1, output: 2, currency: "EUR" } } };
  mkdirSync(join(folder, "toolglot"));
  writeFileSync(join(folder, "toolglot/config.json"), JSON.stringify({ providers: provider, models }));
  writeFileSync(join(folder, "notes.md"), "a note");
  const args = ["--data-dir", join(folder, "data"), "--protocol", "native", "--model", "fast"];
  const { seen, type, ended } = typedTerminal(args, { folder, env: { XDG_CONFIG_HOME: folder }, tools: [demoModule] });
  await seen("› ");
  type("open a ticket\r");
  await seen("config forget");
  type("\x1b[B\x1b[B\x1b[B\x1b[B\r");
  await seen("approved by you, for create_ticket always");
  await seen("1,000 tokens read · 10 written · 0.0010 EUR");
  await seen("› ");
  type("first \\\r");
  await seen("… ");
  type("\x1b[200~second\nthird\x1b[201~ with @notes.md\r");
  await seen("Two lines and a file.");
  await seen("› ");
  type("/usage\r");
  await seen("2 questions, 3 answers of the model");
  await seen("› ");
  type("/undo\r");
  await seen("Taken back: first");
  await seen("› ");
  type("/session kept\r");
  await seen("The session kept keeps this conversation: 1 question.");
  await seen("› ");
  type("/save talk.md\r");
  await seen("Written to");
  await seen("› ");
  // Four commands and the text before them.
  type("\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A");
  await seen("second␤third with @notes.md");
  type("\x03/exit\r");
  expect(await ended).toBe(0);
  const book = JSON.parse(readFileSync(join(folder, "data/sessions/kept.json"), "utf8"));
  expect(book.questions).toMatchObject([{ protocol: "native", messages: [{ role: "user" }, {}, {}, {}] }]);
  const said = JSON.stringify(requests[2]?.body.messages);
  expect(said).toContain("first \\nsecond\\nthird with @notes.md");
  expect(said).toContain("File notes.md:");
  expect(readFileSync(join(folder, "talk.md"), "utf8")).toMatch(/Ticket opened\.\s*$/);
  expect(JSON.parse(readFileSync(join(folder, "toolglot/allowed.json"), "utf8")).tools).toEqual([
    { tool: "create_ticket", from: "demo" },
  ]);
});

it("should change to a model's own dialect, and stay where there is none of the name", async () => {
  const { seen, type, ended } = demoTerminal(folder, [...data, "--protocol", "native"]);
  await seen("◆  You");
  type("/protocol dialect:qwen\r");
  await seen('Did you mean "qwen-xml"');
  await seen("› ");
  type("/protocol dialect:qwen-xml\r");
  await seen("The protocol is dialect:qwen-xml.");
  await seen("› ");
  type("/exit\n");
  expect(await ended).toBe(0);
});

it("should take a line that was typed while it was busy", async () => {
  const { seen, type, ended } = demoTerminal(folder, [...data, "--protocol", "native"]);
  await seen("◆  You");
  type("show order 1042\r");
  await seen("query_sql");
  // The terminal keeps it until the next prompt.
  type("/exit\n");
  expect(await ended).toBe(0);
});

it.each([
  ["/exit", "exit"],
  ["Quit", "exit"],
  ["退出", "exit"],
  ["/tour", "tour"],
  ["help", "help"],
  ["/help", "help"],
  ["帮助", "help"],
  ["/model gpt", "model"],
  ["/Help me", "unknown"],
  ["/etc/hosts has what in it?", "none"],
  ["help me find order 1042", "none"],
  ["", "none"],
])("should take %j for %s", (line, command) => {
  expect(commandOf(line, commandNames({ tour: async () => 0 }), ["退出", "再见"]).name).toBe(command);
});
