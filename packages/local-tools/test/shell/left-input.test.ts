import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leftToCi, rounds } from "@toolglot/internal/testing";
import { expect, it, vi } from "vitest";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { fewWays, hasTerminal, isConfined, session, terminals } from "./sessions.ts";

const times = rounds(30, 300);
const dropped = "Input that nobody read was dropped when it ended.";
const lines = "echo ran >> ran.txt\n";

/** What a command left behind besides the input. */
const settings: Readonly<Record<string, string>> = {
  nothing: ":",
  "builtins as functions": "read() { :; }; test() { :; }; printf() { :; }; declare() { :; }; break() { :; }",
  "a readonly IFS": "readonly IFS=0123456789abcdef",
  "set -eu": "set -eu",
  xtrace: "set -x",
  "a trap on DEBUG": "trap ': debug' DEBUG",
  noclobber: "set -o noclobber -f",
  "a prompt hook of its own": "PROMPT_COMMAND=': mine'; PS1='> '",
};
const terminal: Readonly<Record<string, string>> = {
  "a raw terminal": "stty raw",
  "keys at once": "stty -icanon",
  "no echo": "stty -echo",
  "no signals": "stty -isig",
};

noteWithoutBubblewrap();
for (const way of fewWays) {
  it(`drops input that a command didn't read, whatever else it left over ${way}`, async (context) => {
    leftToCi(context, !isConfined(way));
    const all = Object.entries({ ...settings, ...(hasTerminal(way) ? terminal : {}) });
    const check = async ([name, setting]: [string, string]): Promise<void> => {
      const { shell, dir } = await session(way);
      for (const [at, left] of [lines, "left over ", `${lines}half ' a line`, "a#b #c\n\n\n", "\u0016"].entries()) {
        const [begun, go] = [join(dir, `begun-${at}`), join(dir, `go-${at}`)];
        const wait = `until command test -e '${go}'; do command sleep 0.1; done`;
        await shell.run(`${setting}; command touch '${begun}'; ${wait}; (exit 4) || command :`, { timeoutMs: 30 });
        while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 5));
        const told = await shell.input(left, { timeoutMs: 50 });
        expect([name, left, told.status, told.notes]).toEqual([name, left, "running", []]);
        writeFileSync(go, "");
        const next = await shell.run("command echo next; (exit 0)", { timeoutMs: 120_000 });
        expect([name, left, next.status, next.exit], next.output).toEqual([name, left, "ended", 0]);
        expect(next.output, `${name}, ${left}`).toMatch(/^(\+.*\n)*next\n(\+.*\n)*$/m);
        expect(next.output).not.toMatch(/unexpected|not found/);
        expect([name, left, existsSync(join(dir, "ran.txt"))]).toEqual([name, left, false]);
        if (!left.includes("\u0016"))
          expect([name, left, next.notes]).toEqual([name, left, expect.arrayContaining([dropped])]);
        expect([name, left, next.notes.filter((note) => note.startsWith("Printed"))]).toEqual([name, left, []]);
        expect([name, left, shell.state.generation]).toEqual([name, left, 1]);
      }
    };
    await Promise.all(all.map(check));
  }, 300_000);

  it(`drops 100 kB that a command didn't read over ${way}`, async (context) => {
    leftToCi(context, way === "pty");
    const { shell, dir } = await session(way);
    for (const left of ["x".repeat(100_000), lines.repeat(5000)]) {
      await shell.run("sleep 4", { timeoutMs: 50 });
      const ended = await shell.input(left);
      expect(ended).toMatchObject({ status: "ended", exit: 0, notes: [dropped] });
      expect(await shell.run("cat <<<next; (exit 4)")).toMatchObject({ exit: 4, output: "next\n", notes: [] });
    }
    expect(existsSync(join(dir, "ran.txt"))).toBe(false);
  });

  it(`takes more than a command reads without stopping the host over ${way}`, async (context) => {
    leftToCi(context, way === "pty");
    const { shell, dir } = await session(way);
    await shell.run("until [ -e go ]; do sleep 0.02; done; head -c 5; touch read; sleep 100", { timeoutMs: 50 });
    // 50 kB, of which a terminal holds four.
    expect(await shell.input(lines.repeat(5000), { timeoutMs: 50 })).toMatchObject({ status: "running" });
    writeFileSync(join(dir, "go"), "");
    await vi.waitUntil(() => existsSync(join(dir, "read")), { timeout: 60_000, interval: 5 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await shell.ctrl("c", { timeoutMs: 20_000 })).status).toBe("ended");
    expect(await shell.run("echo next")).toMatchObject({ exit: 0, output: "next\n" });
    expect(existsSync(join(dir, "ran.txt"))).toBe(false);
  });

  it(`lets a later part of the same script read what was typed ahead over ${way}`, async () => {
    const { shell } = await session(way);
    await shell.run('sleep 1; read a; sleep 0.1; bash -c "read b; echo \\$b"; echo "$a"', { timeoutMs: 50 });
    const ended = await shell.input("one\ntwo\nthree\n");
    expect(ended).toMatchObject({ status: "ended", exit: 0, notes: [dropped] });
    expect(ended.output).toContain(hasTerminal(way) ? "two\none\n" : "one\n");
  });

  it(`drops what comes while a command ends over ${way}, or refuses it`, async (context) => {
    leftToCi(context, way === "pty");
    const { shell, dir } = await session(way);
    for (let n = 0; n < times; n++) {
      await shell.run(`read -t 0.0${n % 10}1; (exit 3)`, { timeoutMs: 0 });
      await new Promise((resolve) => setTimeout(resolve, (n * 7) % 45));
      const told = await shell.input(lines);
      const next = await shell.run("echo next; (exit 5)");
      expect([told.status, next.exit, next.output.replace(/^echo ran.*\n/, "")]).toEqual([
        expect.stringMatching(/ended|not-run/),
        5,
        "next\n",
      ]);
    }
    expect(existsSync(join(dir, "ran.txt"))).toBe(false);
  }, 60_000);

  it(`drops it also when the command is stopped over ${way}`, async (context) => {
    leftToCi(context, way === "pty");
    const scripts = ["sleep 30", "while :; do :; done", "trap '' INT; sleep 30", 'sleep 0.3; echo "$' + '{nope?gone}"'];
    const check = async (script: string): Promise<void> => {
      const { shell, dir } = await session(way, { maxRuntimeMs: 500 });
      await shell.run(script, { timeoutMs: 100 });
      await shell.input(`${lines}half a line`, { timeoutMs: 50 });
      expect(await shell.run("echo next; (exit 4)"), script).toMatchObject({
        exit: 4,
        output: expect.stringMatching(/next\n$/),
      });
      expect(shell.state.generation).toBe(1);
      expect(existsSync(join(dir, "ran.txt"))).toBe(false);
    };
    await Promise.all(scripts.map(check));
  });
}

it.each(terminals)("drops the end of input, so that it doesn't end the shell (%s)", async (way) => {
  const { shell } = await session(way);
  await shell.run("sleep 4", { timeoutMs: 50 });
  expect(await shell.ctrl("d")).toMatchObject({ status: "ended", exit: 0 });
  expect(await shell.run("echo next")).toMatchObject({ output: "next\n", notes: [] });
});
