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
import type { BareCalls, DoubtText, FindForm } from "./scan/bare.ts";
import type { CallHost } from "./scan/call-draft.ts";
import { DialectGrammar } from "./scan/grammar.ts";
import type { Parts } from "./scan/parts.ts";
import { planOf, type ReadingPlan } from "./scan/plan.ts";
import type { RowMarks } from "./scan/row-marks.ts";
import type { DialectRow } from "./table/types.ts";
import { ToolSet } from "./tools.ts";
import type { DialectBlock, DialectEvent, DialectParseOptions } from "./types.ts";

/** The dialects that an entry knows, and what reads them. */
export interface DialectBook extends Parts {
  /** In the order in which they are tried where several begin alike. */
  readonly rows: readonly DialectRow[];
  /** The one that is read when none is asked for. Default: all of them. */
  readonly fixed?: string;
  /** Needed where one of them is found without its marks. */
  readonly bare?: typeof BareCalls;
  /** Needed for those of them that are no JSON objects. */
  readonly bareForms?: FindForm;
  /** Needed where several of them write the same calls. */
  readonly doubts?: DoubtText;
  /** Chooses among several; none: there is one. */
  readonly planFor?: (book: DialectBook, dialect: ReadingOptions["dialect"]) => ReadingPlan;
  /** Finds a message that holds calls in two of them. */
  readonly mixed?: (blocks: readonly DialectBlock[]) => Diagnostic[];
  /** Returns the dialect of a text that begins with a call. */
  readonly dialectAt?: (book: DialectBook, text: string) => RowMarks | undefined;
  /** Makes what reads whole texts by the response template of a dialect, if it has one. */
  readonly wholeReader?: (
    dialect: ReadingOptions["dialect"],
    host: CallHost,
    startsInReasoning: boolean,
    report: (found: Diagnostic) => void,
  ) => BlockReader<DialectBlock> | undefined;
  /** Checks a host's own dialect. None: only these rows can be asked for. */
  readonly checkOwn?: (dialect: unknown) => void;
}

/** Options of a push parser. */
export interface DialectParserOptions extends DialectParseOptions {
  onEvent?: (event: DialectEvent) => void;
}

/** The same, of a row as well: it is a dialect without its description. */
export type ReadingOptions = Omit<DialectParserOptions, "dialect"> & {
  dialect?: DialectParseOptions["dialect"] | DialectRow;
};

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

const plans = new WeakMap<DialectBook, ReadingPlan>();

/** Returns what reading needs of a book's only dialect; made once where it is fixed. */
function onlyPlan(book: DialectBook, isFixed: boolean): ReadingPlan {
  const plan = (isFixed && plans.get(book)) || planOf(book.rows, isFixed, book);
  if (isFixed) plans.set(book, plan);
  return plan;
}

/** Creates a push parser for the dialects of a book. */
export function parserOf(book: DialectBook, options: ReadingOptions): Parser<DialectBlock> {
  return createPushParser((given) => scannerOf(book, given ? { ...options, ...given } : options));
}

function scannerOf(book: DialectBook, options: ReadingOptions): TextScanner<DialectBlock> {
  const { dialect, tools: given, callsInReasoning, onEvent, ...rest } = options;
  const plan = book.planFor?.(book, dialect) ?? onlyPlan(book, dialect !== "auto");
  const tools = new ToolSet(given);
  const allows = (code: string): boolean => allowsRepair(options, code);
  const foreign: DialectGrammar["foreign"] = (format, { start, end }, text) => {
    const found = book.dialectAt?.(book, text);
    return diagnostic("foreign-call", start, end, {
      message: `This is ${format}, which is not read here.`,
      ...(found && !plan.rows.includes(found) && { hint: `Read it as ${found.row.id}.` }),
    });
  };
  const host = { tools, allows, onEvent };
  const grammar = new DialectGrammar(plan, host, foreign, book.bare, book.bareForms, book.doubts);
  const whole = book.wholeReader?.(dialect, host, options.startsInReasoning === true, (found) =>
    scanner.diagnose(found),
  );
  if (whole) grammar.whole = whole;
  const rowWith = (id: string): RowMarks | undefined => plan.rows.find(({ row }) => row.id === id);
  const scanner: TextScanner<DialectBlock> = new TextScanner<DialectBlock>({
    ...rest,
    tools: tools.definitions,
    reasoning: "search",
    grammar,
    ...(onEvent && { onEvent: onEvent as (event: object) => void }),
    onEnd(result: ParseResult<DialectBlock>) {
      const late = [...lateFindings(result, rowWith, callsInReasoning, allows), ...(book.mixed?.(result.blocks) ?? [])];
      for (const found of late) scanner.diagnose(found);
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
