import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import type { ShellResult, ShellSession } from "../../src/shell/types.ts";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { fewTerminals, fewWays, session, terminals } from "./sessions.ts";

const has = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Waits on until the command asks: a program may be silent for a while before it does. */
async function asks(shell: ShellSession, first: Promise<ShellResult>, pattern: RegExp): Promise<ShellResult> {
  let result = await first;
  let output = result.output;
  for (let n = 0; n < 20 && result.status === "running" && !pattern.test(output); n++) {
    result = await shell.input("", { timeoutMs: 3000 });
    output += result.output;
  }
  expect(output).toMatch(pattern);
  return { ...result, output };
}

it.each(terminals)("says that a command waits for input, and goes on with it (%s)", async (way) => {
  const { shell } = await session(way);
  const asked = await shell.run('read -p "Name? " name; echo "hi $name"; (exit 3)');
  expect(asked).toMatchObject({ status: "running", waiting: "input", output: "Name? " });
  expect(asked.exit).toBeUndefined();
  expect(shell.state.running).toContain("read -p");
  const done = await shell.input("Bob\n");
  expect(done).toMatchObject({ status: "ended", exit: 3 });
  expect(done.output).toContain("hi Bob\n");
  expect(done.output).not.toContain("Name?");
  expect(shell.state.running).toBeUndefined();
});

it.each(terminals)("tells a hidden prompt from an open one, and never shows what is typed there (%s)", async (way) => {
  const { shell } = await session(way);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
  const asked = await shell.run('read -s -p "Password: " p; echo; echo "${#p} characters"');
  expect(asked).toMatchObject({ status: "running", waiting: "password", output: "Password: " });
  const done = await shell.input("s3cret\n");
  expect(done).toMatchObject({ status: "ended", exit: 0 });
  expect(done.output).toContain("6 characters\n");
  expect(done.output).not.toContain("s3cret");
});

it.each(terminals)(
  "doesn't take a silent program, a full pipe or a network reader for one that waits (%s)",
  async (way) => {
    const { shell } = await session(way);
    expect((await shell.run("sleep 3", { timeoutMs: 1200 })).waiting).toBeUndefined();
    await shell.ctrl("c");
    const server =
      "require('net').createServer(()=>{}).listen(0,function(){const s=require('net').connect(this.address().port);s.on('data',()=>{})});setTimeout(()=>process.exit(),60000)";
    const listening = await shell.run(`node -e "${server}" </dev/null`, { timeoutMs: 1500 });
    expect(listening).toMatchObject({ status: "running" });
    expect(listening.waiting).toBeUndefined();
    expect((await shell.ctrl("c")).status).toBe("ended");
  },
);

it.each(fewTerminals)("drives node's prompt (%s)", async (way) => {
  const { shell } = await session(way);
  const ready = await asks(shell, shell.run("node -i"), /> $/);
  expect(ready).toMatchObject({ status: "running", waiting: "input" });
  expect((await asks(shell, shell.input("6 * 7\n"), /42/)).status).toBe("running");
  const left = await shell.input(".exit\n");
  expect(left).toMatchObject({ status: "ended", exit: 0 });
});

it.runIf(has("python3")).each(fewTerminals)("drives Python's prompt and its hidden question (%s)", async (way) => {
  const { shell } = await session(way);
  expect(await asks(shell, shell.run("python3 -i -q"), />>> $/)).toMatchObject({ waiting: "input" });
  await asks(shell, shell.input("print(6*7)\n"), /^42\n/m);
  await asks(shell, shell.input("import getpass; p = getpass.getpass('Key: ')\n"), /Key: $/);
  expect(await shell.input("", { timeoutMs: 3000 })).toMatchObject({ status: "running", waiting: "password" });
  const after = await asks(shell, shell.input("hunter22\n"), />>> $/);
  expect(after.output).not.toContain("hunter22");
  await asks(shell, shell.input("len(p)\n"), /^8\n/m);
  expect(await shell.input("exit(4)\n")).toMatchObject({ status: "ended", exit: 4 });
});

