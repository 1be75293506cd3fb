import { existsSync, readFileSync } from "node:fs";
import { isLong, leftToCi, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type SandboxRun } from "../../../src/node/index.ts";
import { Canary } from "../../canary.ts";
import { addTool, readSections } from "../../support.ts";
import { endless, runNext, seenOf } from "./one-at-a-time.ts";

// Attempts to escape and bombs once more, in one domain one after the other, with a clean program after each. What each of
// them does in an interpreter of its own is in escapes.test.ts and bombs.test.ts.

const canary = new Canary();
beforeAll(() => canary.open());
afterAll(() => canary.close());

const clean = `
import sys
names = sorted(name for name in vars(sys) if "left" in name)
print(len([1, 2]), str(3), sorted([2, 1]))
__result__ = [add(1), names, json.dumps({"a": [1, None]}), len(sys.modules), sys.getrecursionlimit(), sorted(globals())]`;
const cleanGuarded = `
print(len([1, 2]), str(3), sorted([2, 1]))
__result__ = [add(1), json.dumps({"a": [1, None]}), math.sqrt(4), "{:>3}".format(1), repr(Exception("x"))]`;

const attempts = readSections(new URL("../escape-attempts.txt", import.meta.url));
const bombs = readSections(new URL("../bombs.txt", import.meta.url))
  // They all take as long as they may.
  .filter(({ name }) => isLong || !name.endsWith("Timeout"))
  .map(({ name, code }) => ({
    name: name.split(" → ")[0],
    code: code.replace("{DEEP}", `${"-".repeat(60_000)}1`),
  }));

describe.each([
  ["off", false, clean, 6, 2],
  // The guard is one wall more, and refuses most of them before they run.
  ["on", true, cleanGuarded, 4, 1],
])("with the guard %s", (_, guard, program, manyAttempts, manyBombs) => {
  const sandbox = createSandbox({
    ...({ language: "python", tools: [addTool], domain: "one", guard, seed: 1, reuse: endless } as const),
    limits: { timeoutMs: isLong ? 4000 : 120_000, memoryMb: 96, maxResultBytes: 100_000, maxToolCalls: 20 },
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const next = (code: string): Promise<SandboxRun> => runNext(sandbox, code);

  const someAttempts = someOf(attempts, manyAttempts);
  const someBombs = someOf(bombs, manyBombs);

  it(`should find no trace of ${someAttempts.length} of ${attempts.length} attempts to escape`, async () => {
    const first = seenOf(await next(program));
    let used = 0;
    for (const { name, code } of someAttempts) {
      const run = await next(canary.fill(code));
      const text = JSON.stringify(run);
      expect([name, text.includes(canary.secret), text.includes("REACHED"), existsSync(canary.mark)]).toEqual([
        ...[name, false, false, false],
      ]);
      const after = await next(program);
      expect([name, seenOf(after)]).toEqual([name, first]);
      if (after.stats.reused > 0) used++;
    }
    expect(readFileSync(canary.file, "utf8")).toBe(canary.secret);
    expect(canary.connections).toBe(0);
    // Most of them leave their interpreter as it can be used again: it is that one which was looked at.
    expect(used).toBeGreaterThan(someAttempts.length / 3);
  });

  it(`should find no trace of ${someBombs.length} of ${bombs.length} bombs`, async (context) => {
    leftToCi(context);
    const first = seenOf(await next(program));
    for (const { name, code } of someBombs) {
      await next(code);
      expect([name, seenOf(await next(program))]).toEqual([name, first]);
    }
  });
});
