import { readdirSync, readFileSync } from "node:fs";
import { share } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import type { Sandbox } from "../../../src/node/index.ts";
import { javascriptSandbox } from "../../own-sandbox.ts";
import { addTool } from "../../support.ts";

const MB = 1024 * 1024;
const linux = process.platform === "linux";

/** What leaks when ends are not tidy: descriptors and threads of this process, where the system shows them. */
function held(): { descriptors: number; threads: number } {
  if (!linux) return { descriptors: 0, threads: 0 };
  const threads = Number(/^Threads:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  return { descriptors: readdirSync("/proc/self/fd").length, threads };
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

const kinds = [
  "return await add({ a: 1 })",
  "console.log('x'); return Promise.all([1, 2, 3].map((a) => add({ a }))).then(() => 3)",
  "await add({ a: 1 }); throw new Error('e')",
  "await (async () => { await add({ a: 7 }); })(); return 3",
  "return [",
  "add({ a: 1 }); return 3",
];

const inRow = share("runs in a row", 18, 3000);
const together = share("at a time", 20, 2000);

it(`should hold nothing after ${inRow.told}, and ${together.told}`, async () => {
  const one = async (sandbox: Sandbox, index: number): Promise<void> => {
    const run = await sandbox.run(kinds[index % kinds.length] as string);
    expect(run.status === "ok" ? "ok" : run.error.type).toBe(
      ["ok", "ok", "Error", "ok", "SyntaxError", "ok"][index % 6],
    );
  };
  {
    await using first = javascriptSandbox({ tools: [addTool] });
    for (let index = 0; index < 12; index++) await one(first, index);
  }
  await rest();
  const before = { ...held(), heap: process.memoryUsage().heapUsed, rss: process.memoryUsage.rss() };

  {
    await using sandbox = javascriptSandbox({ tools: [addTool] });
    for (let index = 0; index < inRow.count; index++) await one(sandbox, index);
    for (let done = 0; done < together.count; done += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => one(sandbox, index)));
    }
    expect(sandbox.stats()).toMatchObject({ running: 0, waiting: 0 });
  }
  await rest();
  const after = held();
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 2);
  expect(after.threads).toBeLessThanOrEqual(before.threads + 2);
  expect((process.memoryUsage().heapUsed - before.heap) / MB).toBeLessThan(60);
  expect((process.memoryUsage.rss() - before.rss) / MB).toBeLessThan(250);
}, 3_600_000);

it("should end runs that are at work when it is disposed, and leave nothing of them", async () => {
  await rest();
  const before = held();
  const sandbox = javascriptSandbox({ tools: [addTool] });
  const runs = ["for (;;);", "await new Promise(() => {}); ", "for (;;) await add({ a: 1 });", "return 1"].map((code) =>
    sandbox.run(code),
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  await sandbox[Symbol.asyncDispose]();
  for (const run of await Promise.all(runs)) expect(["ok", "error"]).toContain(run.status);
  await rest();
  expect(held().threads).toBeLessThanOrEqual(before.threads + 2);
  await expect(sandbox.run("return 1")).rejects.toMatchObject({ code: "sandbox/disposed" });
});

it("should let no state pass from one run to the next", async () => {
  await using sandbox = javascriptSandbox({
    tools: [addTool],
    pool: { size: 2, maxConcurrency: 2 },
  });
  const leave = `globalThis.left = "left"; Object.prototype.left = Array.prototype.left = Function.prototype.left = "left";
    JSON.left = Math.left = console.left = add.left = ToolError.left = "left"; Promise.prototype.then.left = "left";
    Symbol.for("left").description; RegExp.prototype.exec.left = /(left)/.exec("left")[0]; Math.random = () => 4;
    return Symbol.keyFor(Symbol.for("left"));`;
  const look = `return [typeof left, {}.left, [].left, (() => 1).left, JSON.left, Math.left, console.left, add.left,
    ToolError.left, Promise.prototype.then.left, RegExp.prototype.exec.left, RegExp.$1, Math.random() === 4].map((x) => x ?? null)`;
  for (let round = 0; round < 3; round++) expect(await sandbox.run(leave)).toMatchObject({ status: "ok" });
  for (let round = 0; round < 3; round++) {
    expect(await sandbox.run(look)).toMatchObject({
      value: ["undefined", null, null, null, null, null, null, null, null, null, null, null, false],
    });
  }
});

it("should draw different random numbers in each run, and the same with a seed", async () => {
  const code = "return [Math.random(), Math.random()]";
  const draw = async (seed?: string): Promise<unknown[]> => {
    await using sandbox = javascriptSandbox({ ...(seed === undefined ? {} : { seed }) });
    const runs = [await sandbox.run(code), await sandbox.run(code)];
    return runs.map((run) => (run.status === "ok" ? JSON.stringify(run.value) : run.error));
  };
  const [first, second] = await draw();
  expect(first).not.toEqual(second);
  const [a, b] = await draw("seed");
  expect(a).toEqual(b);
  expect((await draw("other"))[0]).not.toEqual(a);
});
