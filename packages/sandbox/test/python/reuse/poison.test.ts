import { readFileSync } from "node:fs";
import { drawn, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, describe, expect, it } from "vitest";
import { createSandbox, type SandboxRun } from "../../../src/node/index.ts";
import { addTool, readSections } from "../../support.ts";
import { endless, runNext, seenOf } from "./one-at-a-time.ts";

// Programs that leave what they can, in one domain one after the other, and after each a program that looks at all it can
// reach. It must find what it finds in an interpreter that ran nothing before.

/** `(ends)` in a name: with the guard off its interpreter can't be used again. */
const poisons = readSections(new URL("./poison.txt", import.meta.url));
const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const javascript = text("probe-javascript.py");

const seenBy = (run: SandboxRun): unknown => {
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  return seenOf(run);
};

it("should hold at least sixty programs, each with its own name", () => {
  expect(new Set(poisons.map(({ name }) => name)).size).toBe(poisons.length);
  expect(poisons.length).toBeGreaterThanOrEqual(60);
});

describe.each([
  ["off", false, text("probe.py"), 8],
  // The guard is one wall more.
  ["on", true, text("probe-guarded.py"), 3],
])("with the guard %s", (_, guard, probe, count) => {
  const some = someOf(poisons, count);
  const sample = drawn(some, Math.ceil(count / 2));
  const sandbox = createSandbox({
    ...({
      language: "python",
      tools: [addTool],
      domain: "one",
      guard,
      seed: 7,
      limits: { timeoutMs: 120_000 },
    } as const),
    reuse: endless,
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  let first: unknown;
  let firstJavaScript: unknown;

  const next = (code: string): Promise<SandboxRun> => runNext(sandbox, code);

  it("should find the same twice", async () => {
    const run = await next(probe);
    expect(run.stats.reused).toBe(0);
    first = seenBy(run);
    const again = await next(probe);
    expect(again.stats.reused).toBe(1);
    expect(seenBy(again)).toEqual(first);
    if (!guard) firstJavaScript = seenBy(await next(javascript));
  });

  it.for(some)("should find nothing of: $name", async (one, context) => {
    leftToCi(context, sample.includes(one));
    const { name, code } = one;
    const before = await next("__result__ = 1");
    const poison = await next(code);
    const run = await next(probe);
    expect(seenBy(run)).toEqual(first);
    // The one that was poisoned, or a new one.
    expect(poison.stats.reused).toBe(before.stats.reused + 1);
    expect(run.stats.reused).toBe(name.endsWith("(ends)") && !guard ? 0 : poison.stats.reused + 1);
    if (guard || !/JavaScript|prox|promise/.test(name)) return;
    await next(code);
    expect(seenBy(await next(javascript))).toEqual(firstJavaScript);
  });
});
