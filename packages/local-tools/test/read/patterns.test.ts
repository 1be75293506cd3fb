import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileChoice } from "../../src/read/file-choice.ts";
import { FileMatcher } from "../../src/read/file-matcher.ts";
import { needles, readPattern } from "../../src/read/pattern.ts";
import { readerOf, refusal } from "./support.ts";

describe("what models write for patterns", () => {
  const lines = "const Total = 1;\nfoo(bar)\ncafé\n\tx\nFOO\n[[:alpha:]]\na{b}\n42 kg\nfunction fooBar() {\n";

  it.each([
    ["total", []],
    ["(?i)total", ["const Total = 1;"]],
    ["(?i)FOO\\b", ["foo(bar)", "FOO"]],
    ["foo(bar", ["foo(bar)"]],
    ["foo\\(bar\\)", ["foo(bar)"]],
    ["a{b}", ["a{b}"]],
    ["caf\\p{L}", ["café"]],
    ["^\\s+x$", ["\tx"]],
    ["^[[:digit:]]+[[:space:]]kg", ["42 kg"]],
    ["[^[:alnum:][:space:]]{2}", ["[[:alpha:]]", "function fooBar() {"]],
    ["(?P<name>foo)B", ["function fooBar() {"]],
    ["\\A42", ["42 kg"]],
    ["kg\\z", ["42 kg"]],
    ['\\"|\\-|\\/|kg', ["42 kg"]],
    ["f(?!oo)", ["café", "function fooBar() {"]],
    ["(o)\\1B", ["function fooBar() {"]],
    ["fooBar() {", ["function fooBar() {"]],
  ])("%j", async (pattern, found) => {
    const { reader } = await readerOf({ "a.txt": lines });
    const { text } = await reader.search({ pattern });
    expect(
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => line.replace(/^a\.txt:\d+: /, "")),
    ).toEqual(found);
  });

  it("what is no expression is searched for as it stands, and that is said", async () => {
    const { reader } = await readerOf({ "a.txt": lines });
    expect((await reader.search({ pattern: "foo(bar" })).head).toMatch(
      /^"foo\(bar": 1 match in 1 file; no regular expression \(.+\), searched for as it stands$/,
    );
    expect((await reader.search({ pattern: "[[:alpha:]]" })).head).toContain("9 matches");
  });

  it("what can't be a pattern is refused", async () => {
    const { reader } = await readerOf({ "a.txt": lines });
    expect(await refusal(reader.search({ pattern: "" }))).toMatchObject({ type: "InvalidPattern" });
    expect(await refusal(reader.search({ pattern: "x".repeat(10_001) }))).toMatchObject({ type: "InvalidPattern" });
    for (const glob of ["#x", "[x", "x\\", "/", "x".repeat(1001), "{a,b}".repeat(20)]) {
      expect(await refusal(reader.search({ pattern: "x", glob }))).toMatchObject({ type: "InvalidPattern" });
    }
  });
});

