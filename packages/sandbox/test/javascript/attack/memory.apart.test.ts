import { ToolError } from "@toolglot/core";
import { drawn, leftToCi, share, someOf } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { javascriptSandbox } from "../../own-sandbox.ts";
import { tool } from "../../support.ts";

const limits = { timeoutMs: 60_000, memoryMb: 64 };
const sandbox = javascriptSandbox({ limits, pool: { size: 1, maxConcurrency: 2 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

const MB = 1024 * 1024;

/** Fills memory in the ways that `setMemoryLimit` alone lets through. */
const bombs = [
  "const a = []; for (;;) a.push(new ArrayBuffer(1e6));",
  "const a = []; for (let i = 0; ; i++) a.push(String(i).padEnd(100_000, 'x'));",
  "const a = []; for (let i = 0; i < 3e6; i++) a.push({ i });",
  "const a = []; for (;;) a.push(new Float64Array(50_000).fill(1));",
];

/** Largest resident memory while `work` runs, in MB. */
async function peakOf(work: () => Promise<void>): Promise<number> {
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss() / MB);
  };
  const timer = setInterval(look, 10);
  look();
  await work();
  clearInterval(timer);
  return peak;
}

/** Resident memory once what was freed is given back, in MB. */
async function settled(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10; tries++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
    least = Math.min(least, process.memoryUsage.rss() / MB);
  }
  return least;
}

it.for(someOf([64, 24, 128], 0, [24]))("should hold the memory of a program to %i MB", async (memoryMb) => {
  await using capped = javascriptSandbox({ limits: { ...limits, memoryMb } });
  for (const code of bombs) {
    const run = await capped.run(code);
    expect(run).toMatchObject({ status: "error", error: { type: "MemoryLimit" } });
    if (run.stats.memoryMb !== undefined) expect(run.stats.memoryMb).toBeLessThanOrEqual(memoryMb);
  }
  // What is left beside the interpreter itself can be used.
  const fits = await capped.run(`const a = new Uint8Array(${(memoryMb - 20) * 0.8 * 1e6}).fill(1); return a.length;`);
  expect(fits).toMatchObject({ status: "ok" });
});

const row = share("memory bombs in a row", 3, 400);

it(`should give memory back after ${row.told}`, async () => {
  await sandbox.run("return 1");
  await sandbox.run(bombs[0] as string);
  const before = await settled();
  const peak = await peakOf(async () => {
    for (let index = 0; index < row.count; index += 2) {
      const two = [index, index + 1].map((each) => sandbox.run(bombs[each % bombs.length] as string));
      for (const run of await Promise.all(two)) expect(run).toMatchObject({ error: { type: "MemoryLimit" } });
    }
  });
  const after = await settled();
  // Two at work and one kept ready have 64 MB each; threads and V8 take their own, and are collected when they please.
  expect(peak - before).toBeLessThan(3 * 64 + 250);
  expect(after - before).toBeLessThan(150);
}, 3_600_000);

/** Long enough that a fifth of the rounds fills a sandbox of 24 MB, short enough that all rounds stay within 32 MB. */
const long = "'x'.repeat(330_000)";

const garbage: [string, string][] = [
  ["answers", "for (let i = 0; i < 45; i++) await big({ bytes: 1_000_000 }); return 1;"],
  // Cycles of a program that calls no tool stay: the engine counts blocks, not bytes, before it looks for them.
  [
    "its own cycles",
    "for (let i = 0; i < 45; i++) { const o = { text: await big({ bytes: 1_000_000 }) }; o.self = o; } return 1;",
  ],
  ["arguments", `for (let i = 0; i < 45; i++) await size({ text: ${long} }); return 1;`],
  ["failed calls", `for (let i = 0; i < 45; i++) try { await fail({ text: ${long} }); } catch {} return 1;`],
  ["refused calls", `for (let i = 0; i < 45; i++) try { await size({ txt: ${long} }); } catch {} return 1;`],
  [
    "its async functions",
    `const f = async (i) => { const text = "x".repeat(1_000_000) + i; await size({ text: "" }); return text.length; };
    for (let i = 0; i < 45; i++) await f(i);
    return 1;`,
  ],
  [
    "its closures",
    "for (let i = 0; i < 45; i++) { const text = await big({ bytes: 1e6 }); function f() { return [f, text]; } f(); } return 1;",
  ],
];

const some = someOf(garbage, 3);
const sample = drawn(some, 2);

it.for(some)("should give memory back to a program that is done with %s", async (one, context) => {
  leftToCi(context, sample.includes(one));
  const [, code] = one;
  const tools = [
    tool("big", { bytes: { type: "number" } }, ({ bytes }: { bytes: number }) => "x".repeat(bytes)),
    tool("size", { text: { type: "string" } }, ({ text }: { text: string }) => text.length),
    tool("fail", { text: { type: "string" } }, ({ text }: { text: string }) => {
      throw new ToolError(text.slice(0, 500_000));
    }),
  ];
  await using small = javascriptSandbox({ limits: { ...limits, memoryMb: 24 } });
  const run = await small.run(code, { tools });
  expect(run.status === "ok" ? run.value : run.error).toBe(1);
});
