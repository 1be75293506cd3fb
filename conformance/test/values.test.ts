import { expect, it } from "vitest";
import { coalesce, eventDifferences } from "../src/events.ts";
import { tam } from "../src/implementations/tam.ts";
import { valueDifferences } from "../src/values.ts";

const differ = (expected: unknown, actual: unknown, source = ""): number =>
  valueDifferences("v", expected, actual, { source }).length;

it("takes an array for a text where the value is a string, and for a list where it is one", () => {
  expect(differ(["a", "b"], "a\nb")).toBe(0);
  expect(differ(["a", "b"], ["a", "b"])).toBe(0);
  expect(differ(["a"], ["a", "b"])).toBe(1);
  expect(differ(["b", "a"], ["a", "b"])).toBe(2);
  expect(differ([], "")).toBe(1);
  expect(differ({ $list: ["a", "b"] }, "a\nb")).toBe(1);
  expect(differ([{ a: 1 }], [{ a: 1, b: 2 }])).toBe(0);
});

it("compares objects in what is given, and whole with $whole", () => {
  const prototypeKey = JSON.parse('{"__proto__":"x"}') as object;
  expect(differ({ a: "x" }, { a: "x", b: 1 })).toBe(0);
  expect(differ({ $whole: { a: "x" } }, { a: "x", b: 1 })).toBe(1);
  expect(differ({ $whole: { a: ["x", "y"] } }, { a: "x\ny" })).toBe(0);
  expect(differ({ $whole: prototypeKey }, {})).toBe(1);
  expect(differ({ $whole: {} }, prototypeKey)).toBe(1);
  expect(differ({ a: null }, { a: undefined })).toBe(0);
  expect(differ({ a: null }, { a: 0 })).toBe(1);
});

it("compares parts of texts, and the source under a span", () => {
  expect(differ({ $contains: ["foo", "bar"] }, "bar foo")).toBe(0);
  expect(differ({ $contains: "baz" }, "bar foo")).toBe(1);
  expect(differ({ $source: "bc" }, { span: { start: 1, end: 4 } }, "abc d")).toBe(0);
  expect(differ({ $source: "b" }, { span: { start: 1, end: 3 } }, "abc")).toBe(1);
  expect(differ({ $source: "b" }, {}, "abc")).toBe(1);
});

it("joins deltas of one field only, and compares the last field of a parameter with its value", () => {
  const delta = (field: number, text: string) =>
    ({ phase: "delta", type: "param-delta", field, step: 1, param: "a", text }) as const;
  const deltas = [delta(1, "x"), delta(2, "y"), delta(2, ""), delta(2, "z")];
  expect(coalesce(deltas, tam).events).toEqual([delta(1, "x"), delta(2, "yz")]);

  const block = { status: "complete", steps: [{ index: 1, params: { a: "yz" }, uris: {} }] };
  const whole = { ...block, common: {}, span: { start: 0, end: 0 } } as unknown as Parameters<typeof tam.essence>[0];
  const check = (list: typeof deltas): string[] =>
    eventDifferences(
      {
        events: [
          { phase: "block-start", type: "block-start", start: 0 },
          ...list,
          { phase: "block-end", type: "block-end", block: whole },
        ],
        diagnostics: [],
      },
      { segments: [], blocks: [whole], diagnostics: [] },
      tam,
    );
  expect(check(deltas)).toEqual([]);
  expect(check([delta(1, "yz"), delta(2, "y")])).toHaveLength(1);
  expect(check([...deltas, { ...delta(3, "q"), param: "b" } as unknown as (typeof deltas)[0]])).toHaveLength(1);
});
