import { describe, expect, it } from "vitest";
import { type Bindings, example, fill, mismatches } from "../src/trp/pattern.ts";

function check(pattern: unknown, value: unknown, bindings: Bindings = new Map()): string[] {
  return mismatches(pattern, value, bindings);
}

describe("patterns", () => {
  it.each<[unknown, unknown, unknown[]]>([
    [1, 1, [2, "1", null, undefined]],
    [null, null, [0, undefined, false]],
    ["a", "a", ["b", 1]],
    ["$$a", "$a", ["$$a", "a"]],
    ["$any", null, [undefined]],
    ["$absent", undefined, [null]],
    ["$string", "", [1, undefined]],
    ["$text", "a", ["", "  ", 1]],
    ["$line", "a", ["", "a\nb"]],
    ["$int", 3, [1.5, "3", null]],
    ["$number", 1.5, ["1.5"]],
    ["$boolean", false, [0]],
    ["$object", {}, [[], null, "a"]],
    ["$list", [], [{}]],
    ["$new:frm", "x", ["", 1]],
    ["$re:^a+$", "aa", ["ab", 1]],
    [
      [1, "$int"],
      [1, 2],
      [[1], [1, 2, 3], [2, 2], { 0: 1, 1: 2 }],
    ],
    [{ a: 1 }, { a: 1, b: 2 }, [{ b: 1 }, [], "a"]],
    [{ toString: "$absent" }, {}, [{ toString: 1 }]],
    [{ $exactly: { a: 1 } }, { a: 1 }, [{ a: 1, b: 2 }, { a: 2 }]],
    [{ $or: [1, "$text"] }, "a", [2, ""]],
    [{ $and: ["$text", { $contains: ["b"] }] }, "abc", ["ac", 1]],
    [{ $not: 1 }, 2, [1]],
    [{ $optional: "$int" }, undefined, ["a", null]],
    [{ $contains: [1, { a: 1 }] }, [{ a: 1, b: 1 }, 1], [[1], 1]],
    [{ $contains: ["a", "b"] }, "b a", ["a"]],
    [{ $lacks: ["secret"] }, { a: "x" }, [{ a: ["a secret"] }, "secret"]],
    [{ $each: "$int" }, [1, 2], [[1, "a"], 1]],
    [{ $length: 2 }, [1, 2], [[1], "ab"]],
    [{ $min: 1, $max: 2 }, 1.5, [0, 3, "1"]],
    [{ $is: "$int", $example: 5 }, 6, ["a"]],
  ])("%j fits %j only", (pattern, value, others) => {
    expect(check(pattern, value)).toEqual([]);
    for (const other of others) expect(check(pattern, other), JSON.stringify(other)).not.toEqual([]);
  });

  it("binds names and refers to them", () => {
    const bindings: Bindings = new Map();
    expect(check({ id: "$bind:id", n: { $bind: "n", $is: "$int" } }, { id: "x", n: 4 }, bindings)).toEqual([]);
    expect(
      check(["$ref:id", { $ref: "n", $plus: 1 }, { $concat: ["res_", "$ref:id"] }], ["x", 5, "res_x"], bindings),
    ).toEqual([]);
    expect(check(["$ref:id"], ["y"], bindings)).toEqual(['$[0]: expected "x", got "y"']);
    expect(check({ $ref: "n", $plus: 1 }, 4, bindings)).not.toEqual([]);
    expect(check("$bind:gone", undefined, bindings)).not.toEqual([]);
    bindings.set("request", { frame: { id: 7 } });
    expect(check("$ref:request.frame.id", 7, bindings)).toEqual([]);
  });

  it("keeps the names of the alternative that fits, and of no other", () => {
    const bindings: Bindings = new Map();
    expect(check({ $or: [{ a: "$bind:a", b: 1 }, { a: "$bind:c" }] }, { a: 5, b: 2 }, bindings)).toEqual([]);
    expect([...bindings]).toEqual([["c", 5]]);
  });

  it("says where the difference is", () => {
    expect(check({ a: [{ b: 1 }] }, { a: [{ b: 2 }] })).toEqual(["$.a[0].b: expected 1, got 2"]);
    expect(check({ $exactly: { a: 1 } }, { a: 1, z: 2 })).toEqual(["$: has z besides"]);
  });

  it("refuses what is no pattern, so that a slip can't pass for a match", () => {
    expect(() => check("$strnig", "a")).toThrow("no such pattern: $strnig");
    expect(() => check({ $oneOf: [1] }, 1)).toThrow("no such pattern: $oneOf");
    expect(() => check({ a: 1, $lacks: ["b"] }, { a: 1 })).toThrow("$lacks stands beside a: use $and");
    expect(() => check("$ref:nobody", 1)).toThrow("nothing is bound to nobody");
  });
});

describe("templates", () => {
  it("fills in names, times and new ids, and leaves out what is absent", () => {
    const bindings: Bindings = new Map<string, unknown>([["session", "sess_1"]]);
    const filled = fill(
      { s: "$ref:session", t: "$now", gone: "$absent", list: [{ $repeat: "ab", times: 2 }], literal: "$$x" },
      bindings,
      { now: () => 5 },
    );
    expect(filled).toEqual({ s: "sess_1", t: 5, list: ["abab"], literal: "$x" });
    expect(fill("$new:frm", bindings)).toMatch(/^frm_[0-9a-z]{8}$/);
    expect(fill("$new:frm", bindings)).not.toBe(fill("$new:frm", bindings));
    expect(fill({ $nested: 1, times: 3 }, bindings)).toEqual([[[1]]]);
    expect(() => fill("$any", bindings)).toThrow("no such template");
  });

  it("keeps odd keys as plain data", () => {
    const filled = fill(JSON.parse('{"__proto__":{"a":1}}'), new Map()) as object;
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"a":1}}');
  });

  it("takes operators of the caller's own", () => {
    expect(fill({ $twice: 4 }, new Map(), { operators: { $twice: (n) => Number(n) * 2 } })).toBe(8);
  });
});

describe("examples", () => {
  it("makes a value that fits the pattern", () => {
    const patterns: unknown[] = [
      { a: "$int", b: "$text", c: { $optional: 1 }, d: [{ $or: ["x", "$int"] }] },
      { $exactly: { id: "$bind:id", again: "$ref:id" } },
      { $bind: "n", $is: "$int", $example: 42 },
      { $min: 3 },
      { $contains: [{ a: 1 }] },
      { list: "$list", object: "$object", flag: "$boolean", any: "$any" },
    ];
    for (const pattern of patterns) {
      const value = example(pattern, new Map());
      expect(check(pattern, value), JSON.stringify(value)).toEqual([]);
    }
    expect(example({ a: { $optional: 1 }, b: "$absent" }, new Map())).toEqual({});
  });
});
