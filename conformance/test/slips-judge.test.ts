import { join } from "node:path";
import { drawn, rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { readBodies } from "../src/slips/bodies.ts";
import { formats } from "../src/slips/formats.ts";
import { generate } from "../src/slips/generate.ts";
import { judge, type Outcome, type Reading } from "../src/slips/judge.ts";
import type { SlipCase } from "../src/slips/slip.ts";

const bodies = readBodies(join(import.meta.dirname, ".."));

const slipCase = (meant: string[], more: Partial<SlipCase> = {}): SlipCase => ({
  slip: "as-written",
  variant: "alone",
  body: "x",
  text: "",
  meant,
  ...more,
});

const reading = (runs: string[], said = false, held = false): Reading => ({
  runs: runs.map((value) => ({ value, held })),
  said,
});

const judged: [string, SlipCase, Reading, Outcome][] = [
  ["what was meant runs", slipCase(["a"]), reading(["a"]), "exact"],
  ["what was meant runs, with a warning", slipCase(["a"]), reading(["a"], true), "recovered"],
  ["what was meant is held", slipCase(["a"]), reading(["a"], true, true), "recovered"],
  ["another value is held", slipCase(["a"]), reading(["b"], true, true), "held"],
  ["nothing runs, with a warning", slipCase(["a"]), reading([], true), "refused"],
  ["nothing runs, and nothing is said", slipCase(["a"]), reading([]), "lost"],
  ["another value runs", slipCase(["a"]), reading(["b"], true), "wrong"],
  ["more runs than was meant", slipCase(["a"]), reading(["a", "b"], true), "wrong"],
  ["the order is another one", slipCase(["a", "b"]), reading(["b", "a"], true), "wrong"],
  ["one of two runs, with a warning", slipCase(["a", "b"]), reading(["b"], true), "refused"],
  ["one of two runs, and nothing is said", slipCase(["a", "b"]), reading(["a"]), "lost"],
  ["nothing was meant, and nothing runs", slipCase([]), reading([]), "exact"],
  ["nothing was meant, and something runs", slipCase([]), reading(["a"], true), "wrong"],
  ["a cut call does not run, and that is said", slipCase([], { lost: true }), reading([], true), "refused"],
  ["a cut call does not run, and nothing is said", slipCase([], { lost: true }), reading([]), "lost"],
  ["line ends differ where they may", slipCase(["a\nb"], { looseLineEnds: true }), reading(["a\r\nb"]), "exact"],
  ["line ends differ where they may not", slipCase(["a\nb"]), reading(["a\r\nb"]), "wrong"],
];

it.each(judged)("%s", (_, wanted, read, outcome) => expect(judge(wanted, read)).toBe(outcome));

it("the same cases come in every run", () => {
  const some = drawn(bodies, rounds(Math.ceil(bodies.length / 3), bodies.length));
  for (const format of formats) expect(generate(format, some).cases).toEqual(generate(format, some).cases);
});

it("right outputs are right to the strict readers too", () => {
  for (const format of formats) {
    const own = bodies.filter((body) => !format.isOwn(body));
    const calls = own.flatMap((body) => format.calls(body));
    const read = calls.filter((call) => format.meanings(format.write([call]).text).length > 0);
    // Bodies that the strict readers do not know (JSON in a tag) have no other meaning to them either.
    expect(read.length).toBeGreaterThan(calls.length * 0.9);
    for (const call of read) expect(format.meanings(format.write([call]).text)).toEqual([[format.value(call)]]);
  }
});
