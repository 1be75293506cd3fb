import { expect, it, vi } from "vitest";
import { javascriptSandbox } from "../own-sandbox.ts";
import { tool } from "../support.ts";

// Starts of threads take what the machine has left.
vi.setConfig({ testTimeout: 60_000 });

it("should keep a thread ready, run eight programs at once, and the others in order", async () => {
  await using sandbox = javascriptSandbox();
  await sandbox.warm();
  expect(sandbox.stats()).toMatchObject({ idle: 1, started: 1, isolation: "worker" });
  const order: number[] = [];
  let together = 0;
  let most = 0;
  let goOn: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const step = tool("step", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    order.push(n);
    most = Math.max(most, ++together);
    if (together === 8) goOn();
    await all;
    together--;
    return n;
  });
  const numbers = Array.from({ length: 12 }, (_, n) => n);
  const runs = numbers.map((n) => sandbox.run(`__result__ = await step({ n: ${n} });`, { tools: [step] }));
  expect(sandbox.stats()).toMatchObject({ running: 8, waiting: 4 });
  const values = (await Promise.all(runs)).map((run) => run.status === "ok" && run.value);
  expect(values).toEqual(numbers);
  expect(most).toBe(8);
  // Who waits is started in order; which of eight threads is ready first is the machine's choice.
  expect(order.slice(0, 8).sort((a, b) => a - b)).toEqual(numbers.slice(0, 8));
  expect(sandbox.stats()).toMatchObject({ running: 0, waiting: 0, served: 12, failed: 0 });
});

it("should let no thread see what another one left", async () => {
  await using sandbox = javascriptSandbox({ pool: { size: 1 } });
  const program = "globalThis.mark = (globalThis.mark ?? 0) + 1; Array.prototype.mark = 1; __result__ = mark;";
  for (let round = 0; round < 3; round++) {
    expect(await sandbox.run(program)).toMatchObject({ status: "ok", value: 1 });
  }
});

it("should drain", async () => {
  const sandbox = javascriptSandbox({ pool: { maxConcurrency: 1, maxWaiting: 1 } });
  const runs = [1, 2].map((n) => sandbox.run(`__result__ = ${n};`));
  await expect(sandbox.run("__result__ = 3;")).rejects.toMatchObject({ code: "sandbox/busy" });
  await sandbox.drain();
  expect((await Promise.all(runs)).map((run) => run.status === "ok" && run.value)).toEqual([1, 2]);
  expect(sandbox.stats()).toMatchObject({ idle: 0, starting: 0, running: 0, waiting: 0, served: 2 });
  await expect(sandbox.run("1")).rejects.toMatchObject({ code: "sandbox/disposed" });
});

it("should refuse an isolation that a thread can't have", () => {
  expect(() => javascriptSandbox({ isolation: "namespace" })).toThrow(TypeError);
  expect(() => javascriptSandbox({ isolation: "auto" })).not.toThrow();
});
