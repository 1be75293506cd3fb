import { isRunnable, type ParseResult, type Parser } from "@toolglot/core";
import { allowsRepair, checkParseOptions, createPushParser, TextScanner } from "@toolglot/core/text";
import { diagnostic } from "./diagnostics.ts";
import { BlockBuilder } from "./fields/block-builder.ts";
import { findLostCalls, TamGrammar } from "./scan/grammar.ts";
import type { TamBlock, TamParseOptions, TamParserOptions } from "./types.ts";

/**
 * Reads all blocks of a whole text. Total: there is a result for whatever a model wrote, with diagnostics.
 * Throws `TypeError` when `text` is no string, and for options that can't be meant.
 *
 * @example
 * ```ts
 * const answer = "<|[REQUEST_TOOL]|>\ncommand:»»»Note«««\ntext:»»»Dear friend«««\n<|[END_TOOL]|>\n";
 * const [block] = parse(answer).blocks;
 * const step = block?.steps[0]; // { tool: "Note", params: { text: "Dear friend" }, … }
 * ```
 */
export function parse(text: string, options: TamParseOptions = {}): ParseResult<TamBlock> {
  checkParseOptions("parse", options);
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/**
 * Creates a push parser: `feed` text as it comes in; `end` returns what `parse` does for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is emitted as soon as no later text can change it.
 * Throws `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const parser = createParser({
 *   onEvent(event) {
 *     if (event.type === "param-delta") deltas.push(event.text);
 *   },
 * });
 * for (const chunk of chunks) parser.feed(chunk);
 * const { blocks } = parser.end({ finish: "stop" });
 * ```
 */
export function createParser(options: TamParserOptions = {}): Parser<TamBlock> {
  checkParseOptions("createParser", options, ["onEvent:function"]);
  return createPushParser((given = options) => makeScanner(given), sample);
}

/** What `createPushParser` keeps alive is made of it: most of a block, up to the middle of a value. */
const sample = `<|[REQUEST_TOOL]|>
command:»»»a«««
a:»»»a`;

function makeScanner(options: TamParserOptions): TextScanner<TamBlock> {
  const { tools, onEvent } = options;
  const allows = (code: string): boolean => allowsRepair(options, code);
  const scanner: TextScanner<TamBlock> = new TextScanner<TamBlock>({
    ...options,
    grammar: new TamGrammar(() => new BlockBuilder(tools, allows, onEvent)),
    onEnd: ({ segments }) =>
      findLostCalls(segments, ({ start, end }, inDoubt) => {
        const made = diagnostic(inDoubt ? "ambiguous-delimiter" : "unopened-block", start, end);
        const allowed = allows(made.code);
        if (!allowed) made.severity = "error";
        for (const block of inDoubt ?? []) if (isRunnable(block)) block.status = allowed ? "recovered" : "invalid";
        scanner.diagnose(made);
      }),
  });
  return scanner;
}
