import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { DiskFileSystem, registerFileSystemTools } from "../src/agentscope/file-system/index.ts";
import { makeExecuteShellCommand } from "../src/agentscope/raw/index.ts";
import { localExecutor, openLocalTools, openShell } from "../src/index.ts";
import { session } from "./shell/sessions.ts";

const roots = tmpdir();
const shell = { cwd: roots, artifactDir: roots };
const local = { command: () => undefined, maxChars: 1000 };
const call = (run: (...given: never[]) => unknown, ...given: unknown[]): Promise<unknown> =>
  (async () => run(...(given as never[])))();

describe("an option that nobody would read is refused, with the name that was meant", () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "openLocalTools",
      () => call(openLocalTools, { roots, statedir: "/x" }),
      /openLocalTools has no option "statedir".*"stateDir"/,
    ],
    [
      "openLocalTools: shell",
      () => call(openLocalTools, { roots, shell: { maxRuntime: 5 } }),
      /shell has no option "maxRuntime".*"maxRuntimeMs"/,
    ],
    [
      "openLocalTools: artifactDir",
      () => call(openLocalTools, { roots, shell: { artifactDir: "/x" } }),
      /no option "artifactDir"/,
    ],
    ["openShell", () => call(openShell, { ...shell, timeout: 5 }), /openShell has no option "timeout".*"timeoutMs"/],
    [
      "localExecutor",
      () => call(localExecutor, local, { maxConcurency: 5 }),
      /localExecutor has no option "maxConcurency".*"maxConcurrency"/,
    ],
    [
      "makeExecuteShellCommand",
      () => call(makeExecuteShellCommand, { maxTimeOut_: 5 }),
      /no option "maxTimeOut_".*"maxTimeout"/,
    ],
    [
      "DiskFileSystem",
      () => call((options) => new DiskFileSystem(options), { rootdir: "/x" }),
      /no option "rootdir".*"rootDir"/,
    ],
  ])("%s", async (_what, run, message) => {
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(message);
  });

  it("of a session's calls", async () => {
    const { shell: opened } = await session("pipe");
    const { run, input, ctrl } = {
      run: opened.run.bind(opened),
      input: opened.input.bind(opened),
      ctrl: opened.ctrl.bind(opened),
    };
    await expect(call(run, "true", { timeout: 1 })).rejects.toThrow(/run has no option "timeout".*"timeoutMs"/);
    await expect(call(input, "", { timeout: 1 })).rejects.toThrow(/input has no option "timeout"/);
    await expect(call(ctrl, "c", { cwd: "/" })).rejects.toThrow(/ctrl has no option "cwd"/);
  });
});

describe("an option of the wrong kind is a TypeError", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["no options", () => call(openLocalTools)],
    ["options: a text", () => call(openLocalTools, roots)],
    ["no roots", () => call(openLocalTools, {})],
    ["roots: a number", () => call(openLocalTools, { roots: 5 })],
    ["stateDir: a number", () => call(openLocalTools, { roots, stateDir: 5 })],
    ["shell: a list", () => call(openLocalTools, { roots, shell: [] })],
    ["shell: a time that is none", () => call(openLocalTools, { roots, shell: { timeoutMs: "5" } })],
    ["shell: a directory that isn't there", () => call(openLocalTools, { roots, shell: { cwd: "/nowhere" } })],
    ["policy: a text", () => call(openLocalTools, { roots, policy: "allow" })],
    ["ask: true", () => call(openLocalTools, { roots, ask: true })],
    ["maxChars: a text", () => call(openLocalTools, { roots, maxChars: "1000" })],
    ["lenient: a text", () => call(openLocalTools, { roots, lenient: "no" })],
    ["keepAttributes: a number", () => call(openLocalTools, { roots, keepAttributes: 1 })],
    ["no options of a shell", () => call(openShell)],
    ["cwd: none", () => call(openShell, { artifactDir: roots })],
    ["bash: a number", () => call(openShell, { ...shell, bash: 5 })],
    ["env: numbers", () => call(openShell, { ...shell, env: { CI: 1 } })],
    ["inheritEnv: a text", () => call(openShell, { ...shell, inheritEnv: "PATH" })],
    ["timeoutMs: a text", () => call(openShell, { ...shell, timeoutMs: "5" })],
    ["columns: a fraction", () => call(openShell, { ...shell, columns: 80.5 })],
    ["no local tools", () => call(localExecutor)],
    ["others: no executor", () => call(localExecutor, local, { others: {} })],
    ["mcp: a text", () => call(localExecutor, local, { mcp: "s" })],
    ["maxConcurrency: none", () => call(localExecutor, local, { maxConcurrency: 0 })],
    ["registerFileSystemTools without a service", () => call(registerFileSystemTools, {}, {})],
  ])("%s", async (_what, run) => {
    await expect(run()).rejects.toThrow(TypeError);
  });
});
