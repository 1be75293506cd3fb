import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox, type SandboxOptions } from "../../src/node/index.ts";
import { addTool } from "../support.ts";
import { keptSandbox } from "./reuse/one-at-a-time.ts";

const given = {
  timeoutMs: 20_000,
  memoryMb: 80,
  maxToolCalls: 2,
  maxSourceBytes: 300,
  maxResultBytes: 20,
  maxLogBytes: 24,
};
const sandbox = keptSandbox({ language: "python", limits: given, tools: [addTool] });
afterAll(() => sandbox[Symbol.asyncDispose]());

it("should report every limit and what was used", async () => {
  const run = await sandbox.run("add(1)\nprint('é')\n__result__ = 'abc'");
  expect(run.stats).toMatchObject({
    limits: { ...given, toolTimeMs: 60_000 },
    toolCalls: 1,
    sourceBytes: 37,
    resultBytes: 5,
    logBytes: 3,
    memoryMb: expect.any(Number),
    startMs: expect.any(Number),
    guestMs: expect.any(Number),
    toolMs: expect.any(Number),
    approvalMs: 0,
  });
  expect(run.stats.memoryMb).toBeLessThanOrEqual(80);
});

it("should count bytes of the source, not characters", async () => {
  const run = await sandbox.run(`x = "${"中".repeat(100)}"`);
  expect(run).toMatchObject({ status: "error", error: { type: "SourceTooLarge" }, stats: { sourceBytes: 306 } });
});

it("should allow a result of exactly the limit and refuse one byte more", async (context) => {
  leftToCi(context);
  expect(await sandbox.run('__result__ = "x" * 18')).toMatchObject({ status: "ok", stats: { resultBytes: 20 } });
  // Bytes, of which these ten characters have nineteen, besides the quotes.
  expect(await sandbox.run('__result__ = "é" * 9 + "x"')).toMatchObject({ error: { type: "ResultTooLarge" } });
});

it("should keep the beginning and the end of much output, with a mark between them, and go on", async () => {
  const run = await sandbox.run("for i in range(100):\n    print('line', i)\nadd(1)\n__result__ = 'done'");
  expect(run).toMatchObject({ status: "ok", value: "done", toolCalls: [{ ok: true }] });
  const lost = Array.from({ length: 97 }, (_, at) => `line ${at + 1}\n`.length).reduce((sum, size) => sum + size);
  expect(run.logs.map(({ text }) => text)).toEqual([
    "line 0",
    `[${lost} bytes of output are left out here, 97 whole lines]`,
    "line 98",
    "line 99",
  ]);
  expect(run.stats.warnings).toEqual([`output of more than 24 bytes: ${lost} in the middle are left out`]);
  expect(run.stats.logBytes).toBeLessThanOrEqual(24);
});

it.each([
  ["as much as there may be", "print('a' * 11)\nprint('b' * 11)", ["a".repeat(11), "b".repeat(11)]],
  ["one line longer than all", "print('a' * 20 + 'b' * 20)", [/^a{9}$/, /^\[18 bytes .* 0 whole lines\]$/, /^b{13}$/]],
  ["letters of several bytes", "print('é' * 40)", [/^é{4}$/, /left out/, /^é+$/]],
  ["an answer after many lines", "print('x\\n' * 50)\nprint('ANSWER')", [/^x$/, /^x$/, "ANSWER"]],
  ["what an exception left", "print('x' * 100)\nprint('LAST')\n1 / 0", [/^x+$/, /left out/, /x+/, "LAST"]],
])("should keep the end of %s", async (_name, code, expected) => {
  const run = await sandbox.run(`${code}\n__result__ = 1`);
  const texts = run.logs.map(({ text }) => text);
  expect(texts.at(-1)).toMatch(expected.at(-1) as string);
  expect(texts.slice(0, 2)).toEqual(expected.slice(0, 2).map((one) => expect.stringMatching(one)));
  expect(run.stats.logBytes).toBeLessThanOrEqual(24);
});

it("should count the calls of tools, caught or not", async () => {
  const run = await sandbox.run("add(1)\nadd(1)\ntry:\n    add(1)\nexcept BaseException:\n    pass\n__result__ = 1");
  expect(run).toMatchObject({ status: "error", error: { type: "ToolCallLimit", line: 4, sourceLine: "    add(1)" } });
  expect(run.toolCalls).toHaveLength(2);
});

it.each([
  [undefined, /language: "python"/],
  [{}, /language: "python"/],
  [{ language: "ruby" }, /"ruby"/],
  [{ language: "python", limits: { timeoutMs: 0 } }, /limits.timeoutMs must be a whole number from 1/],
  [{ language: "python", limits: { memoryMb: "256" } }, /limits.memoryMb/],
  [{ language: "python", limits: { memoryMb: 5000 } }, /from 64 to 2048/],
  [{ language: "python", limits: { timeout: 5 } }, /limits has no option "timeout"\. Did you mean "timeoutMs"/],
  [{ language: "python", imports: "yes" }, /imports must be "refuse" or "ignore-allowed"/],
  [{ language: "python", pool: { size: -1 } }, /pool.size/],
  [{ language: "python", pool: { maxConcurrency: 0 } }, /pool.maxConcurrency/],
  [{ language: "python", cacheDir: "" }, /cacheDir/],
  [
    { language: "python", isolation: "all" },
    /isolation must be "auto" or "process" or "namespace" or "required", not "all"/,
  ],
  [{ language: "python", libraries: "all" }, /libraries must be "standard" or "specification" or an array, not "all"/],
  [
    { language: "python", libraries: ["math", "os"] },
    /libraries: there is no "os", there are math, json, .*unicodedata/,
  ],
  [{ language: "javascript", libraries: "standard" }, /libraries is for Python/],
  [{ language: "python", seed: Number.NaN }, /seed/],
  [{ language: "python", tools: {} }, /tools must be an array/],
  [{ language: "python", tools: [{ name: "x" }] }, /each with name, inputSchema and execute/],
  [{ language: "python", tools: [addTool, addTool] }, /Two tools are named "add"/],
])("should throw a TypeError with the cure for %o", (options, message) => {
  expect(() => createSandbox(options as SandboxOptions)).toThrow(TypeError);
  expect(() => createSandbox(options as SandboxOptions)).toThrow(message);
});

it("should reject a caller's mistakes in run", async () => {
  await expect(sandbox.run(7 as never)).rejects.toThrow(TypeError);
  await expect(sandbox.run("x", { imports: "all" as never })).rejects.toThrow(TypeError);
  await expect(sandbox.run("x", { tools: [{} as never] })).rejects.toThrow(TypeError);
});
