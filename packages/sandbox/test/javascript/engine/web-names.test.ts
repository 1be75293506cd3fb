import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import { tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const slow = tool(
  "slow",
  { ms: { type: "number" } },
  ({ ms }: { ms: number }) => new Promise((resolve) => setTimeout(resolve, ms, ms)),
);
const sandbox = sharedSandbox("javascript", { tools: [slow], limits: { timeoutMs: 1000 } });
/** For what takes as long as a busy machine has it. */
const patient = sharedSandbox("javascript");
const value = async (code: string, by = sandbox) => {
  const run = await by.run(code);
  return run.status === "ok" ? run.value : run.error;
};

it.each([
  ["const t = Date.now(); await new Promise((r) => setTimeout(r, 60)); return Date.now() - t >= 59", true],
  [
    "const seen = []; setTimeout(() => seen.push('b'), 20); setTimeout((x) => seen.push(x), 10, 'a'); queueMicrotask(() => seen.push('m')); await new Promise((r) => setTimeout(r, 30)); return seen.join('')",
    "mab",
  ],
  [
    "let n = 0; await new Promise((r) => { const id = setInterval(() => { if (++n === 3) { clearInterval(id); r(); } }, 5); }); return n",
    3,
  ],
  ["const id = setTimeout(() => { throw new Error('x') }, 1); clearTimeout(id); return typeof id", "number"],
  [
    "return await Promise.race([slow({ ms: 500 }), new Promise((_, fail) => setTimeout(() => fail(new Error('late')), 20))]).catch((e) => e.message)",
    "late",
  ],
  [
    "return await Promise.race([slow({ ms: 1 }), new Promise((_, fail) => setTimeout(() => fail(new Error('late')), 60000))])",
    1,
  ],
  ["setInterval(() => {}, 10); return 1", 1],
  [
    "const c = new AbortController(); setTimeout(() => c.abort(), 5); return await new Promise((r) => c.signal.addEventListener('abort', () => r(c.signal.reason.name)))",
    "AbortError",
  ],
  [
    "return await new Promise((r) => { AbortSignal.timeout(5).onabort = (e) => r(e.target.reason.name); })",
    "TimeoutError",
  ],
  [
    "return performance.now() >= 0 && performance.now() < 1000 && /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
    true,
  ],
  ["return [...crypto.getRandomValues(new Uint8Array(4))].length", 4],
])("should have timers and their like: %s", async (code, expected) => {
  expect(await value(code)).toEqual(expected);
});

it("should count the time of timers as the program's, but for what it waits for of tools", async () => {
  const run = await sandbox.run("await new Promise((r) => setTimeout(r, 5000))\nreturn 1");
  expect(run).toMatchObject({ status: "error", error: { type: "Timeout" } });
  expect(run.stats.guestMs).toBeLessThan(1500);
  expect(
    await value(
      "const r = await Promise.all([slow({ ms: 1200 }), new Promise((r) => setTimeout(r, 1100, 'x'))]); return r",
    ),
  ).toEqual([1200, "x"]);
});

it("should take as many timers as a program makes, and end one that never ends", async () => {
  const many =
    "let n = 0, last = 0, ordered = true; for (let i = 0; i < 2000; i++) setTimeout(() => { ordered &&= i >= last; last = i; n++; }, 1); await new Promise((r) => setTimeout(r, 30)); return [n, ordered]";
  expect(await value(many, patient)).toEqual([2000, true]);
  const later =
    "let n = 0; for (let i = 0; i < 1000; i++) setTimeout(() => { n++; }, (i * 7919) % 1000); __result__ = n; return 1";
  expect(await value(later, patient)).toBe(1);
  const endless = "const tick = () => { setTimeout(tick, 1000); };\ntick();\nreturn 1";
  expect(await value(endless)).toMatchObject({ type: "Timeout" });
});

it("should tell of what a timer throws, and run what only a timer was left to do", async () => {
  expect(await value("setTimeout(() => {\n  throw new TypeError('in time');\n}, 5);\nreturn 1")).toMatchObject({
    type: "TypeError",
    message: "in time",
    line: 2,
  });
  const run = await sandbox.run("setTimeout(() => slow({ ms: 1 }), 500_000);\nreturn 1");
  expect(run).toMatchObject({ value: 1, toolCalls: [{ ok: true }] });
});

it("should come to the same in a replay", async () => {
  const log = new MemoryOperationLog();
  const code =
    "const t = Date.now(); await new Promise((r) => setTimeout(r, 50_000)); const u = Date.now(); const s = await slow({ ms: 5 }); return [u - t, s, performance.now() >= 50_000, crypto.randomUUID(), Date.now() >= u]";
  const first = await sandbox.run(code, { durable: { storage: { operations: log }, id: "timers", parkAfterMs: 1 } });
  const again = await sandbox.run(code, { durable: { storage: { operations: log }, id: "timers" } });
  expect(first).toMatchObject({ status: "ok", value: [50_000, 5, true, expect.any(String), true] });
  expect(again.status === "ok" && first.status === "ok" && again.value).toEqual(first.status === "ok" && first.value);
});

it("should leave no timer of a program to the next of its session", async () => {
  await using session = await sandbox.openSession();
  expect(await session.run("let n = 0; setTimeout(() => { n = 1; }, 100); throw new Error('end')")).toMatchObject({
    status: "error",
  });
  expect(await session.run("await new Promise((r) => setTimeout(r, 10)); return n")).toMatchObject({
    value: 0,
    state: "kept",
  });
});

it("should print what console.time and console.count do", async () => {
  const run = await sandbox.run(
    "console.time('a'); console.timeLog('a', 1); console.timeEnd('a'); console.timeEnd('a'); console.count(); console.count(); return 1",
  );
  expect(run.logs.map(({ text }) => text.replace(/\d+ms/, "Nms"))).toEqual([
    "a: Nms 1",
    "a: Nms",
    "Timer 'a' does not exist",
    "default: 1",
    "default: 2",
  ]);
});

it("should name in hints only what is there", async () => {
  expect(await value("return new TextEncodr()")).toMatchObject({ hint: "did you mean TextEncoder?" });
  expect(await value("new Encodder(); new Encoder()")).not.toHaveProperty("hint", expect.stringContaining("Encoder?"));
  expect(await value("const totals = 1;\nreturn total")).toMatchObject({ hint: "did you mean totals?" });
  expect(await value("const { rowCount, rowz } = { rowCount: 1 };\nreturn rowcount")).toMatchObject({
    hint: "did you mean rowCount?",
  });
  expect(await value("return Intl.NumberFormat()")).toMatchObject({ hint: expect.stringContaining("toLocaleString") });
});
