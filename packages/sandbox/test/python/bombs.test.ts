import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { addTool, readSections } from "../support.ts";

const limits = { timeoutMs: 1500, memoryMb: 96, maxResultBytes: 100_000, maxToolCalls: 20 };
const sandbox = createSandbox({ language: "python", limits, tools: [addTool] });
afterAll(() => sandbox[Symbol.asyncDispose]());

const bombs = readSections(new URL("./bombs.txt", import.meta.url)).map(({ name, code }) => {
  const [what = "", type = ""] = name.split(" → ");
  return { what, type, code };
});

it("should hold at least twelve bombs", () => {
  expect(bombs.length).toBeGreaterThanOrEqual(12);
});

it.each(bombs)("should end in $type and leave the host at work: $what", async ({ type, code }) => {
  let last = performance.now();
  let gap = 0;
  const ticks = setInterval(() => {
    gap = Math.max(gap, performance.now() - last);
    last = performance.now();
  }, 20);
  const run = await sandbox.run(code);
  clearInterval(ticks);
  expect(run).toMatchObject({ status: "error", error: { type } });
  // Loosely: the machine may be busy with other things, but a host that waits for a guest waits for seconds.
  expect(gap).toBeLessThan(1500);
});

it("should run the next program as if nothing had been", async () => {
  const run = await sandbox.run("__result__ = add(1)");
  expect(run).toMatchObject({ status: "ok", value: 3 });
});
