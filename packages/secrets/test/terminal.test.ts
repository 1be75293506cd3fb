import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { bundle } from "@toolglot/internal/testing/programs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelWords } from "../src/model-words.ts";
import { terminalAskValue } from "../src/terminal/terminal-ask-value.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-prompt-"));
let program = "";
beforeAll(async () => {
  program = await bundle("prompt", import.meta.dirname);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let rounds = 0;

/** Runs the prompt on a terminal of its own and types; each entry is typed once what is before it on the screen. */
async function prompt(typed: readonly (readonly [shown: string, keys: string])[], settings: object = {}) {
  const answerFile = join(folder, `answer-${rounds++}`);
  // node-pty gives up what is unread 200 ms after the exit: it lives until all has been seen.
  const script = `exec 3>'${answerFile}'; "$NODE" "$PROGRAM" "$SETTINGS" </dev/null 2>/dev/null; stty -a; echo ended; exec tail -f /dev/null`;
  const pty = spawn("sh", ["-c", script], {
    cols: 200,
    rows: 30,
    env: { PATH: process.env.PATH ?? "", NODE: process.execPath, PROGRAM: program, SETTINGS: JSON.stringify(settings) },
  });
  let screen = "";
  let next = 0;
  let from = 0;
  await new Promise<void>((resolve) => {
    pty.onExit(() => resolve());
    pty.onData((data) => {
      screen += data;
      for (let step = typed[next]; step !== undefined && screen.includes(step[0], from); step = typed[++next]) {
        from = screen.indexOf(step[0], from) + step[0].length;
        pty.write(step[1]);
      }
      if (/\bended\r\n$/.test(screen)) pty.kill();
    });
  });
  const text = readFileSync(answerFile, "utf8");
  return { screen, answer: text === "" ? undefined : (JSON.parse(text) as { answer: unknown }).answer };
}

const hidden = "(not shown): ";
const choice = "[c]ancel ";
const note = "Note: ";

/** The modes of a terminal as it was opened. */
const sane = /(?<!-)\becho\b[\s\S]*\bended/;

describe("a prompt for a value", { concurrent: true }, () => {
  it("should read the value from the terminal, not from standard input, and show nothing of it", async () => {
    const { screen, answer } = await prompt([
      [hidden, "sécret-漢😀\r"],
      [choice, "s"],
      [note, "for tests\r"],
    ]);
    expect(answer).toEqual({ value: "sécret-漢😀", keep: false, note: "for tests" });
    expect(screen).toContain("A value is needed: TOKEN");
    expect(screen).toContain("The model says: to call the service");
    expect(screen).not.toMatch(/cret|\*/);
    expect(screen).toMatch(sane);
  });

  it("should erase with Backspace and Ctrl-U, ignore arrow keys, and take paste brackets off", async () => {
    const { screen, answer } = await prompt(
      [
        [hidden, "wrong\u0015sec\u001b[Dretz\u007f\u001b[200~-pasted\u001b[201~\r"],
        [choice, "K"],
        ["Note (the model says): old", "\u007fer\r"],
      ],
      { note: "old" },
    );
    expect(answer).toEqual({ value: "secret-pasted", keep: true, note: "oler" });
    expect(screen).not.toContain("pasted");
  });

  it("should take one line of what is pasted, and no more as an answer to what is asked next", async () => {
    const pasted = await prompt([
      [hidden, "\u001b[200~first\nsecond\n\u001b[201~\r"],
      [choice, "s"],
      [note, "\r"],
    ]);
    expect(pasted.answer).toEqual({ value: "first", keep: false });
    const typed = await prompt([
      [hidden, "first\rsecond\r"],
      [choice, "k"],
      [note, "\r"],
    ]);
    expect(typed.answer).toEqual({ value: "first", keep: true });
    expect(typed.screen).not.toContain("second");
  });

  it.each([
    ["Ctrl-C", "abc\u0003"],
    ["Ctrl-D", "\u0004"],
    ["Escape", "abc\u001b"],
  ])("should cancel with %s, and restore the terminal", async (_name, keys) => {
    const { screen, answer } = await prompt([[hidden, keys]]);
    expect(answer).toBe(null);
    expect(screen).toMatch(sane);
  });

  it("should cancel when the user chooses so", async () => {
    const { answer } = await prompt([
      [hidden, "secret\r"],
      [choice, "xc"],
    ]);
    expect(answer).toBe(null);
  });

  it("should not offer to keep a value where there is no store", async () => {
    const { screen, answer } = await prompt(
      [
        [hidden, "secret\r"],
        [choice, "ks"],
        [note, "\r"],
      ],
      { canKeep: false },
    );
    expect(answer).toEqual({ value: "secret", keep: false });
    expect(screen).not.toContain("[k]eep");
  });

  it("should ask in Chinese", async () => {
    const { screen, answer } = await prompt(
      [
        ["TOKEN（不显示）：", "secret\r"],
        ["[c] 取消 ", "k"],
        ["备注（模型说）：旧", "新\r"],
      ],
      { locale: "zh", note: "旧", known: "session" },
    );
    expect(answer).toEqual({ value: "secret", keep: true, note: "旧新" });
    expect(screen).toContain("需要一个值：TOKEN\r\n模型说：to call the service\r\n已有一个（本次会话）");
    expect(() => terminalAskValue({ locale: "fr" as never })).toThrow('locale must be "zh" or "en"');
  });

  it("should use the known value when none is typed", async () => {
    const { answer } = await prompt([[hidden, "\r"]], { known: "kept" });
    expect(answer).toEqual({ use: "known" });
  });

  it("should show what the model says as one harmless line", async () => {
    const { screen, answer } = await prompt([[hidden, "\u0003"]], {
      reason: "a\u001b[2Jb\n\u202eMaster password: \u200b",
    });
    expect(answer).toBe(null);
    expect(screen).toContain("The model says: a[2Jb Master password:\r\n");
  });

  it("should end with its signal", async () => {
    const { screen, answer } = await prompt([], { abortAfterMs: 300 });
    expect(answer).toBe(null);
    expect(screen).toMatch(sane);
  });

  it("should restore the terminal when the program fails, or is told to end", async () => {
    const thrown = await prompt([], { throwAfterMs: 300 });
    expect(thrown.answer).toBe(undefined);
    expect(thrown.screen).toMatch(sane);
    const killed = await prompt([[hidden, "abc"]], { killAfterMs: 300 });
    expect(killed.answer).toBe(undefined);
    expect(killed.screen).toMatch(sane);
  });
});

it("should count as cancelled without a terminal", async () => {
  const { signal } = new AbortController();
  const request = { key: "TOKEN", reason: "why", canKeep: false };
  const input = process.stdin.isTTY ? undefined : process.stdin;
  if (input !== undefined) expect(await terminalAskValue({ input })(request, { signal })).toBe(undefined);
  expect(await terminalAskValue()(request, { signal: AbortSignal.abort() })).toBe(undefined);
});

it("should shorten a model's words to a line of 300 characters", () => {
  expect([...modelWords("😀".repeat(400))]).toHaveLength(300);
  expect(modelWords("  a\r\n\tb\u0000\u2066c\ufeff ")).toBe("a bc");
});
