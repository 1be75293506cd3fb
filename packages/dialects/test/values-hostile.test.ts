import { expect, it } from "vitest";
import { LiteralReader } from "../src/values/literal-reader.ts";
import { typeText } from "../src/values/typed.ts";
import type { LiteralSyntax } from "../src/values/types.ts";

const size = 1_000_000;
const syntaxes: Record<string, LiteralSyntax> = {
  json: { language: "json" },
  python: { language: "python" },
  plain: { language: "python", plainSingleQuotes: true },
  gemma: { language: "gemma", stringDelimiters: [["<escape>", "<escape>"]] },
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

function time(text: string, syntax: LiteralSyntax, chunk: number): number {
  const reader = new LiteralReader(syntax, { stringsTo: 9, listener: { piece: () => {} } });
  const from = performance.now();
  let window = "";
  for (let at = 0; at < text.length && reader.state === "open"; at += chunk) {
    window += text.slice(at, at + chunk);
    window = window.slice(reader.read(window, 0, 0, at + chunk >= text.length));
  }
  return performance.now() - from;
}

const long = [..."[(\"'\\07<", '{"a":', "\\\\", '" ', "' ", "1,", '"a":1,', "<escape>"];

it.each(Object.entries(syntaxes))("%s: a megabyte of one thing, in a text that is open", (_name, syntax) => {
  for (const unit of long) {
    for (const begin of ["", unit.endsWith(",") ? "[" : '["', '{"']) {
      const text = begin + unit.repeat(size / unit.length);
      // What goes with the square of the length takes many times as long.
      for (const chunk of [text.length, 64]) {
        expect(time(text, syntax, chunk), JSON.stringify(begin + unit)).toBeLessThan(4000);
      }
    }
  }
});

it.each(Object.entries(syntaxes))("%s: anything behind anything, in small chunks", (_name, syntax) => {
  for (const begin of begins) {
    for (const unit of repeated) {
      const text = begin + unit.repeat(60_000 / unit.length);
      for (const chunk of [text.length, 1]) {
        expect(time(text, syntax, chunk), JSON.stringify(begin + unit)).toBeLessThan(1000);
      }
    }
  }
});

it("reads digits, zeros and fractions in no time", () => {
  const zeros = "0".repeat(size);
  for (const number of [
    `1${zeros}`,
    `0.${zeros}1`,
    `1.${zeros}`,
    `${zeros}x`,
    `1${zeros}x`,
    `1e${zeros}1`,
    `1_${zeros}`,
  ]) {
    for (const syntax of Object.values(syntaxes)) expect(time(`[${number}]`, syntax, size * 2)).toBeLessThan(1000);
    const from = performance.now();
    typeText(number, { type: "integer" }, undefined);
    expect(performance.now() - from).toBeLessThan(1000);
  }
});
