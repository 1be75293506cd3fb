import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftToCi } from "@toolglot/internal/testing";
import { afterEach, expect, it, vi } from "vitest";
import { openShell } from "../../src/shell/open-shell.ts";
import type { ShellSession } from "../../src/shell/types.ts";
import { noteWithoutBubblewrap } from "../support/bubblewrap.ts";
import { fewWays, optionsOf, type Way, ways } from "./sessions.ts";

const open: ShellSession[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((shell) => shell.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function shell(way: Way, options: { maxRuntimeMs?: number } = {}): Promise<ShellSession> {
  const cwd = mkdtempSync(join(tmpdir(), "toolglot-recovery-"));
  folders.push(cwd);
  const session = await openShell({ cwd, ...optionsOf(way), artifactDir: join(cwd, "artifacts"), ...options });
  open.push(session);
  return session;
}

noteWithoutBubblewrap();

it.each(ways)("has nothing of another session's open (%s)", async (way) => {
  await shell("pty");
  await shell("pty");
  const third = await shell(way);
  const { output } = await third.run("for f in /proc/$$/fd/*; do readlink $f; done");
  expect(output).not.toContain("ptmx");
  // And the shell's own ones are all there still.
  expect(await third.run("echo out; echo err >&2; read -t 0 || true; (exit 3)")).toMatchObject({ exit: 3 });
});

it.for(fewWays)("never tells a command that was stopped as one that succeeded (%s)", async (way, context) => {
  leftToCi(context, way === "pty");
  const session = await shell(way, { maxRuntimeMs: 5000 });
  const run = await session.run("bash -c \"trap '' INT TERM; while :; do sleep 0.2; done\"", { timeoutMs: 400 });
  expect(run.status).toBe("running");
  await session.input("y", { timeoutMs: 100 });
  await session.ctrl("g", { timeoutMs: 100 });
  const ended = await session.input("", { timeoutMs: 20_000 });
  expect(ended.status).toBe("ended");
  expect(ended.exit).toBeGreaterThan(128);
  expect(await session.run("echo next")).toMatchObject({ status: "ended", exit: 0, output: "next\n" });
});

it.each(fewWays)("recovers, by one Ctrl-C, from a script that holds its own place open (%s)", async (way) => {
  const session = await shell(way);
  await session.run("exec 9<>$BASH_SOURCE");
  const stuck = await session.run("echo stuck", { timeoutMs: 500 });
  expect(stuck.status).toBe("running");
  await session.ctrl("c", { timeoutMs: 10_000 });
  expect(await session.run("echo next", { timeoutMs: 15_000 })).toMatchObject({ status: "ended", output: "next\n" });
  expect(await session.run("echo third", { timeoutMs: 15_000 })).toMatchObject({ status: "ended", output: "third\n" });
});

it.each(fewWays)(
  "types no line before its new place for scripts is there, however long that takes (%s)",
  async (way) => {
    const places = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`toolglot-shell-${process.pid}-`));
    const before = places();
    const session = await shell(way);
    const slow = mkdtempSync(join(tmpdir(), "toolglot-recovery-"));
    folders.push(slow);
    // Longer than a silence after which the shell is looked at.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that expands it.
    writeFileSync(join(slow, "mkfifo"), '#!/bin/sh\nsleep 0.2\nPATH="${PATH#*:}" exec mkfifo "$@"\n', { mode: 0o755 });
    expect(await session.run("sleep 20", { timeoutMs: 100 })).toMatchObject({ status: "running" });
    await session.ctrl("c", { timeoutMs: 10_000 });
    vi.stubEnv("PATH", `${slow}:${process.env.PATH}`);
    const next = await session.run("echo next").finally(() => vi.unstubAllEnvs());
    expect(next).toMatchObject({ status: "ended", output: "next\n", notes: [] });
    await session.close();
    expect(places()).toEqual(before);
  },
);

it.each(ways)("says that set -e ended the shell, and what to do (%s)", async (way) => {
  const session = await shell(way);
  await session.run("set -e");
  const later = await session.run("false; echo never");
  expect(later).toMatchObject({ status: "shell-ended", exit: 1 });
  expect(later.notes.join("\n")).toMatch(/set -e.* was on/);
  const same = await session.run("set -euo pipefail\nfalse");
  expect(same.notes.join("\n")).toMatch(/set -e.* was on/);
  expect((await session.run("exit 2")).notes.join("\n")).not.toMatch(/set -e/);
});
