import { drawn, rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createSandbox } from "../../../src/node/index.ts";
import { readSections } from "../../support.ts";
import { corpusTools } from "../corpus/tools.ts";
import { endless, runNext, seenOf } from "./one-at-a-time.ts";

const programs = readSections(new URL("../corpus/programs.txt", import.meta.url));
const few = drawn(programs, rounds(4, programs.length));
const pairs = rounds(10, 2000);

it(`should answer after any program as alone: ${pairs} of 2000 pairs of ${few.length} programs`, async () => {
  const common = { language: "python", tools: corpusTools, seed: 1 } as const;
  const alone = new Map<string, unknown>();
  {
    await using once = createSandbox(common);
    for (const { name, code } of few) alone.set(name, seenOf(await once.run(code)));
  }
  await using sandbox = createSandbox({ ...common, domain: "one", reuse: endless });
  let reused = 0;
  const one = fc.constantFrom(...few);
  await fc.assert(
    fc.asyncProperty(one, one, async (before, program) => {
      await runNext(sandbox, before.code);
      const run = await runNext(sandbox, program.code);
      expect(seenOf(run)).toEqual(alone.get(program.name));
      if (run.stats.reused > 0) reused++;
    }),
    { numRuns: pairs },
  );
  expect(reused).toBeGreaterThan(pairs * 0.9);
}, 7_200_000);
