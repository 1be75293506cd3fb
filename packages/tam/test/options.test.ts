import { expect, it } from "vitest";
import {
  createParser,
  explain,
  formatResults,
  parse,
  parseStream,
  renderManual,
  TamParserStream,
} from "../src/index.ts";

it.each<[name: string, call: (options: object) => unknown]>([
  ["parse", (options) => parse("", options)],
  ["createParser", (options) => createParser(options)],
  ["end", (options) => createParser().end(options)],
  ["parseStream", (options) => parseStream([], options)],
  ["TamParserStream", (options) => new TamParserStream(options)],
  ["explain", (options) => explain(parse(""), options)],
  ["formatResults", (options) => formatResults([], options)],
  ["renderManual", (options) => renderManual([], options)],
])("%s refuses options that nobody would read", (name, call) => {
  expect(() => call({ maxInputLenght: 5 })).toThrow(TypeError);
  expect(() => call({ maxInputLenght: 5 })).toThrow(name);
  expect(() => call({})).not.toThrow();
});
