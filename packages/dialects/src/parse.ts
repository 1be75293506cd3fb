import type { ParseResult, Parser } from "@toolglot/core";
import { allDialects } from "./book.ts";
import { checkDialectOptions, type DialectParserOptions, parserOf } from "./readers.ts";
import type { DialectBlock, DialectParseOptions } from "./types.ts";

/**
 * Reads all calls of a whole text, in any dialect of the table or in the one that is asked for. Total: there is a result for whatever a
 * model wrote, with diagnostics. Throws `TypeError` when `text` is no string, and for options that can't be meant.
 *
 * @example
 * ```ts
 * const text = '<tool_call>\n{"name": "search", "arguments": {"query": "tea"}}\n</tool_call>';
 * const call = parse(text).blocks[0]?.calls[0]; // { name: "search", input: { query: "tea" }, … }
 * ```
 */
export function parse(text: string, options: DialectParseOptions = {}): ParseResult<DialectBlock> {
  checkDialectOptions(allDialects, "parse", options);
  const parser = parserOf(allDialects, options);
  parser.feed(text);
  return parser.end();
}

/**
 * Creates a push parser: `feed` text as it comes in; `end` returns what `parse` does for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is emitted as soon as no later text can change it.
 * Throws `TypeError` for options that can't be meant.
 */
export function createParser(options: DialectParserOptions = {}): Parser<DialectBlock> {
  checkDialectOptions(allDialects, "createParser", options, ["onEvent:function"]);
  return parserOf(allDialects, options);
}
