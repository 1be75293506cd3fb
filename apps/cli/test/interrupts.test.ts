import { expect, it } from "vitest";
import { exitCodeOf } from "../src/cli/exit-codes.ts";
import { Interrupts } from "../src/cli/interrupts.ts";

function setup(): { interrupts: Interrupts; left: number[]; pass: (ms: number) => void } {
  let now = 0;
  const left: number[] = [];
  return {
    left,
    pass: (ms) => {
      now += ms;
    },
    interrupts: new Interrupts(
      (code) => left.push(code),
      () => now,
    ),
  };
}

it("should cancel at the first Ctrl-C, take its echoes for the same, and leave at the second", async () => {
  const { interrupts, left, pass } = setup();
  let aborted = 0;
  let end: () => void = () => undefined;
  const running = interrupts.during((signal) => {
    signal.addEventListener("abort", () => {
      aborted += 1;
    });
    return new Promise<void>((done) => {
      end = done;
    });
  });
  interrupts.interrupt();
  pass(100);
  interrupts.interrupt();
  expect([aborted, left]).toEqual([1, []]);
  pass(1000);
  interrupts.interrupt();
  expect(left).toEqual([130]);
  end();
  await running;
});

it("should leave at the first when nothing runs any more", async () => {
  const { interrupts, left, pass } = setup();
  await interrupts.during(async () => undefined);
  // This one was meant for what has just ended.
  interrupts.interrupt();
  expect(left).toEqual([]);
  pass(1000);
  interrupts.interrupt();
  expect(left).toEqual([130]);
});

it.each([
  ["answered", 0, 0],
  ["answered", 1, 4],
  ["result", 0, 0],
  ["declined", 0, 3],
  ["declined", 1, 4],
  ["limit", 0, 5],
  ["aborted", 1, 130],
  ["error", 0, 1],
  ["error", 1, 4],
] as const)("should end a run that is %s with %i denials as %i", (status, denied, code) => {
  const transcript = { version: 1 as const, messages: [], meta: {} };
  expect(
    exitCodeOf({
      runId: "r",
      status,
      text: "",
      results: [],
      transcript,
      usage: {},
      steps: [],
      undelivered: [],
      turns: 1,
      denied,
    } as never),
  ).toBe(code);
});
