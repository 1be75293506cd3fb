import { share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { createSandbox, type Sandbox, type SandboxRun } from "../../../src/node/index.ts";
import { readSections, tool } from "../../support.ts";
import { corpusPrograms, programTools } from "../support.ts";
import { each } from "./clean-program.ts";

// Any two programs: the second must come to what it comes to by itself.

const more = tool("tool", { a: { type: "integer" } }, (input: unknown) => input);
const poisons = readSections(new URL("./poison.txt", import.meta.url)).map(({ code }) => code.replace("{EACH}", each));
const attempts = readSections(new URL("./escape-attempts.txt", import.meta.url))
  .map(({ code }) => code)
  .filter((code) => !/\{[A-Z]+\}/.test(code));
const programs = [...corpusPrograms().map(({ code }) => code), ...poisons, ...attempts];

const make = (maxPrograms: number): Sandbox =>
  createSandbox({
    language: "javascript",
    tools: [...programTools, more],
    limits: { timeoutMs: 60_000 },
    seed: "the same",
    reuse: { maxPrograms, maxMs: 86_400_000 },
  });
const kept = make(10_000);
const alone = make(1);
afterAll(() => Promise.all([kept, alone].map((sandbox) => sandbox[Symbol.asyncDispose]())));

/** What a run came to, without the times and ids of this one. */
function outcome(run: SandboxRun): unknown {
  const { logs, toolCalls, stats } = run;
  const { conversions, warnings } = stats;
  const calls = toolCalls.map(({ callId: _, ms: __, ...call }) => call);
  const end = run.status === "ok" ? run.value : { ...run.error, callId: undefined };
  return JSON.parse(JSON.stringify({ status: run.status, end, logs, calls, conversions, warnings }));
}

/** What each comes to by itself; undefined of those that read the clock or the like, and differ from themselves. */
const known = new Map<string, Promise<unknown>>();

async function byItself(code: string): Promise<unknown> {
  const [first, second] = [outcome(await alone.run(code)), outcome(await alone.run(code))];
  return JSON.stringify(first) === JSON.stringify(second) ? first : undefined;
}

const often = share("pairs of programs", 12, 2000);

it(`should let no program change the next one: ${often.told}`, async () => {
  const program = fc.constantFrom(...programs);
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(program, program, async (before, code) => {
      const wanted = known.get(code) ?? byItself(code);
      known.set(code, wanted);
      const expected = await wanted;
      if (expected === undefined) return;
      await kept.run(before);
      expect(outcome(await kept.run(code))).toEqual(expected);
      compared++;
    }),
    { numRuns: often.count, seed: 1 },
  );
  expect(compared).toBeGreaterThan(often.count / 2);
}, 1_200_000);
