import { execFileSync } from "node:child_process";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leftToCi, rounds } from "@toolglot/internal/testing";
import { expect, it, vi } from "vitest";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { session, terminals, ways } from "./sessions.ts";

const alive = (mark: string): string =>
  execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(mark) && !line.includes("ps -A"))
    .join("\n");

/** A command waits for a file, so that the test decides when it goes on, however busy the machine is. */
const waitFor = (file: string): string => `until [ -e ${file} ]; do sleep 0.02; done`;
const isTrue = { timeout: 60_000, interval: 5 };
/** When a command has touched the file, which is gone then. */
async function until(dir: string, file = "begun"): Promise<void> {
  await vi.waitUntil(() => existsSync(join(dir, file)), isTrue);
  rmSync(join(dir, file));
}

/** In three ways, of a fault that showed in one of seven. */
const stops = rounds(10, 30);

noteWithoutBubblewrap();
for (const way of ways) {
  it.concurrent(`reports a command that outlives its timeout over ${way}, stops nothing, and goes on from there`, async ({
    onTestFinished,
    skip,
  }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    const script = `echo one; touch begun; ${waitFor("go")}; echo two; (exit 9)`;
    const early = await shell.run(script, { timeoutMs: 100 });
    expect(early.status).toBe("running");
    expect(shell.state.running).toBe(script);
    await until(dir);
    const refused = await shell.run("echo never", { timeoutMs: 50 });
    expect([early.output + refused.output, refused.status]).toEqual(["one\n", "not-run"]);
    expect(refused.notes.join()).toContain("still runs");
    writeFileSync(join(dir, "go"), "");
    const next = await shell.run("echo three");
    expect(next).toMatchObject({ status: "ended", exit: 0, output: "two\nthree\n" });
    expect(next.notes.join()).toContain("ended with exit status 9; the first 4 characters");
  });

  it.concurrent(`tells what a command printed after its timeout over ${way}, whatever the next call is`, async ({
    onTestFinished,
    skip,
  }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    await shell.run(`${waitFor("go")}; echo late; (exit 8)`, { timeoutMs: 50 });
    writeFileSync(join(dir, "go"), "");
    await vi.waitUntil(() => shell.state.running === undefined, isTrue);
    const input = await shell.input("x\n");
    expect(input).toMatchObject({ status: "not-run", output: "late\n" });
    expect(input.notes.join()).toContain("exit status 8");
    expect(await shell.run("echo $?")).toMatchObject({ output: "8\n", notes: [] });
  });

  it.concurrent(`interrupts with Ctrl-C over ${way}: 130, and the rest isn't run`, async ({ onTestFinished }) => {
    const { shell, dir } = await session(way, {}, onTestFinished);
    await shell.run("touch begun; sleep 30; echo rest", { timeoutMs: 50 });
    await until(dir);
    const stopped = await shell.ctrl("c");
    expect(stopped).toMatchObject({ status: "ended", exit: 130 });
    expect(stopped.output).not.toContain("rest");
    await shell.run("touch begun; while :; do :; done; echo rest", { timeoutMs: 50 });
    await until(dir);
    expect(await shell.ctrl("C")).toMatchObject({ status: "ended", exit: 130 });
    await shell.run("PS1=; PROMPT_COMMAND=; exec 2>/dev/null; touch begun; sleep 30; echo rest", { timeoutMs: 50 });
    await until(dir);
    expect(await shell.ctrl("c")).toMatchObject({ status: "ended", exit: 130 });
    expect(await shell.ctrl("c")).toMatchObject({
      status: "ended",
      output: "",
      notes: [expect.stringContaining("Nothing runs")],
    });
    expect((await shell.run("echo fine")).output).toBe("fine\n");
  });

  it.concurrent(`suspends with Ctrl-Z over ${way}, says so, and can go on`, async ({ onTestFinished, skip }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    await shell.run(`sh -c 'touch begun; ${waitFor("go")}; echo resumed'`, { timeoutMs: 50 });
    await until(dir);
    const stopped = await shell.ctrl("z");
    expect(stopped).toMatchObject({ status: "ended", exit: 148 });
    expect(stopped.notes.join()).toContain("fg");
    expect((await shell.run("echo between")).output).toContain("between\n");
    writeFileSync(join(dir, "go"), "");
    const resumed = await shell.run("fg", { timeoutMs: 10_000 });
    expect(resumed).toMatchObject({ status: "ended", exit: 0 });
    expect(resumed.output).toContain("resumed\n");
  });

  it.concurrent(`suspends what starts programs all the time over ${way}`, async ({ onTestFinished, skip }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    // Stopped in the middle of a start with vfork, such a loop sleeps for good: about one in seven of these was.
    const went = join(dir, "went");
    writeFileSync(went, "");
    const goesOn = async (): Promise<void> => {
      const before = statSync(went).size;
      await vi.waitUntil(() => statSync(went).size > before, isTrue);
    };
    await shell.run("sh -c 'until [ -e go ]; do echo >>went; /bin/true; done'", { timeoutMs: 20 });
    await goesOn();
    expect(await shell.ctrl("z")).toMatchObject({ status: "ended", exit: 148 });
    for (let times = 0; times < stops; times++) {
      expect(await shell.run("fg", { timeoutMs: 20 })).toMatchObject({ status: "running" });
      await goesOn();
      expect(await shell.ctrl("z")).toMatchObject({ status: "ended", exit: 148 });
    }
    writeFileSync(join(dir, "go"), "");
    expect(await shell.run("fg", { timeoutMs: 10_000 })).toMatchObject({ status: "ended", exit: 0 });
  });

  it.concurrent(`quits with Ctrl-\\ and refuses keys that are none over ${way}`, async ({ onTestFinished, skip }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    await shell.run("ulimit -c 0; touch begun; sleep 30", { timeoutMs: 50 });
    await until(dir);
    expect(await shell.ctrl("\\")).toMatchObject({ status: "ended", exit: 131 });
    expect(() => shell.ctrl("1")).toThrow(TypeError);
    expect(() => shell.ctrl("cc")).toThrow(TypeError);
  });

  it.concurrent(`stops at the hard limit over ${way}, also without anybody waiting`, async ({ onTestFinished }) => {
    const { shell } = await session(way, { maxRuntimeMs: 400 }, onTestFinished);
    const stopped = await shell.run("sleep 30; echo rest");
    expect(stopped).toMatchObject({ status: "ended", exit: 130 });
    expect(stopped.notes.join()).toContain("longer than 400 ms");
    await shell.run("sleep 31; echo rest", { timeoutMs: 50 });
    await vi.waitUntil(() => shell.state.running === undefined, isTrue);
    const next = await shell.run("echo next");
    expect(next).toMatchObject({ status: "ended", exit: 0 });
    // The shell itself ends an interrupted line.
    expect(next.output.trim()).toBe("next");
    expect(next.notes.join()).toContain("longer than 400 ms");
  });

  it.concurrent(`stops what ignores INT and TERM over ${way}, and the shell lives`, async ({
    onTestFinished,
    skip,
  }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    const mark = `stubborn-${way}-${process.pid}`;
    await shell.run("x=kept");
    const script = `bash -c 'trap "" INT TERM; touch begun; : ${mark}; while :; do sleep 0.1; done'; echo rest`;
    const abort = new AbortController();
    const running = shell.run(script, { signal: abort.signal });
    await until(dir);
    abort.abort();
    const stopped = await running;
    expect(stopped.status).toBe("ended");
    expect(stopped.output).not.toContain("rest");
    expect(alive(mark)).toBe("");
    expect((await shell.run("echo $x")).output).toBe("kept\n");
  });

  it.concurrent(`stops a script that ignores INT and TERM in the shell itself over ${way}`, async ({
    onTestFinished,
    skip,
  }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    for (const loop of ["sleep 0.05", ":"]) {
      const abort = new AbortController();
      const running = shell.run(`trap '' INT TERM; touch begun; while :; do ${loop}; done`, { signal: abort.signal });
      await until(dir);
      abort.abort();
      expect((await running).status).toBe("shell-ended");
      expect(await shell.run("echo new")).toMatchObject({ status: "ended", output: "new\n" });
    }
  });

  it.concurrent(`stops an aborted command over ${way}, and doesn't begin one that was aborted before`, async ({
    onTestFinished,
    skip,
  }) => {
    leftToCi({ skip }, way === "pty");
    const { shell, dir } = await session(way, {}, onTestFinished);
    const abort = new AbortController();
    const running = shell.run("sh -c 'touch begun; exec sleep 30'; echo rest", { signal: abort.signal });
    const queued = shell.run("echo queued", { signal: abort.signal });
    await until(dir);
    abort.abort();
    const result = await running;
    expect(result).toMatchObject({ status: "ended", exit: 130 });
    expect(result.notes.join()).toContain("aborted");
    expect(await queued).toMatchObject({ status: "not-run", output: "" });
    expect((await shell.run("echo ok")).output).toBe("ok\n");
  });
}

it.concurrent.for(terminals)(
  "waits no longer than it must behind a command that waits for input (%s)",
  async (way, { onTestFinished }) => {
    const { shell } = await session(way, {}, onTestFinished);
    await shell.run('read -p "Go? " x');
    const refused = await shell.run("echo queued");
    expect(refused).toMatchObject({ status: "not-run", waiting: "input" });
    expect(await shell.input("y\n")).toMatchObject({ status: "ended", exit: 0 });
  },
);
