import { spawnSync } from "node:child_process";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FileMatcher } from "../../src/read/file-matcher.ts";
import { type Pattern, readPattern } from "../../src/read/pattern.ts";
import { readerOf, refusal } from "./support.ts";

const hasRipgrep = spawnSync("rg", ["--version"]).status === 0;

/** Numbers of the lines that a pattern fits, by our reading. */
function ourLines(pattern: Pattern, text: string): number[] {
  const matcher = new FileMatcher(pattern);
  matcher.begin(1000);
  return matcher.take(Buffer.from(text), true).lines.map(({ line }) => line);
}

// Three scripts, digits of two, marks, letters with several cases, and what joins and parts words.
const units = [..."aAbkKsS_1 -.,é\u0301ÜüßſK字漢ケαΣσςжЖ٣\u200d\u00a0\u3000\t😀"];
const line = fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
const texts = fc.array(line, { minLength: 1, maxLength: 40 });

const atoms = [
  ...[
    "a",
    "b",
    "k",
    "K",
    "s",
    "ü",
    "é",
    "ß",
    "σ",
    "Ж",
    "字",
    " ",
    "1",
    ".",
    "\\.",
    "-",
    "_",
    "\\t",
    "\\x61",
    "\\x{fc}",
    "\\u{5b57}",
    "\\u00e9",
  ],
  ...["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "^", "$", "\\A", "\\z"],
  ...[
    "\\pL",
    "\\PL",
    "\\p{Lu}",
    "\\p{Han}",
    "\\p{Greek}",
    "\\p{Cyrillic}",
    "\\p{L}",
    "\\P{Greek}",
    "\\p{Uppercase}",
    "\\p{Nd}",
    "\\p{greek}",
  ],
  ...[
    "\\p{sc=Han}",
    "\\p{scx=Hani}",
    "\\p{gc=Ll}",
    "\\p{Script=Latin}",
    "\\p{Alphabetic}",
    "\\p{any}",
    "\\p{ascii}",
    "\\p{uppercase_letter}",
  ],
  ...[
    "[a-k]",
    "[^a]",
    "[^a-z\\s]",
    "[\\w-]",
    "[]a]",
    "[^]a]",
    "[-a]",
    "[a-]",
    "[[:alpha:]]",
    "[[:^alpha:]]",
    "[^[:space:]]",
    "[[:word:]-]",
  ],
  ...[
    "[\\w&&[^a]]",
    "[\\w--[a-k]]",
    "[a-k~~k-s]",
    "[\\pL&&\\p{Greek}]",
    "[a-z&&[^aeiou]]",
    "[[a-b][k-s]]",
    "[^\\W_]",
    "[\\p{Han}ü]",
    "[α-ω]",
  ],
  ...[
    "(?i:k)",
    "(?i:S)",
    "(?i:ü)",
    "(?i:[a-k])",
    "(?i:\\p{Lu})",
    "(?i:[^k])",
    "(?i:σ)",
    "(?-i:a)",
    "(?-u:\\w)",
    "(?-u:\\b)",
    "(?s:.)",
    "(?x: a b )",
  ],
  ...[
    "(a|字)",
    "(?:ü|k)",
    "(?P<n>a)",
    "(?<m>\\w)",
    "()",
    "(|a)",
    "(?i)k",
    "(?i)",
    "(?-i)",
    "(?U)",
    "(?m)^",
    "(?-m)$",
    "\\n?a",
  ],
  // A line end among other characters of a class fits in no line.
  ...[
    "[a\\n]",
    "[\\r\\n]",
    "[\\x0aα]",
    "[^\\n]",
    "[^a\\n]",
    "[\\n]",
    "[\\n\\x0a]",
    "[[\\n]字]",
    "[\\s&&[^\\n]]",
    "[\\t-\\r]",
  ],
];
const patterns = fc
  .array(
    fc.tuple(
      fc.constantFrom(...atoms),
      fc.constantFrom("", "", "", "", "*", "+", "?", "??", "+?", "{2}", "{0,2}", "{1,}", "**", "+*", "|"),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((all) => all.flat().join(""));
const written = fc
  .tuple(fc.constantFrom("", "", "", "(?i)", "(?x)", "(?u)", "(?sm)"), patterns)
  .map((all) => all.join(""));

describe.skipIf(!hasRipgrep)("what a pattern means is what it means in ripgrep", () => {
  it("in every construct, on lines in several scripts", { timeout: 600_000 }, () => {
    const tally = { same: 0, refused: 0, matched: 0 };
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 6 }), texts, (sources, lines) => {
        const text = lines.map((one) => `${one}\n`).join("");
        for (const source of sources) {
          // Ripgrep 13 finds no empty line by `$^`.
          if (/\$.*\^/s.test(source) && lines.includes("")) continue;
          const pattern = readPattern(source);
          const { status, stdout } = spawnSync("rg", ["--no-config", "-n", "--color=never", "-e", source, "-"], {
            encoding: "utf8",
            input: text,
          });
          if (status === 2 || pattern.literal !== undefined) {
            tally.refused++;
            // What ripgrep takes is taken; what it refuses is refused, or read as it was meant.
            if (status !== 2 && pattern.literal !== undefined && pattern.fault !== undefined)
              expect([source, pattern.fault]).toEqual([source, undefined]);
            continue;
          }
          const theirs = stdout
            .split("\n")
            .filter(Boolean)
            .map((one) => Number(one.split(":")[0]));
          expect([source, lines, ourLines(pattern, text)]).toEqual([source, lines, theirs]);
          tally.same++;
          if (theirs.length > 0) tally.matched++;
        }
      }),
      { numRuns: rounds(100, 2_000) },
    );
    expect(tally.matched).toBeGreaterThan(50);
    expect(tally.same).toBeGreaterThan(tally.refused);
  });
});

