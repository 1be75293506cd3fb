import { growthOf } from "@toolglot/internal/testing/growth";
import { expect, it } from "vitest";
import { gemmaLiterals } from "../src/values/gemma.ts";
import { LiteralReader } from "../src/values/literal-reader.ts";
import { pythonLiterals } from "../src/values/plain-quotes.ts";
import { jsonSyntax, pythonSyntax } from "../src/values/syntaxes.ts";
import { typeText } from "../src/values/typed.ts";
import type { LiteralSyntax } from "../src/values/types.ts";

const syntaxes: Record<string, LiteralSyntax> = {
  json: jsonSyntax,
  python: pythonSyntax,
  plain: pythonLiterals({ plainSingleQuotes: true }),
  gemma: gemmaLiterals({ stringDelimiters: [["<escape>", "<escape>"]] }),
};
const begins = ["", "[", '"', "'", "{", '{"a":', "[<escape>", "'''"];
const repeated = [
  ..."[({\"'\\09_-.,: \n<a\ud83d",
  '{"a":',
  "\\\\",
  "\\u",
  "\\ud83d",
  '" ',
  "' ",
  '"" ',
  "'a',",
  "1,",
  "0,",
  '"a":1,',
  "a:b,",
  "<esc",
  "<escape>",
  "1e",
  "True ",
  "[TO",
];

/** Reads a text in chunks; 0: at once. */
function read(text: string, syntax: LiteralSyntax, chunk: number): void {
  const reader = new LiteralReader(syntax, { stringsTo: 9, listener: { piece: () => {} } });
  const length = chunk || text.length;
  let window = "";
  for (let at = 0; at < text.length && reader.state === "open"; at += length) {
    window += text.slice(at, at + length);
    window = window.slice(reader.read(window, 0, 0, at + length >= text.length));
  }
}

it.each(Object.entries(syntaxes))("%s: anything behind anything, at once and in small chunks", (_name, syntax) => {
  for (const begin of begins)
    for (const unit of repeated)
      for (const chunk of [0, 1]) {
        const growth = growthOf((size) => {
          const text = begin + unit.repeat(size / unit.length);
          return () => read(text, syntax, chunk);
        });
        expect(growth, JSON.stringify(begin + unit)).toBeUndefined();
      }
});

it.each([
  ["digits", (zeros: string) => `1${zeros}`],
  ["a fraction", (zeros: string) => `0.${zeros}1`],
  ["zeros behind a point", (zeros: string) => `1.${zeros}`],
  ["zeros and a letter", (zeros: string) => `${zeros}x`],
  ["digits and a letter", (zeros: string) => `1${zeros}x`],
  ["an exponent", (zeros: string) => `1e${zeros}1`],
  ["Python's digits", (zeros: string) => `1_${zeros}`],
] as const)("reads %s in linear time", (_name, numberOf) => {
  for (const syntax of Object.values(syntaxes)) {
    const growth = growthOf((size) => {
      const number = numberOf("0".repeat(size));
      return () => {
        read(`[${number}]`, syntax, 0);
        typeText(number, { type: "integer" }, undefined);
      };
    }, 100_000);
    expect(growth).toBeUndefined();
  }
});
