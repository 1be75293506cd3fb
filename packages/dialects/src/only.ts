import type { Locale, ParseResult, Parser, ToolProtocol, ToolResult } from "@toolglot/core";
import type { ExplainOptions } from "@toolglot/core/explain";
import { EventStream } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { explainWith } from "./explain-with.ts";
import { protocolOf, type ShowTools } from "./protocol-of.ts";
import type { OneDialectProtocolOptions } from "./protocol-options.ts";
import { checkDialectOptions, type DialectBook, type DialectParserOptions, parserOf, streamOf } from "./readers.ts";
import { type Chunks, type Recovered, type RecoverOptions, recoverWith } from "./recover.ts";
import type { DialectRow } from "./table/types.ts";
import type { DialectBlock, DialectEvent, DialectParseOptions, DialectTool, WrittenCall } from "./types.ts";
import { writeResults } from "./write/results.ts";
import type { SerializeOptions, WriteCalls } from "./write/serialize.ts";

/** A dialect, and what reads it. */
export interface OneBook extends DialectBook {
  readonly rows: readonly [DialectRow];
  readonly fixed: string;
}

/** What an entry of one dialect exports: the functions of the package's entry, without the choice of a dialect. */
export interface OneDialect {
  parse(text: string, options?: DialectParseOptions): ParseResult<DialectBlock>;
  createParser(options?: DialectParserOptions): Parser<DialectBlock>;
  parseStream(
    chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
    options?: DialectParseOptions,
  ): AsyncGenerator<DialectEvent>;
  DialectParserStream: new (options?: DialectParseOptions) => TransformStream<string, DialectEvent>;
  recoverToolCalls(text: string, tools?: readonly DialectTool[], options?: RecoverOptions): Recovered;
  recoverToolCalls(stream: Chunks, tools?: readonly DialectTool[], options?: RecoverOptions): Promise<Recovered>;
  serialize(block: { calls: readonly WrittenCall[] }, options?: SerializeOptions): string;
  formatResults(results: readonly ToolResult[], options?: { locale?: Locale; budget?: number }): string;
  renderTools(tools: readonly DialectTool[], options?: { locale?: Locale }): string;
  explain(result: ParseResult<DialectBlock>, options?: ExplainOptions): string | undefined;
  dialectProtocol(options?: OneDialectProtocolOptions): ToolProtocol<DialectBlock>;
}

/** Each returns the function of {@link OneDialect} for a book. */
export const parseOf =
  (book: OneBook): OneDialect["parse"] =>
  (text, options = {}) => {
    checkDialectOptions(book, "parse", options);
    const parser = parserOf(book, options);
    parser.feed(text);
    return parser.end();
  };

export const createParserOf =
  (book: OneBook): OneDialect["createParser"] =>
  (options = {}) => {
    checkDialectOptions(book, "createParser", options, ["onEvent:function"]);
    return parserOf(book, options);
  };

export const parseStreamOf =
  (book: OneBook): OneDialect["parseStream"] =>
  (chunks, options = {}) => {
    checkDialectOptions(book, "parseStream", options);
    return streamOf(book, chunks, options);
  };

export const streamClassOf = (book: OneBook): OneDialect["DialectParserStream"] =>
  class DialectParserStream extends EventStream<DialectEvent> {
    constructor(options: DialectParseOptions = {}) {
      checkDialectOptions(book, "DialectParserStream", options);
      super((onEvent) => parserOf(book, { ...options, onEvent }));
    }
  };

export const recoverOf = (book: OneBook): OneDialect["recoverToolCalls"] =>
  ((source: string | Chunks, tools?: readonly DialectTool[], options: RecoverOptions = {}) =>
    recoverWith(book, source, tools, options)) as OneDialect["recoverToolCalls"];

export const serializeOf =
  ({ rows: [row] }: OneBook, write: WriteCalls): OneDialect["serialize"] =>
  ({ calls }, options = {}) => {
    checkKeys("serialize", options, "tools:object[]");
    return write(row, calls, options.tools);
  };

export const formatResultsOf =
  ({ rows: [row] }: OneBook): OneDialect["formatResults"] =>
  (results, options = {}) => {
    checkKeys("formatResults", options, 'locale:"zh"|"en" budget:number');
    return writeResults(results, row, options.locale, options.budget);
  };

export const renderToolsOf =
  ({ rows: [row] }: OneBook, show: ShowTools): OneDialect["renderTools"] =>
  (tools, options = {}) => {
    checkKeys("renderTools", options, 'locale:"zh"|"en"');
    return show(row, tools, options.locale);
  };

export const explainOf =
  ({ rows: [row] }: OneBook, write: WriteCalls): OneDialect["explain"] =>
  (result, options = {}) =>
    explainWith(result, row, options, write);

export const protocolFor =
  (book: OneBook, write: WriteCalls, show?: ShowTools): OneDialect["dialectProtocol"] =>
  (options = {}) =>
    protocolOf(book, options, () => book.rows[0], write, show);
