import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { openShell } from "../../src/shell/open-shell.ts";
import { newShellFolder } from "../../src/shell/shell-folders.ts";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { fewWays, hasTerminal, isConfined, optionsOf, session } from "./sessions.ts";

const alive = (mark: string): string =>
  execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(mark) && !line.includes("ps -A"))
    .join("\n");

/** The number that the host has for a session's shell; `source`: where its scripts lie. */
const shellOf = (source: string): number => {
  const folder = source.split("/").find((name) => name.startsWith("toolglot-shell-")) ?? "no folder";
  return Number(/^ *(\d+) bash /m.exec(alive(folder))?.[1]);
};

const until = async (done: () => boolean): Promise<boolean> => {
  for (let n = 0; n < 100 && !done(); n++) await new Promise((resolve) => setTimeout(resolve, 50));
  return done();
};

const folder = mkdtempSync(join(tmpdir(), "tg-shell-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("removes no folder of a process that lives, and follows no link", async () => {
  const mine = newShellFolder();
  const link = mine.replace(`-${process.pid}-`, "-4194999-").replace(/.{6}$/, "Linked");
  const dead = mine.replace(`-${process.pid}-`, "-4194999-").replace(/.{6}$/, "Dead00");
  const other = dead.replace(/-[0-9a-f]{8}-Dead00$/, "-00000000-Dead00");
  writeFileSync(join(folder, "kept"), "");
  symlinkSync(folder, link);
  for (const path of [dead, other]) mkdirSync(path);
  symlinkSync(folder, join(dead, "link"));
  try {
    await session("pipe");
    expect([mine, link, dead, other, join(folder, "kept")].map((path) => existsSync(path))).toEqual([
      ...[true, true, false, true, true],
    ]);
  } finally {
    for (const path of [mine, link, dead, other]) rmSync(path, { recursive: true, force: true });
  }
});

it("gives up what is left of a long output when a session is closed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tg-shell-close-"));
  const shell = await openShell({ cwd: dir, backend: "pipe", artifactDir: join(dir, "artifacts"), maxChars: 1000 });
  await shell.run("sleep 0.1; seq 100000; sleep 30", { timeoutMs: 20 });
  expect(await until(() => existsSync(join(dir, "artifacts")))).toBe(true);
  const closing = shell.close();
  await closing;
  expect(readdirSync(join(dir, "artifacts"))).toEqual([]);
  rmSync(dir, { recursive: true, force: true });
});

