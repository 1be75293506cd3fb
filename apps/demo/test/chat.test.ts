import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { commandOf } from "../src/cli/chat.ts";
import { buildDemo } from "./support/child.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "demo-chat-"));

beforeAll(buildDemo, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The demo in a terminal of its own. `seen` resolves when the text has come since the last time, with what came before it. */
function terminal(...args: string[]): {
  seen(text: string): Promise<string>;
  type(text: string): void;
  ended: Promise<number>;
} {
  const command = [join(root, "apps/demo/dist/main.js"), "--data-dir", join(folder, "data"), ...args];
  const env = { ...process.env, NO_COLOR: "1", TERM: "xterm" };
  const child = spawn(process.execPath, command, { cols: 100, rows: 40, cwd: folder, env });
  onTestFinished(() => child.kill());
  let text = "";
  let watch: () => void = () => {};
  child.onData((data) => {
    text += data;
    watch();
  });
  return {
    seen: (wanted) =>
      new Promise((resolve, reject) => {
        child.onExit(() => reject(new Error(`ended without ${wanted}: ${text}`)));
        watch = () => {
          const at = text.indexOf(wanted);
          if (at < 0) return;
          const before = text.slice(0, at);
          text = text.slice(at + wanted.length);
          watch = () => {};
          resolve(before);
        };
        watch();
      }),
    type: (typed) => child.write(typed),
    ended: new Promise((resolve) => child.onExit(({ exitCode }) => resolve(exitCode))),
  };
}

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
  type("/model\r");
  await seen("没有 /model 这个命令");
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
  ["/model gpt", "unknown"],
  ["/Help me", "unknown"],
  ["/etc/hosts has what in it?", "none"],
  ["help me find order 1042", "none"],
  ["", "none"],
])("should take %j for %s", (line, command) => {
  expect(commandOf(line, ["退出", "再见"])).toBe(command);
});