describe("searches in a folder", () => {
  const files = {
    "f.txt": "Über uns\nfoo bar\nfoobar\n字 漢字 test\nword\n",
    "g.ts": "a(\n  b,\n)\nfoo\n\nbar\r\nend\r\n",
  };
  const found = async (pattern: string, src = "f.txt") => {
    const { reader } = await readerOf(files);
    const { head, text, complete } = await reader.search({ pattern, src });
    const lines = text
      .split("\n")
      .filter(Boolean)
      .map((one) => Number(/:(\d+): /.exec(one)?.[1]));
    return { head, lines, complete };
  };

  it.each<[string, number[]]>([
    ["\\bÜber\\b", [1]],
    ["^\\w+ \\w+$", [1, 2]],
    ["\\p{Han}", [4]],
    ["\\<word\\>", [5]],
    ["(?i:WORD)", [5]],
    ["(?i:ÜBER) uns", [1]],
    ["\\b{start}bar", [2]],
    ["\\x{dc}ber", [1]],
    ["\\p{greek}|\\p{IsHan}", [4]],
    ["[\\p{Han}&&[^字]]", [4]],
    ["(?x) foo \\  bar # a comment", [2]],
    ["\\Afoo\\z|^foobar\\z", [3]],
    ["(?-u:\\b)ber", [1]],
    ["[^\\n]+bar", [2, 3]],
    ["(?=foo)\\w+$", [3]],
    ["(o)\\1", [2, 3]],
  ])("%j finds lines %j", async (pattern, lines) => {
    expect(await found(pattern)).toMatchObject({ lines, complete: true });
  });

  it.each<[string, string, number[]]>([
    ["bar\\nfoo", "f.txt", [2]],
    ["bar\nfoo.*", "f.txt", [2]],
    ["\\(\\n\\s+b", "g.ts", [1]],
    ["foo\\n\\nbar", "g.ts", [4]],
    ["^b.*,\\n\\)$|^  b,\\n", "g.ts", [2]],
    ["bar\\r\\nend", "g.ts", [6]],
    ["bar\\r?\\nend", "g.ts", [6]],
    ["end\\r", "g.ts", [7]],
    ["foo[\\s\\S]*end", "g.ts", [4]],
    ["(?s)foo.*end", "g.ts", [4]],
    ["[\\r\\n]+end", "g.ts", [6]],
  ])("%j asks for more than one line, in %s", async (pattern, src, lines) => {
    const result = await found(pattern, src);
    expect(result).toMatchObject({ lines, complete: true });
    if (/\\n|\n|\(\?s|\\S/.test(pattern)) expect(result.head).toContain("searched as one text");
  });

  it.each([
    ["\\Qa.b\\E", "\\Q is no escape"],
    ["\\hword", "\\h is no escape"],
    ["foo\\K", "\\K is no escape"],
    ["\\e[0m", "\\e is no escape"],
    ["(?>a)b", "an atomic group"],
    ["\\p{Klingon}", "is no property"],
    ["(a", "a group that is not closed"],
    ["[a", "a class that is not closed"],
    ["(?y)x", "(?y) is no flag"],
    ["\\2(q)", "\\2 names no group"],
    ["a{,3}", "without its first number"],
    ["(?-u:.)x", "single bytes"],
    ["[[:alpha:]&&]", "&& with nothing behind it"],
  ])("%j is refused by name, and never has no match", async (pattern, fault) => {
    const { reader } = await readerOf(files);
    const { type, message } = await refusal(reader.search({ pattern }));
    expect([type, message]).toEqual(["InvalidPattern", expect.stringContaining(fault)]);
  });

  it("finds as it stands what is no expression", async () => {
    const { reader } = await readerOf({ "a.txt": "path \\Qx and f(a\n" });
    expect((await reader.search({ pattern: "\\Qx" })).head).toContain("searched for as it stands");
    expect(await reader.search({ pattern: "f(a" })).toMatchObject({
      complete: true,
      text: expect.stringContaining("f(a"),
    });
  });

  it("searches a file of many pieces as one text", async () => {
    const filler = "line of some length\n".repeat(80_000);
    const { reader } = await readerOf({ "a.txt": `${filler}foo\nbar\n${filler}` });
    expect((await reader.search({ pattern: "foo\\s*\\nbar" })).text).toBe("a.txt:80001: foo\n");
    expect((await reader.search({ pattern: "foo\\s+bar", src: "a.txt" })).complete).toBe(true);
  });
});