let bundle: Promise<string> | undefined;
/** The shell as one file that plain Node runs. */
function bundled(): Promise<string> {
  bundle ??= (async () => {
    const outfile = join(folder, "shell.mjs");
    const pty = createRequire(import.meta.url).resolve("@lydell/node-pty");
    await build({
      entryPoints: [join(import.meta.dirname, "../../src/shell/open-shell.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      conditions: ["source"],
      alias: { "@lydell/node-pty": pty },
      external: [pty],
      logLevel: "error",
    });
    return outfile;
  })();
  return bundle;
}

noteWithoutBubblewrap();
for (const way of fewWays) {
  it(`reports the death of the shell over ${way}, and starts another in the same place`, async () => {
    const { shell, dir } = await session(way);
    await shell.run("mkdir sub; cd sub; x=lost");
    for (const [script, exit] of [
      ["echo bye; exit 3; echo no", 3],
      ["exec sh -c 'echo taken over; exit 4'", 4],
      ["kill -9 $$", 137],
      ["set -e; echo a; false; echo no", 1],
    ] as const) {
      const ended = await shell.run(script);
      expect(ended).toMatchObject({ status: "shell-ended", exit });
      expect(ended.output).not.toContain("no\n");
      const next = await shell.run('pwd; echo "x=$x"; echo $?');
      expect(next).toMatchObject({ status: "ended", exit: 0, output: `${dir}/sub\nx=\n0\n` });
      expect(next.notes.join()).toContain(`exit status ${exit}`);
      expect((await shell.run("true")).notes).toEqual([]);
    }
    expect(shell.state.generation).toBe(5);
    await shell.run("rmdir ../sub; exit 0");
    const elsewhere = await shell.run("pwd");
    expect(elsewhere.output).toBe(`${dir}\n`);
    expect(elsewhere.notes.join()).toContain(`It starts in ${dir}`);
  });

  it(`notices over ${way} that the shell was killed while nothing ran`, async () => {
    const { shell } = await session(way);
    process.kill(shellOf((await shell.run("echo $BASH_SOURCE")).output), "SIGKILL");
    const next = await shell.run("echo after");
    expect(next).toMatchObject({ status: "ended", output: "after\n", exit: 0 });
    expect(next.notes.join()).toContain("exit status 137");
  });

  it(`leaves no process, file or descriptor behind when a session over ${way} is closed`, async (context) => {
    leftToCi(context, way === "pty");
    const dir = mkdtempSync(join(tmpdir(), "tg-shell-close-"));
    const mark = `left-${way}-${process.pid}`;
    const descriptors = (): number => readdirSync("/proc/self/fd").length;
    const before = existsSync("/proc/self/fd") ? descriptors() : 0;
    for (let round = 0; round < 3; round++) {
      const shell = await openShell({ cwd: dir, ...optionsOf(way), artifactDir: join(dir, "artifacts") });
      const source = (await shell.run("echo $BASH_SOURCE")).output.trim();
      expect(existsSync(dirname(source))).toBe(true);
      await shell.run(`bash -c 'trap "" HUP INT TERM; while :; do sleep 0.1; done # ${mark}' & disown; sleep 0.05`);
      const running = shell.run(`bash -c 'trap "" HUP INT TERM; while :; do sleep 0.1; done # ${mark}'`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await Promise.all([shell.close(), shell.close()]);
      expect((await running).status).not.toBe("running");
      expect(existsSync(dirname(source))).toBe(false);
      await expect(shell.run("echo no")).rejects.toThrow("closed");
    }
    expect(await until(() => alive(mark) === "")).toBe(true);
    if (before > 0) expect(await until(() => descriptors() <= before + 1)).toBe(true);
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  it(`answers all that waits when a session over ${way} is closed`, async () => {
    const { shell } = await session(way);
    const calls = [shell.run("sleep 60"), shell.run("echo a"), shell.input("b"), shell.ctrl("c")];
    await new Promise((resolve) => setTimeout(resolve, 100));
    await shell.close();
    const results = await Promise.all(calls);
    expect(results[0]?.notes.join()).toContain("closed");
    expect(results.slice(1).map(({ status }) => status)).toEqual(["not-run", "not-run", "not-run"]);
  });

  // An open terminal holds its host: node-pty's wait for the shell's exit can't be let go.
  const ends = ["process.exit(0)", "process.kill(process.pid, 'SIGKILL')", ...(hasTerminal(way) ? [] : [""])];
  for (const leave of ends) {
    it(`leaves nothing behind over ${way} when its host ends by ${leave || "itself"}`, async () => {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), "tg-shell-host-")));
      const mark = `host-${way}-${process.pid}-${Math.random().toString(36).slice(2)}`;
      const program = `
        const { openShell } = await import(process.argv[2]);
        const dir = ${JSON.stringify(dir)};
        const shell = await openShell({ cwd: dir, artifactDir: dir, ...${JSON.stringify(optionsOf(way))} });
        const { output } = await shell.run("sleep 300 & echo $$ $BASH_SOURCE; : ${mark}");
        console.log(output);
        ${leave}`;
      const file = join(dir, "host.mjs");
      writeFileSync(file, program);
      const host = spawn(process.execPath, [file, await bundled()], { stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      host.stdout.on("data", (data) => (output += data));
      host.stderr.on("data", (data) => (output += data));
      await new Promise((resolve) => host.on("close", resolve));
      const [, pid = "", source = ""] = /^(\d+) (\S+)$/m.exec(output) ?? [];
      expect(output).toContain("/script");
      const gone = (): boolean => {
        if (isConfined(way)) return Number.isNaN(shellOf(source));
        return !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
      };
      expect(await until(gone)).toBe(true);
      // Nothing can be tidied after SIGKILL but what the system does itself: the next session does.
      if (leave.includes("SIGKILL")) await session(way);
      expect(existsSync(dirname(source))).toBe(false);
      rmSync(dir, { recursive: true, force: true });
    });
  }
}
