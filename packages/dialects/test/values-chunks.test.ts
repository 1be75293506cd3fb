import fc from "fast-check";
import { expect, it } from "vitest";
import { gemmaLiterals } from "../src/values/gemma.ts";
import { pythonLiterals } from "../src/values/plain-quotes.ts";
import { jsonSyntax, pythonSyntax } from "../src/values/syntaxes.ts";
import type { LiteralSyntax } from "../src/values/types.ts";
import { readEachWay } from "./read-literal.ts";

const syntaxes: LiteralSyntax[] = [
  jsonSyntax,
  pythonSyntax,
  pythonLiterals({ plainSingleQuotes: true }),
  gemmaLiterals({
    stringDelimiters: [
      ["<|q|>", "<|q|>"],
      ["<e>", "</e>"],
    ],
  }),
];
const parts = [
  ..."{}[](),:\"'\\ \n1-._aTu<|q>é😀\ud83d\ude00",
  ...[
    "<|q|>",
    "<|q",
    "<e>",
    "</e>",
    '"a"',
    "'a'",
    "'''",
    '"""',
    "True",
    "null",
    "NaN",
    "0x1f",
    "007",
    "9007199254740993",
  ],
  ...[
    "\\u00e9",
    "\\ud83d",
    "\\ude00",
    "\\x41",
    "\\U0001f600",
    "\\101",
    "\\u12",
    "a:",
    '{"a":',
    "{'a': ",
    "[TOOL",
    "1, ",
    "</",
  ],
];

it("reads any text the same, whatever its chunks", () => {
  const begin = fc.constantFrom("", "[", "{a:", "['", '{"', "{a:<|q|>", "('''");
  const rest = fc.array(fc.constantFrom(...parts), { maxLength: 16 }).map((chosen) => chosen.join(""));
  fc.assert(
    fc.property(fc.constantFrom(...syntaxes), begin, rest, (syntax, before, behind) => {
      const { state, value, failure } = readEachWay(before + behind, syntax);
      expect(value === undefined).toBe(state !== "done");
      expect(failure === undefined).toBe(state === "done" || state === "open");
    }),
    { numRuns: 6000 },
  );
});

it("reads a string of JSON that stands whole as one that comes in pieces, and as JSON has it", () => {
  const signs = [
    ...'aé😀/{}],:<`\n\t\x7f\u2028\ud83d\ude00"',
    ...["\\n", '\\"', "\\\\", "\\/", "\\b", "\\u00e9", "\\u0000", "\\ud83d\\ude00", "\\ud83d", "\\ude00"],
    ...["\\", "\\u12", "\\u00g0", "\\x41", "\\'", "\\\n"],
  ];
  const body = fc.array(fc.constantFrom(...signs), { maxLength: 12 }).map((chosen) => chosen.join(""));
  const around = fc.constantFrom(
    ["", ""],
    ["[", "]"],
    ['{"a": ', ', "b": 1}'],
    ['{"a": {"c": ', "}}"],
    ["", " behind"],
  );
  fc.assert(
    fc.property(body, around, (text, [before, behind]) => {
      const whole = `${before}"${text}"${behind}`;
      const { state, value, slips, end } = readEachWay(whole, jsonSyntax);
      if (state === "done" && slips.length === 0) expect(value).toEqual(JSON.parse(whole.slice(0, end)));
    }),
    { numRuns: 2000 },
  );
});
