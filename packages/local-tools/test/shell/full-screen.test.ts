import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitOutput } from "../../src/results/fit-output.ts";
import { shellText } from "../../src/results/texts.ts";
import type { ShellOptions, ShellResult, ShellSession } from "../../src/shell/types.ts";
import { session } from "./sessions.ts";

const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const small: Partial<ShellOptions> = { term: "xterm-256color", columns: 80, rows: 24 };

/** Waits on: on a busy machine a program takes its time to paint. */
async function until(
  shell: ShellSession,
  first: ShellResult,
  there: (result: ShellResult) => boolean,
): Promise<ShellResult> {
  let result = first;
  for (let n = 0; n < 100 && result.status === "running" && !there(result); n++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    result = await shell.input("", { timeoutMs: 200 });
  }
  return result;
}

describe.runIf(process.platform === "linux")("a full-screen program", { concurrent: true, timeout: 60_000 }, () => {
  it("is shown while it runs, takes keys, and leaves one line", async ({ onTestFinished, skip }) => {
    if (!has("vim")) skip("vim is not installed");
    const { shell, dir } = await session("pty", small, onTestFinished);
    writeFileSync(join(dir, "a.txt"), "first\nsecond\n");
    const begun = await shell.run("vim -u NONE a.txt", { timeoutMs: 5000 });
    const open = await until(shell, begun, ({ screen }) => screen?.text.includes("a.txt") === true);
    expect(open).toMatchObject({ status: "running", waiting: "input", output: "" });
    expect(open.screen).toMatchObject({ row: 1, column: 1, rows: 24, columns: 80 });
    expect(open.screen?.text).toMatch(/^first\nsecond\n~\n(?:~\n)+"a\.txt"/);
    expect(shellText(open)).toMatch(/^\[The screen of a full-screen program, cursor at 1,1:\]\nfirst\nsecond\n~\n/);
    const moved = await until(shell, await shell.input("\u001b[B"), ({ screen }) => screen?.row === 2);
    expect(moved.screen).toMatchObject({ row: 2, column: 1 });
    const typed = await shell.input("ithe \u001b");
    await until(shell, typed, ({ screen }) => screen?.text.includes("the second") === true);
    shell.resize(60, 10);
    const wide = await until(shell, await shell.input("", { timeoutMs: 100 }), ({ screen }) => screen?.rows === 10);
    expect(wide.screen).toMatchObject({ rows: 10, columns: 60 });
    const done = await until(shell, await shell.input(":wq\n"), () => false);
    expect(done).toMatchObject({ status: "ended", exit: 0 });
    expect(done.output.trim()).toBe("[a full-screen program ran here; its screen is left out]");
    expect(done.screen).toBeUndefined();
    expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("first\nthe second\n");
  });

  it("gets the cursor keys in the form that it asked for", async ({ onTestFinished }) => {
    const { shell } = await session("pty", small, onTestFinished);
    const asks = `printf '\\033[?1049h\\033[?1hready'; stty -icanon -echo; read -rn3 key; printf '\\033[?1l'; read -rn3 other; stty sane; printf '\\033[?1049l%q %q\\n' "$key" "$other"`;
    const open = await until(shell, await shell.run(asks), ({ screen }) => screen?.text === "ready");
    expect(open.screen).toMatchObject({ text: "ready", row: 1, column: 6 });
    await shell.input("\u001b[A");
    const done = await until(shell, await shell.input("\u001b[A"), () => false);
    expect(done.output).toContain("$'\\EOA' $'\\E[A'");
  });

  it.for([
    ["watch", "watch -n 1 date"],
    ["vim", "vim -u NONE a.txt"],
    ["top", "top -d 60 -p $$"],
  ] as const)("takes little room on the dumb terminal: %s", async ([needs, script], { onTestFinished, skip }) => {
    if (!has(needs)) skip(`${needs} is not installed`);
    const { shell, dir } = await session("pty", {}, onTestFinished);
    writeFileSync(join(dir, "a.txt"), "first\nsecond\n");
    let result = await shell.run(script, { timeoutMs: 1500 });
    for (let n = 0; n < 20 && result.output.trim() === ""; n++) result = await shell.input("", { timeoutMs: 1000 });
    expect(result.screen).toBeUndefined();
    const outputs = [result];
    if (needs === "vim") outputs.push(await until(shell, await shell.input(":q\n"), () => false));
    for (const { output, artifact, outputLength } of outputs) {
      expect(output.length, output).toBeLessThanOrEqual(1500);
      expect(output).not.toMatch(/ {21}\n|\n\n\n\n/);
      // Nothing is lost.
      if (artifact !== undefined) expect(readFileSync(artifact, "utf8").length).toBe(outputLength);
      else expect(output.length).toBe(outputLength);
    }
  });

  it("is no more than a call may give", async () => {
    const screen = { text: `${"x".repeat(79)}\n`.repeat(100), row: 1, column: 1, rows: 100, columns: 80 };
    const result: ShellResult = {
      status: "running",
      output: "y\n".repeat(500),
      outputLength: 1000,
      cwd: "/",
      ms: 1,
      notes: [],
      screen,
    };
    const fitted = fitOutput(result, 2000, "/proc/none");
    expect(fitted.output.length + (fitted.screen?.text.length ?? 0)).toBeLessThanOrEqual(2000);
    expect(fitted.screen?.text.split("\n")).toHaveLength(18);
    expect(fitOutput({ ...result, screen: { ...screen, text: "a" } }, 2000, "/proc/none").output).toBe(result.output);
  });

  it("needs a terminal that is known", async ({ onTestFinished }) => {
    await expect(session("pty", { term: "vt52" as never }, onTestFinished)).rejects.toThrow(/term must be/);
    const { shell } = await session("pty", {}, onTestFinished);
    expect((await shell.run('echo "$TERM"')).output).toBe("dumb\n");
  });
});

it("says that white space was left out, and where all of it is", async () => {
  const { shell } = await session("pty");
  const { output, artifact, notes } = await shell.run("printf 'a%30s\\n\\n\\n\\n\\nb\\n'");
  expect(output).toBe("a\n\n\nb\n");
  expect(readFileSync(artifact as string, "utf8")).toBe(`a${" ".repeat(30)}\n\n\n\n\nb\n`);
  expect(notes).toEqual([
    `32 characters of white space before line ends and of blank lines are left out; the whole output is in ${artifact}.`,
  ]);
  const pipe = await session("pipe");
  expect((await pipe.shell.run("printf 'a\\n\\n\\n\\n\\nb\\n'")).output).toBe("a\n\n\n\n\nb\n");
});