describe("texts that must be there for an expression to fit", () => {
  it.each([
    ["foo", ["foo"]],
    ["foo\\d+longer", ["longer"]],
    ["ab+c", ["ab"]],
    ["ab*c", ["a"]],
    ["ab?", ["a"]],
    ["foo|bar", ["foo", "bar"]],
    ["(?:foo|bar)baz", ["baz"]],
    ["(?:needle|thread)x", ["needle", "thread"]],
    ["\\bword\\b", ["word"]],
    ["^import .* from", ["import "]],
    ["a\\.b\\(c", ["a.b(c"]],
    ["(?<name>abc)+", ["abc"]],
    ["(abc){2,}", ["abc"]],
    ["x(?=longer)y(?!longest)", ["xy"]],
    ["foo|", undefined],
    ["(abc)?", undefined],
    ["(abc){0,3}", undefined],
    ["[abc]", undefined],
    ["\\d\\w.", undefined],
    ["café", undefined],
    ["\\u0061\\x61", undefined],
    ["(?i:abc)", undefined],
  ])("%j", (source, texts) => expect(needles(source)).toEqual(texts));

  it("never leave out a line that fits", { timeout: 120_000 }, () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "ab",
      ".",
      "[ab]",
      "[^a]",
      "\\w",
      "\\d",
      "\\b",
      "^",
      "$",
      "\\.",
      "\\x61",
      "\\u0062",
      "\\u{61}",
      "c",
      "1",
    );
    const times = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,1}", "{1,}", "*?", "+?", "??", "{2}?");
    const { source } = fc.letrec((tie) => ({
      source: fc.oneof(
        { maxDepth: 3 },
        tie("sequence"),
        fc.tuple(tie("sequence"), tie("source")).map(([a, b]) => `${a}|${b}`),
      ),
      sequence: fc
        .array(
          fc.tuple(tie("atom"), times).map(([atom, many]) => `${atom}${many}`),
          { maxLength: 4 },
        )
        .map((all) => all.join("")),
      atom: fc.oneof(
        { maxDepth: 3 },
        piece,
        fc
          .tuple(fc.constantFrom("(", "(?:", "(?=", "(?!", "(?<=", "(?<!"), tie("source"))
          .map(([start, inner]) => `${start}${inner})`),
      ),
    }));
    const line = fc
      .array(fc.constantFrom("a", "b", "c", "1", ".", " "), { maxLength: 8 })
      .map((chars) => chars.join(""));
    let sure = 0;
    fc.assert(
      fc.property(
        source as fc.Arbitrary<string>,
        fc.array(line, { minLength: 5, maxLength: 20 }),
        fc.constantFrom("s", "su"),
        (text, some, flags) => {
          let regex: RegExp;
          try {
            regex = new RegExp(text, flags);
          } catch {
            return;
          }
          const texts = needles(text);
          if (texts === undefined) return;
          for (const one of some) {
            if (!regex.test(one)) continue;
            sure++;
            expect(
              texts.some((needle) => one.includes(needle)),
              `${text} fits ${JSON.stringify(one)}`,
            ).toBe(true);
          }
        },
      ),
      { numRuns: rounds(3000, 50_000) },
    );
    expect(sure).toBeGreaterThan(100);
  });

  it("lines are found in a text of many as they are one by one", { timeout: 120_000 }, () => {
    const atom = fc.constantFrom(
      ..."ab1 é".split(""),
      ...[".", "\\s", "\\S", "\\W", "\\w", "\\D", "\\d", "\\b", "\\B", "^", "$", "[^a]", "[^\\s]", "[\\s\\S]"],
      ...[
        "[\\W]",
        "[a-c.]",
        "\\.",
        "[\\]^]",
        "(a|b)",
        "(?:a|\\s)",
        "(.)",
        "(?=a)",
        "(?<!\\s)",
        "(?!$)",
        "\\pL",
        "(?i:A)",
      ],
    );
    const times = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "*?");
    const source = fc.array(fc.tuple(atom, times), { minLength: 1, maxLength: 4 }).map((all) => all.flat().join(""));
    const line = fc.string({ unit: fc.constantFrom(..."ab1. \r\u2028éſ"), maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom("", "(?i)"), source, fc.array(line, { maxLength: 8 }), (flags, text, lines) => {
        const pattern = readPattern(flags + text);
        if (pattern.source === undefined) return;
        const regex = new RegExp(pattern.source, pattern.flags);
        const some = lines.map((one) => one.replace(/\r+$/, ""));
        const matcher = new FileMatcher(pattern);
        matcher.begin(100);
        const { lines: found } = matcher.take(Buffer.from(some.map((one) => `${one}\n`).join("")), true);
        const expected = some.flatMap((one, at) => (regex.test(one) ? [at + 1] : []));
        expect(
          found.map(({ line: number }) => number),
          JSON.stringify([flags, text, some]),
        ).toEqual(expected);
      }),
      { numRuns: rounds(3000, 50_000) },
    );
  });

  it("reading any pattern throws nothing but refusals, and runs nothing", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."ab()[]{}|*+?\\^$.:=!<>P-,0i\n"), minLength: 1, maxLength: 20 }),
        (text) => {
          const pattern = readPattern(text);
          expect((pattern.literal === undefined) !== (pattern.source === undefined)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
    // Never ends when run.
    expect(readPattern("(x+x+)+y").source).toBe("(x+x+)+y");
  });
});

it("globs choose by path, the last that fits deciding", () => {
  const chosen = (glob: string, path: string): boolean => fileChoice(glob)(path.split("/"), path.split("/"));
  expect(chosen("*.ts", "a/b.ts")).toBe(true);
  expect(chosen("*.ts,!b.ts", "a/b.ts")).toBe(false);
  expect(chosen("!b.ts,*.ts", "a/b.ts")).toBe(true);
  expect(chosen("!a", "a/b.ts")).toBe(false);
  expect(chosen("!a", "c/b.ts")).toBe(true);
  expect(chosen("{a,b}/{c,d}.ts", "b/c.ts")).toBe(true);
  expect(chosen("x{a,b{c,d}}y", "xbdy")).toBe(true);
  expect(chosen("{a}", "{a}")).toBe(true);
  expect(chosen("{a", "{a")).toBe(true);
  expect(chosen(" *.ts\n*.md ", "x.md")).toBe(true);
  expect(chosen("  ", "x.md")).toBe(true);
  expect(chosen("a\\,b", "a,b")).toBe(true);
});