it.runIf(has("bc"))("drives bc, which asks nothing and reads the terminal", async (context) => {
  leftToCi(context);
  const { shell } = await session("pty");
  expect(await shell.run("bc -q")).toMatchObject({ status: "running", waiting: "input" });
  expect((await shell.input("2^64\n")).output).toContain("18446744073709551616");
  expect(await shell.ctrl("d")).toMatchObject({ status: "ended", exit: 0 });
});

it.each(fewTerminals)(
  "answers npm init question by question (%s)",
  async (way) => {
    const { shell, dir } = await session(way, { timeoutMs: 20_000 });
    let result = await asks(
      shell,
      shell.run("npm init --no-update-notifier", { timeoutMs: 60_000 }),
      /package name: .*$/,
    );
    for (const [answer, next] of [
      ["asked-for", /version: .*$/],
      ["2.3.4", /description: .*$/],
      ["by a test", /entry point: .*$/],
      ["", /test command: .*$/],
      ["", /git repository: .*$/],
      ["", /keywords: .*$/],
      ["", /author: .*$/],
      ["", /license: .*$/],
    ] as const) {
      result = await asks(shell, shell.input(`${answer}\n`), next);
      expect(result.status).toBe("running");
    }
    // The last questions differ from one version of npm to another.
    for (let n = 0; n < 6 && result.status === "running"; n++) result = await shell.input("\n", { timeoutMs: 10_000 });
    expect(result).toMatchObject({ status: "ended", exit: 0 });
    const made = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Record<string, unknown>;
    expect(made).toMatchObject({ name: "asked-for", version: "2.3.4", description: "by a test" });
  },
  120_000,
);

it.each(fewTerminals)("goes on in a shell within the shell, and comes back (%s)", async (way) => {
  const { shell } = await session(way);
  const inner = await shell.run("export PS1; bash --norc --noprofile");
  expect(inner.status).toBe("running");
  expect((await shell.input("echo in:$SHLVL\n")).output).toMatch(/in:\d/);
  expect(await shell.input("exit 6\n")).toMatchObject({ status: "ended", exit: 6 });
  expect((await shell.run("echo back")).output).toBe("back\n");
});

it.each(fewTerminals)("resizes the terminal under a running command (%s)", async (way) => {
  const { shell } = await session(way, { columns: 100, rows: 30 });
  expect((await shell.run("stty size")).output).toBe("30 100\n");
  expect(await shell.run("trap 'stty size' WINCH; read x")).toMatchObject({ status: "running", waiting: "input" });
  shell.resize(120, 40);
  const done = await shell.input("\n");
  expect(done).toMatchObject({ status: "ended", exit: 0 });
  expect((await shell.run("trap - WINCH; stty size")).output).toBe("40 120\n");
  expect(() => shell.resize(0, 40)).toThrow(TypeError);
});

noteWithoutBubblewrap();
for (const way of fewWays) {
  it(`gives input to what reads it over ${way}, and to nothing else`, async () => {
    const { shell } = await session(way);
    const idle = await shell.input("echo typed at the prompt\n");
    expect(idle).toMatchObject({ status: "not-run", output: "", notes: [expect.stringContaining("Nothing runs")] });
    await shell.run("read line; echo got:$line; cat", { timeoutMs: 400 });
    const read = await shell.input("one\n", { timeoutMs: 600 });
    expect(read).toMatchObject({ status: "running" });
    expect(read.output).toContain("got:one\n");
    expect((await shell.input("two\n", { timeoutMs: 600 })).output).toContain("two\n");
    expect(await shell.ctrl("c")).toMatchObject({ status: "ended", exit: 130 });
    expect((await shell.run("echo clean")).output).toBe("clean\n");
  });
}
