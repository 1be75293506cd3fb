import { drawn, leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { createSandbox, type SandboxLimits } from "../../../src/node/index.ts";
import { addTool, tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const run = async (code: string, limits: Partial<SandboxLimits> = {}) => {
  const one = createSandbox({ language: "javascript", limits, tools: [addTool], pool: { size: 0 } });
  try {
    return await one.run(code);
  } finally {
    await one[Symbol.asyncDispose]();
  }
};
const sandbox = sharedSandbox("javascript", { tools: [addTool] });

const endless = [
  "for (;;);",
  "for (;;) await null",
  "const f = () => Promise.resolve().then(f);\nf();\nreturn 1",
  "for (;;) { try { await (async () => { for (;;); })() } catch {} }",
  "for (;;) { try { for (;;); } finally { continue } }",
  "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "for (;;) console.log('x')",
  "[3, 1, 2].sort(() => { for (;;); })",
];

it.for(endless)("should end an endless program at its deadline: %s", async (code, context) => {
  leftToCi(context, drawn(endless, 3).includes(code));
  const ended = await run(code, { timeoutMs: 300 });
  expect(ended).toMatchObject({ error: { type: "Timeout", message: "the program ran longer than 0.3 s" } });
});

it("should say where a program was at its deadline, when that is known", async () => {
  const ended = await run("let x = 0;\nfunction spin() {\n  for (;;) x = Math.sqrt(x);\n}\nspin();", {
    timeoutMs: 300,
  });
  expect(ended).toMatchObject({ error: { type: "Timeout", line: 3, sourceLine: "  for (;;) x = Math.sqrt(x);" } });
});

// The engine notes no place for a loop that calls, reads and adds up nothing; the program's text tells.
const spinning: [code: string, line: number][] = [
  ["await add({ a: 1 });\nwhile (true);", 2],
  ["const x = Math.abs(1);\nlet y;\nfor (;;) {\n  y = 1;\n}", 3],
  ["let i = 0;\nwhile (i < 1) i = 0;\nfor (const x of []) {}", 2],
  ["const f = () => {\n  do {} while (true);\n};\nf();", 2],
  // Recursion is where it is.
  ["function fib(n) {\n  return n < 2 ? n : fib(n - 1) + fib(n - 2);\n}\nfib(60);\nfor (const x of []) {}", 2],
  ["const s = 'a'.repeat(40) + 'b';\n/(a+)+$/.test(s);\nfor (;;);", 2],
];

it.for(spinning)("should find the line of the loop in %j", async ([code, line], context) => {
  leftToCi(context, line === 2 && !code.includes("Math"));
  expect(await run(code, { timeoutMs: 300 })).toMatchObject({ error: { type: "Timeout", line } });
});

it("should not count the time of tools as the program's", async () => {
  const slow = tool("slow", {}, () => new Promise((resolve) => setTimeout(() => resolve(1), 600)));
  const hurried = sharedSandbox("javascript", { tools: [slow], limits: { timeoutMs: 400 } });
  expect(await hurried.run("return (await slow()) + (await slow())")).toMatchObject({ status: "ok", value: 2 });
});

it("should end at once when nothing can settle what is awaited", async () => {
  const ended = await sandbox.run("await add({ a: 1 });\nawait new Promise(() => {})");
  const message = "the program waits for a promise that nothing will ever settle";
  expect(ended).toMatchObject({ error: { type: "Timeout", message, hint: expect.stringContaining("tools") } });
  expect(ended.stats.guestMs).toBeLessThan(60_000);
});

const greedy = [
  "const a = []; for (;;) a.push({})",
  "const a = []; for (;;) a.push(new Array(1000).fill(1))",
  "const a = []; for (;;) a.push(new ArrayBuffer(1e6))",
  "return new Array(5e7).fill(1).length",
  "let s = 'x'; const all = []; for (;;) { s += s.slice(0, 1e6); all.push(s + 1) }",
];

it.each(greedy)(
  "should report a program that needs too much memory: %s",
  async (code) => {
    const ended = await run(code, { memoryMb: 32, timeoutMs: 60_000 });
    expect(ended).toMatchObject({ error: { type: "MemoryLimit", message: "the program needs more than 32 MB" } });
    expect(ended.stats.memoryMb).toBeLessThanOrEqual(32);
  },
  80_000,
);

const deep = [
  "const f = () => f() + 1;\nf()",
  "let x = []; for (let i = 0; i < 2e4; i++) x = [x];\nreturn JSON.stringify(x)",
  "return eval('('.repeat(1e5))",
  "const o = {}; o.toString = () => '' + o;\nreturn '' + o",
  "const p = new Proxy({}, { get: (t, k, r) => r[k] });\nreturn p.x",
];

it.for(deep)("should report a program that nests too deeply: %s", async (code, context) => {
  leftToCi(context, !code.includes("JSON"));
  const ended = await sandbox.run(code);
  const error = { type: "RangeError", message: "the program nests too deeply for its stack" };
  expect(ended).toMatchObject({ error });
});

it("should let a program catch what it can, and go on", async () => {
  const ended = await sandbox.run("const f = () => f() + 1;\ntry { f() } catch (e) { return await add({ a: 1 }) }");
  expect(ended).toMatchObject({ status: "ok", value: 3 });
});

it("should keep the host's event loop free", async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await run("for (;;) console.log('flood')", { timeoutMs: 500, maxLogBytes: 1_000_000 });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
});
