import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { localErrorType } from "../../src/errors.ts";
import { openShell } from "../../src/shell/open-shell.ts";
import { session } from "./sessions.ts";

const artifactDir = join(tmpdir(), "tg-shell-never-written");

it("takes a terminal by itself where there is one", async () => {
  const { shell } = await session("auto");
  expect(shell.state).toMatchObject({ backend: "pty", limits: [], running: undefined, generation: 1 });
  expect((await shell.run("test -t 0 && test -t 1 && tty >/dev/null; echo $?")).output).toBe("0\n");
});

it("falls back to pipes and says why and what is lost", async () => {
  vi.doMock("@lydell/node-pty", () => {
    throw new Error("no prebuilt binary here");
  });
  const { shell } = await session("auto");
  vi.doUnmock("@lydell/node-pty");
  expect(shell.state.backend).toBe("pipe");
  expect(shell.state.limits[0]).toMatch(/^No pseudo-terminal: /);
  expect(shell.state.limits.join("\n")).toContain("no terminal");
  expect(await shell.run("echo works; (exit 3)")).toMatchObject({ output: "works\n", exit: 3 });
});

it("refuses a terminal that was asked for and can't be had, and a bash that isn't there", async () => {
  const cwd = tmpdir();
  const missing = await openShell({ cwd, artifactDir, bash: "/nonexistent/bash" }).catch((error: unknown) => error);
  expect(localErrorType(missing)).toBe("ShellUnavailable");
  const notBash = await openShell({ cwd, artifactDir, backend: "pty", bash: "/bin/true" }).catch(
    (error: unknown) => error,
  );
  expect(localErrorType(notBash)).toBe("ShellUnavailable");
});

it("throws for options that can't be", async () => {
  const cwd = tmpdir();
  await expect(openShell({ cwd: "/nonexistent", artifactDir })).rejects.toThrow(TypeError);
  await expect(openShell({ cwd, artifactDir: "" })).rejects.toThrow(TypeError);
  await expect(openShell({ cwd, artifactDir, backend: "tty" as never })).rejects.toThrow(TypeError);
  await expect(openShell({ cwd, artifactDir, timeoutMs: -1 })).rejects.toThrow(TypeError);
  await expect(openShell({ cwd, artifactDir, columns: 0 })).rejects.toThrow(TypeError);
  await expect(openShell({ cwd, artifactDir, rows: 2.5 })).rejects.toThrow(TypeError);
  await expect(openShell({ cwd, artifactDir, maxChars: Number.POSITIVE_INFINITY })).rejects.toThrow(TypeError);
});

it("throws for calls that can't be", async () => {
  const { shell } = await session("pipe");
  expect(() => shell.run(3 as never)).toThrow(TypeError);
  expect(() => shell.run("x", { timeoutMs: -1 })).toThrow(TypeError);
  expect(() => shell.input(undefined as never)).toThrow(TypeError);
  expect(() => shell.ctrl("")).toThrow(TypeError);
});
