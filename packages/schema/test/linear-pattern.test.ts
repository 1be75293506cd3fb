import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LinearPattern } from "../src/linear-pattern.ts";

const atom = fc.constantFrom(
  "a",
  "b",
  ".",
  "[ab]",
  "[^a]",
  "\\d",
  "\\w",
  "\\s",
  "[\\w-]",
  "\\u0061",
  "\\u{1F600}",
  "\\p{L}",
  "x",
  "\\.",
  "é",
);
const assertion = fc.constantFrom("^", "$", "\\b", "\\B");
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}", "{0,0}", "{2,3}?");
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.tuple(atom, quantifier).map(([one, times]) => one + times),
    assertion,
    fc.array(tie("pattern"), { maxLength: 3 }).map((parts) => parts.join("")),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?<n>"), tie("pattern"), quantifier)
      .map(([open, inner, times]) => `${open}${inner})${times}`),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(${one}|${other})`),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `${one}|${other}`),
  ),
}));
const text = fc.string({
  unit: fc.constantFrom("a", "b", "x", "1", "_", "-", " ", ".", "\n", "é", "\u{1F600}", "\uD83D", "\uDE00"),
  maxLength: 12,
});

describe("a pattern run in linear time", () => {
  it("says what RegExp says", () =>
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
        let native: RegExp;
        try {
          native = new RegExp(source, "u");
        } catch {
          return;
        }
        const linear = LinearPattern.from(source) as LinearPattern;
        for (const one of texts) expect([source, one, linear.test(one)]).toEqual([source, one, native.test(one)]);
      }),
      { numRuns: 2000 },
    ));

  it("says what RegExp says of patterns as tools have them", () => {
    const texts = [
      "",
      "a",
      "2026-11-22",
      "user@example.com",
      "https://example.com/a?b=c",
      "abc-123_X",
      "1.2.3",
      "#a0b1c2",
      "../x",
      "日本",
      "+49 30 123",
    ];
    for (const source of [
      "^\\d{4}-\\d{2}-\\d{2}$",
      "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
      "^https?://",
      "^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$",
      "^v?(\\d+)\\.(\\d+)\\.(\\d+)(?:-([0-9A-Za-z.-]+))?$",
      "^#([0-9a-f]{3}|[0-9a-f]{6})$",
      "^(?:\\.{1,2}/)*[^/]+$",
      "^\\p{Script=Han}+$",
      "^\\+?[\\d ]{5,20}$",
      "|a",
      "",
      "()*",
    ]) {
      for (const one of texts) {
        expect([source, one, LinearPattern.from(source)?.test(one)]).toEqual([
          source,
          one,
          new RegExp(source, "u").test(one),
        ]);
      }
    }
  });

  it("needs steps by the length of the text, where RegExp would take ages", () => {
    const hostile = [
      "^(a+)+$",
      "(a|a)*$",
      "^(a|aa)+$",
      "(.*)*x",
      "^(.*a){20}$",
      "(a*)*b",
      "([a-z]+)*!",
      "^(\\w+\\s?)*$",
      "a*a*a*a*a*a*b",
      "(?:(?:a?){30}){30}c",
    ];
    for (const source of hostile) {
      const linear = LinearPattern.from(source) as LinearPattern;
      const stepsOf = (length: number): number => {
        let steps = 0;
        expect(
          linear.test(`${"a".repeat(length)}#`, (taken) => {
            steps += taken;
          }),
        ).toBe(/\*\$$|^\(a\|a\)/.test(source) && source.startsWith("("));
        return steps;
      };
      expect(stepsOf(800) / stepsOf(100)).toBeLessThan(9);
    }
  });

  it("has no form for look-around and back-references, and for what is too large", () => {
    for (const source of [
      "(?=a)",
      "(?!a)b",
      "(?<=a)b",
      "(?<!a)b",
      "([a-z]+)*\\1",
      "(?<n>a)\\k<n>",
      "(?:a{1000}){1000}",
      "a".repeat(5000),
      "(".repeat(300) + ")".repeat(300),
    ]) {
      expect([source.slice(0, 20), LinearPattern.from(source)]).toEqual([source.slice(0, 20), undefined]);
    }
  });
});
