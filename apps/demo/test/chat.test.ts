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

/** The demo in a terminal of its own. `seen` resolves when the text has come since the last time. */
function terminal(...args: string[]): {
  seen(text: string): Promise<void>;
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
      new Promise((resolve) => {
        watch = () => {
          const at = text.indexOf(wanted);
          if (at < 0) return;
          text = text.slice(at + wanted.length);
          watch = () => {};
          resolve();
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
}, 120_000);

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
