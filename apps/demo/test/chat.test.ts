import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commandOf } from "../src/chat/commands.ts";
import { buildDemo } from "./support/child.ts";
import { type DemoTerminal, demoTerminal } from "./support/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-chat-"));

beforeAll(buildDemo, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const terminal = (...args: string[]): DemoTerminal =>
  demoTerminal(folder, ["--data-dir", join(folder, "data"), ...args]);

it("should offer the tour in a terminal, and start it with an empty line", async () => {
  const { seen, type } = terminal();
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

it("should take a line that was typed while it was busy", async () => {
  const { seen, type, ended } = terminal("--protocol", "native");
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
  expect(commandOf(line, ["退出", "再见"]).name).toBe(command);
});
