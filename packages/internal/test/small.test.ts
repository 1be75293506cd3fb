import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defined, matchWildcard, randomHex, removeFrom, textDigest, uuidV7, wildcardTest } from "../src/index.ts";

describe("wildcardTest", () => {
  it("agrees with a regular expression", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "."), maxLength: 12 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 12 });
    fc.assert(
      fc.property(letters, text, (pattern, given) => {
        const source = pattern.replace(/[.]/g, "\\.").replace(/\*+/g, ".*").replace(/\?/g, ".");
        expect(wildcardTest(pattern)(given)).toBe(new RegExp(`^${source}$`, "s").test(given));
      }),
    );
  });

  it("takes pattern × text steps at most", () => {
    let steps = 0;
    const pattern = "*a".repeat(200);
    const given = `${"a".repeat(2000)}b`;
    const isStar = (at: number): boolean => pattern[at] === "*";
    matchWildcard(pattern.length, given.length, isStar, (at, on) => ++steps > 0 && pattern[at] === given[on]);
    expect(steps).toBeLessThan(pattern.length * given.length);
  });
});

describe("uuidV7", () => {
  it("has the form and the time of RFC 9562", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (now) => {
        const id = uuidV7(now);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(id.slice(0, 13).replace("-", ""), 16)).toBe(now);
      }),
    );
    expect(() => uuidV7(-1)).toThrow(TypeError);
    expect(new Set(Array.from({ length: 100 }, () => uuidV7(0))).size).toBe(100);
  });
});

describe("bytes", () => {
  it("are written as hexadecimal", async () => {
    expect(randomHex(12)).toMatch(/^[0-9a-f]{24}$/);
    // FIPS 180-2, the message "abc".
    expect(await textDigest("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});

describe("defined", () => {
  it("leaves out what is undefined, and nothing else", () => {
    expect(defined({ a: undefined, b: null, c: 0, d: "" })).toStrictEqual({ b: null, c: 0, d: "" });
  });
});

it("takes one out of a list, wherever it is, and nothing else", () => {
  const [one, two, three] = [{}, {}, {}];
  for (const [list, item, left] of [
    [[one, two, three], one, [three, two]],
    [[one, two, three], three, [one, two]],
    [[one, two], three, [one, two]],
    [[], one, []],
    [[one, one], one, [one]],
  ] as const) {
    const kept: object[] = [...list];
    removeFrom(kept, item);
    expect(kept.length).toBe(left.length);
    expect(kept.every((each, at) => each === left[at])).toBe(true);
  }
});
