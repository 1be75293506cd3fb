import { describe, expect, it } from "vitest";
import { byScope, compare, lesser, middle, scopesOf, without } from "../src/costs/guard.ts";

const scopeOf = scopesOf("Node 20, A processor");
const recorded = byScope({ call: { statements: 16, allocated: 1000, time: 2, written: 100 } }, scopeOf);
const found = (figures: Record<string, number>, unit = "call"): string[] =>
  compare(recorded, byScope({ [unit]: figures }, scopeOf)).findings.map(
    ({ text, fails }) => `${fails ? "fails" : "notes"} ${text}`,
  );
const same = { statements: 16, allocated: 1000, time: 2, written: 100 };

describe("the guard of costs", () => {
  it.each([
    ["the same", same, []],
    ["5 % more of what is counted", { ...same, allocated: 1050 }, []],
    ["30 % more time", { ...same, time: 2.6 }, []],
    ["eight bytes, which wake a thread", { ...same, written: 108 }, []],
    ["one statement more", { ...same, statements: 17 }, ["fails call, statements: 16 → 17 (+6 %)"]],
    ["6 % more bytes", { ...same, allocated: 1060 }, ["fails call, allocated: 1000 → 1060 (+6 %)"]],
    ["31 % more time", { ...same, time: 2.62 }, ["fails call, time: 2 → 2.62 (+31 %)"]],
    ["a new kind of cost", { ...same, commits: 1 }, ["fails call, commits: 0 → 1"]],
    ["time that a busy machine did not give", { statements: 16, allocated: 1000, written: 100 }, []],
    ["less, which is only noted", { ...same, statements: 9 }, ["notes call, statements: 16 → 9 (−44 %)"]],
  ])("should judge %s", (_what, figures, expected) => {
    expect(found(figures)).toEqual(expected);
  });

  it("should fail for a unit that is new, and for one that is gone", () => {
    expect(found(same, "other")).toContain("fails call is recorded and was not measured");
    expect(found(same, "other")).toContain("fails other, statements: 0 → 16");
  });

  it("should compare time on the same processor only, and say so", () => {
    const elsewhere = scopesOf("Node 20, Another processor");
    const { findings, unknown } = compare(recorded, byScope({ call: { ...same, time: 9 } }, elsewhere));
    expect([findings, unknown]).toEqual([[], ["Node 20, Another processor"]]);
    // A unit that somebody recorded there, and nobody here yet.
    const there = byScope({ call: same, other: { time: 3 } }, elsewhere);
    const here = byScope({ call: same, other: { time: 9 } }, scopeOf);
    const both = compare({ ...recorded, ...there }, here);
    expect([both.findings, both.unknown]).toEqual([[], ["Node 20, A processor: other"]]);
  });

  it("should leave out units that can't be measured here, wherever they are recorded", () => {
    const all = { everywhere: { call: same, query: same }, there: { query: { time: 3 } } };
    expect(without(all, new Set(["query"]))).toEqual({ everywhere: { call: same }, there: {} });
  });

  it("should take the least, or the one in the middle, figure by figure", () => {
    const measured = [{ a: 3, b: 1 }, { a: 1, b: 2 }, { a: 2 }];
    expect([lesser(...measured), middle(...measured)]).toEqual([
      { a: 1, b: 0 },
      { a: 2, b: 1 },
    ]);
  });
});
