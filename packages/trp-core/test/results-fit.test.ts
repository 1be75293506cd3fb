import type { JsonValue } from "@toolglot/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fitJson } from "../src/results/fit.ts";
import { quotedLength, utf8Length } from "../src/results/json-size.ts";

const bytesOf = (value: JsonValue): number => new TextEncoder().encode(JSON.stringify(value)).length;
const wellFormed = fc
  .jsonValue()
  .map((value) => JSON.parse(JSON.stringify(value).replace(/\\ud[89a-f]../gi, "?"))) as fc.Arbitrary<JsonValue>;

it("cuts long texts to one length first", () => {
  const { data, cuts } = fitJson(
    { short: "abc", a: "x".repeat(5_000), b: "y".repeat(3_000), c: "z".repeat(300) },
    2_000,
  );
  const { short, a, b, c } = data as Record<string, string>;
  expect([short, c]).toEqual(["abc", "z".repeat(300)]);
  expect(a).toMatch(/^x+…$/);
  expect(a?.length).toBe(b?.length);
  expect(a?.length).toBeGreaterThan(800);
  expect(cuts.map(({ path, kept }) => `${path}: ${kept}`)).toEqual([
    `/a: ${(a?.length ?? 0) - 1} of 5000 characters`,
    `/b: ${(a?.length ?? 0) - 1} of 3000 characters`,
  ]);
});

it("then arrays to one length, their beginnings", () => {
  const items = Array.from({ length: 340 }, (_, index) => ({ id: index, name: `item ${index}` }));
  const { data, cuts } = fitJson({ total: 340, items }, 600);
  const kept = (data as { items: unknown[] }).items;
  expect(kept).toEqual(items.slice(0, kept.length));
  expect(kept.length).toBeGreaterThan(10);
  expect(cuts).toMatchObject([{ path: "/items", kept: `${kept.length} of 340 items`, original: items }]);
});

it("then objects, and in the end everything", () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index]));
  const cut = fitJson(wide, 200);
  const count = Object.keys(cut.data as object).length;
  expect(count).toBeGreaterThan(5);
  expect(cut.cuts).toMatchObject([{ path: "", kept: `${count} of 500 members` }]);
  expect(fitJson({ ["k".repeat(500)]: 1 }, 100)).toMatchObject({
    data: null,
    cuts: [{ path: "", kept: "left out as a whole" }],
  });
});

it("cuts no character in two", () => {
  const { data } = fitJson("👋".repeat(2_000), 900);
  expect(data).toMatch(/^(?:👋)+…$/u);
});

it("is within its room, the same each time, and whole when it can be (any JSON)", () => {
  fc.assert(
    fc.property(wellFormed, fc.integer({ min: 4, max: 400 }), (value, room) => {
      const fitted = fitJson(value, room);
      expect(bytesOf(fitted.data)).toBeLessThanOrEqual(room);
      expect(fitJson(value, room)).toEqual(fitted);
      if (bytesOf(value) <= room) expect(fitted).toEqual({ data: value, cuts: [] });
      else expect(fitted.cuts.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

it("names each cut where it was", () => {
  const at = (value: JsonValue, path: string): JsonValue | undefined =>
    path
      .split("/")
      .slice(1)
      .reduce<JsonValue | undefined>(
        (found, step) =>
          (found as Record<string, JsonValue> | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
        value,
      );
  fc.assert(
    fc.property(wellFormed, fc.integer({ min: 20, max: 400 }), (value, room) => {
      for (const { path, original } of fitJson(value, room).cuts) expect(at(value, path)).toEqual(original);
    }),
  );
});

it("does not look at all of what is far too big", () => {
  const huge = Array.from({ length: 200_000 }, (_, index) => ({ index, text: "x".repeat(50) }));
  const { data, cuts } = fitJson(huge, 4_000);
  expect(bytesOf(data)).toBeLessThanOrEqual(4_000);
  expect(cuts[0]?.kept).toMatch(/of 200000 items/);
});

it("counts bytes as JSON text has them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const well = text.replace(/\p{Surrogate}/gu, "?");
      expect(quotedLength(well)).toBe(bytesOf(well));
      expect(utf8Length(well)).toBe(new TextEncoder().encode(well).length);
    }),
  );
  expect(utf8Length("é".repeat(3_000))).toBe(6_000);
});
