import type { Diagnostic, ParseResult, Parser } from "@toolglot/core";
import {
  allowsRepair,
  type BlockReader,
  checkParseOptions,
  createPushParser,
  streamEvents,
  TextScanner,
} from "@toolglot/core/text";
import { diagnostic, repairCodes } from "./diagnostics.ts";
import { lateFindings } from "./late-findings.ts";
import type { ReadingHost } from "./scan/block-draft.ts";
import { Detector } from "./scan/detect.ts";
import { DialectGrammar } from "./scan/grammar.ts";
import { type ProseHead, ProseMarks } from "./scan/prose.ts";
import type { BodyReader } from "./scan/read-call.ts";
import { type Body, marksOf, type RowMarks } from "./scan/row-marks.ts";
import { isTemplateDialect, type TemplateDialect } from "./table/template-dialect.ts";
import type { Dialect } from "./table/types.ts";
import { ToolSet } from "./tools.ts";
import type { DialectBlock, DialectEvent, DialectParseOptions } from "./types.ts";

/** The dialects that an entry knows, and what reads them. */
export interface DialectBook {
  /** In the order in which they are tried where several begin alike. */
  readonly rows: readonly Dialect[];
  /** The one that is read when none is asked for. Default: all of them. */
  readonly fixed?: string;
  readonly bodies: Partial<Readonly<Record<Body, BodyReader>>>;
  readonly heads?: readonly ProseHead[];
  /** Reads whole texts by response templates. */
  readonly templateText?: new (
    row: TemplateDialect,
    host: ReadingHost,
    startsInReasoning: boolean,
    report: (found: Diagnostic) => void,
  ) => BlockReader<DialectBlock>;
  /** Checks a host's own dialect. None: only these rows can be asked for. */
  readonly checkOwn?: (dialect: unknown) => void;
}

/** Options of a push parser. */
export interface DialectParserOptions extends DialectParseOptions {
  onEvent?: (event: DialectEvent) => void;
}

const ownOptions = ["dialect:string|object", 'callsInReasoning:"mark"|"accept-unclosed"|"accept"'];

/** Throws `TypeError` for options that can't be meant, with the names of the dialects there are. */
export function checkDialectOptions(
  book: DialectBook,
  what: string,
  options: object,
  own: readonly string[] = [],
): void {
  checkParseOptions(what, options, [...ownOptions, ...own], { protocol: "dialects", repairs: repairCodes });
  const { dialect = "auto" } = options as DialectParseOptions;
  if (typeof dialect === "object" && book.checkOwn) book.checkOwn(dialect);
  else if (dialect !== "auto" && !book.rows.some(({ id }) => id === dialect))
    throw new TypeError(
      `${what}: there is no dialect ${JSON.stringify(dialect)}. There are auto, ${book.rows.map(({ id }) => id).join(", ")}.`,
    );
}

/** Returns the dialects that may be read, the one that is asked for first: another one that begins alike is told by what follows. */
function rowsFor(
  { rows, fixed }: DialectBook,
  dialect: DialectParseOptions["dialect"],
): { own: RowMarks[]; isFixed: boolean } {
  const asked = dialect ?? fixed ?? "auto";
  if (asked === "auto") return { own: rows.map(marksOf), isFixed: false };
  const row = typeof asked === "object" ? asked : (rows.find(({ id }) => id === asked) as Dialect);
  const first = marksOf(row);
  const texts = new Set(first.openers.flatMap(({ texts }) => texts));
  const alike = rows
    .map(marksOf)
    .filter((one) => one.row !== row && one.openers.some((mark) => mark.texts.some((text) => texts.has(text))));
  return { own: [first, ...alike], isFixed: true };
}

/** Creates a push parser for the dialects of a book. */
export function parserOf(book: DialectBook, options: DialectParserOptions): Parser<DialectBlock> {
  return createPushParser((given) => scannerOf(book, given ? { ...options, ...given } : options));
}

function scannerOf(book: DialectBook, options: DialectParserOptions): TextScanner<DialectBlock> {
  const { dialect, tools: given, callsInReasoning, onEvent, ...rest } = options;
  const template = typeof dialect === "object" && isTemplateDialect(dialect) ? dialect : undefined;
  const { own, isFixed } = template ? { own: [], isFixed: true } : rowsFor(book, dialect);
  const tools = new ToolSet(given);
  const allows = (code: string): boolean => allowsRepair(options, code);
  let others: Detector | undefined;
  const foreign: DialectGrammar["foreign"] = (format, { start, end }, text) => {
    others ??= new Detector(book.rows.map(marksOf));
    const found = others.find(text, 0, true, true);
    return diagnostic("foreign-call", start, end, {
      message: `This is ${format}, which is not read here.`,
      ...(found && found !== "more" && { hint: `Read it as ${found.row.id}.` }),
    });
  };
  const host = { tools, allows, onEvent, bodies: book.bodies };
  const grammar = new DialectGrammar(own, new ProseMarks(own, book.heads), host, isFixed, foreign);
  if (template && book.templateText)
    grammar.whole = new book.templateText(template, host, options.startsInReasoning === true, (found) =>
      scanner.diagnose(found),
    );
  const rowOf = (id: string): Dialect | undefined => own.find(({ row }) => row.id === id)?.row;
  const scanner: TextScanner<DialectBlock> = new TextScanner<DialectBlock>({
    ...rest,
    tools: tools.definitions,
    reasoning: "search",
    grammar,
    ...(onEvent && { onEvent: onEvent as (event: object) => void }),
    onEnd(result: ParseResult<DialectBlock>) {
      for (const found of [...lateFindings(result, rowOf, callsInReasoning)]) scanner.diagnose(found);
    },
  });
  return scanner;
}

/** Returns the events of a text in chunks. */
export function streamOf(
  book: DialectBook,
  chunks: AsyncIterable<string> | Iterable<string> | ReadableStream<string>,
  options: DialectParseOptions,
): AsyncGenerator<DialectEvent> {
  return streamEvents(chunks, (onEvent: (event: DialectEvent) => void) => parserOf(book, { ...options, onEvent }));
}
