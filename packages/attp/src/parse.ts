import { createRecord, type ParseResult, type Parser, type Segment } from "@toolglot/core";
import {
  allowsRepair,
  checkParseOptions,
  createPushParser,
  type Fence,
  type Source,
  TextScanner,
} from "@toolglot/core/text";
import { diagnostic, repairs, type ShortCode } from "./diagnostics.ts";
import { type CodeLanguage, endsInLiteral } from "./repair/code.ts";
import { judgeFence, judgeFields, readDocument } from "./repair/document.ts";
import { chooseEntries, fromData } from "./repair/fields.ts";
import { Judge } from "./repair/judge.ts";
import { entryText } from "./repair/strings.ts";
import { isTable, toJson } from "./repair/values.ts";
import { DocumentReader } from "./scan/document-reader.ts";
import type { Entry, ReadDocument, ReaderOptions, Scan } from "./scan/entry.ts";
import { AttpGrammar } from "./scan/grammar.ts";
import { JsonReader } from "./scan/json-reader.ts";
import { type Field, fields } from "./scan/patterns.ts";
import type { AttpDocument, AttpParseOptions, AttpParserOptions } from "./types.ts";

/**
 * Reads all documents of a whole text. Total: there is a result for whatever a model wrote, with diagnostics.
 * Throws `TypeError` when `text` is no string.
 *
 * @example
 * ```ts
 * const answer = "[tool_call]\nstatus = success\ncode = '''\n__result__ = 1\n'''\n";
 * const { blocks, diagnostics } = parse(answer);
 * const call = blocks[0]?.toolCall; // { status: "success", code: "__result__ = 1\n" }
 * ```
 */
export function parse(text: string, options: AttpParseOptions = {}): ParseResult<AttpDocument> {
  const parser = createParser(options);
  parser.feed(text);
  return parser.end();
}

/**
 * Creates a push parser: `feed` text as it comes in; `end` returns what `parse` does for the whole text, whatever the chunks.
 * `onEvent` is called while text comes in; a delta is emitted as soon as no later text can change it.
 *
 * @example
 * ```ts
 * const parser = createParser({
 *   onEvent(event) {
 *     if (event.phase === "delta") deltas.push(event.text);
 *   },
 * });
 * for (const chunk of chunks) parser.feed(chunk);
 * const { blocks } = parser.end({ finish: "stop" });
 * ```
 */
export function createParser(options: AttpParserOptions = {}): Parser<AttpDocument> {
  checkOptions("createParser", options);
  return createPushParser((given = options) => new Run(given).scanner, sample);
}

/** Throws `TypeError` for options that make no sense; `what` takes them. */
export function checkOptions(what: string, options: AttpParserOptions): void {
  const known = { protocol: "attp", repairs } as const;
  checkParseOptions(what, options, ['language:"python"|"javascript"', "onEvent:function"], known);
}

/** What `createPushParser` keeps alive is made of it: most of a block, up to the middle of a value. */
const sample = `Hi

\`\`\`toml
thought = """
x
"""

[tool_call]
status = "success"
target = "x"
code = '''
x = 1`;

/** Whether the code of a document may continue behind it. */
function isUnsure({ doubt, entries }: Scan): boolean {
  return (
    doubt !== undefined ||
    entries.some(({ field, innerQuotes, mended }) => field === "code" && (mended || innerQuotes !== undefined))
  );
}

/** Whether a document's code ends inside one of its strings or comments, as it was read. */
function codeEndsInLiteral({ source, entries }: Scan, language: CodeLanguage): boolean {
  const code = entries.findLast(({ field }) => field === "code");
  return code !== undefined && endsInLiteral(source.slice(code.bodyStart, code.bodyEnd), language);
}

/** What every document has, in any form. */
const mayHoldDocument =
  /^[ \t\u00a0]*(?:[[\uff3b]{1,2}[ \t]*["']?tool|(?:thought|status|code)[ \t]*[=:\uff1d\uff1a]|\{)/im;

const unsureBeginning = "What looks like a document may be part of the code before it.";

/** One text being read. */
class Run {
  readonly scanner: TextScanner<AttpDocument>;
  readonly #options: AttpParserOptions;
  readonly #judge: Judge;
  /** Units that were given out of each field of the current document, before its end. */
  #sent = new Map<Field, number>();
  /** Where the document before ended, when its code may continue. */
  #unsureEnd: number | undefined;
  /** The code of a document before was taken to end inside one of its strings: all that follows may belong to that string. */
  #inLiteral = false;

  constructor(options: AttpParserOptions) {
    this.#options = options;
    const allows = (code: ShortCode): boolean => allowsRepair(options, `attp/${code}`);
    this.#judge = new Judge(allows, options.language);
    const grammar = new AttpGrammar({
      allows,
      toml: (start, fence, indent) => new DocumentReader(this.#readerOptions(start, fence, indent)),
      json: (start, fence) => {
        this.#sent = new Map();
        return new JsonReader(start, fence, (scan) => this.#readJson(scan));
      },
    });
    this.scanner = new TextScanner<AttpDocument>({
      ...options,
      grammar,
      onEnd: ({ blocks, segments }) => {
        const prose = segments.find((segment) => segment.type === "text" && segment.text.trim() !== "");
        if (blocks.length > 0 && prose)
          this.scanner.diagnose(diagnostic("prose-outside-document", prose.span.start, prose.span.end));
        if (grammar.leavesBare) this.#reportUnread(segments);
      },
    });
  }

  /** Reports documents that are text because the first one has a fence around it. */
  #reportUnread(segments: readonly Segment<AttpDocument>[]): void {
    const { onEvent: _, ...options } = this.#options;
    for (const segment of segments) {
      if (segment.type !== "text" || !mayHoldDocument.test(segment.text)) continue;
      for (const { span, toolCall } of parse(segment.text, { ...options, startsInReasoning: false }).blocks) {
        const offset = segment.span.start;
        if (toolCall) this.scanner.diagnose(diagnostic("unread-document", offset + span.start, offset + span.end));
      }
    }
  }

  #readerOptions(start: number, fence: Fence | undefined, indent: number): ReaderOptions {
    if (this.#sent.size > 0) this.#sent = new Map();
    return {
      start,
      fence,
      indent,
      language: this.#options.language ?? "python",
      hasListener: this.#options.onEvent !== undefined,
      allows: this.#judge.allows,
      emit: (field, text) => this.#emit(field, text),
      announce: (entries, source) => this.#announce(entries, source, indent),
      finish: (scan, streams) => {
        for (const [field, { sent }] of streams) this.#sent.set(field, sent);
        const judge = this.#judge.begin();
        const unsure = this.#doubtBeginning(scan, judge) || isUnsure(scan);
        const document = readDocument(scan, judge);
        this.#unsureEnd = unsure ? scan.end : undefined;
        this.#inLiteral ||= unsure && codeEndsInLiteral(scan, judge.language);
        return this.#finish(document, judge);
      },
    };
  }

  /**
   * Adds a doubt about a document that may be part of code: right behind code whose end is not certain, or anywhere behind code that
   * ends inside one of its strings.
   */
  #doubtBeginning({ source, start, end }: Scan, judge: Judge): boolean {
    const before = this.#unsureEnd;
    const isNear = before !== undefined && /^\s*(?:(?:`{3,}|~{3,})[\w \t]*\s*)?$/.test(source.slice(before, start));
    if (!this.#inLiteral && !isNear) return false;
    judge.add("inner-quotes", start, end, { message: unsureBeginning });
    return true;
  }

  /** Emits a one-line thought, status and target once they are final: when the code or message begins. */
  #announce(entries: readonly Entry[], source: Source, indent: number): void {
    if (!this.#options.onEvent) return;
    const chosen = chooseEntries(entries);
    for (const field of ["thought", "status", "target"] as const) {
      const entry = chosen.get(field);
      if (!entry || this.#sent.has(field)) continue;
      if (field === "thought" && (entry.table > 0 || !/^(?:basic|literal)$/.test(entry.form))) continue;
      let text = entryText(source, entry, indent)?.text;
      if (field === "status") text = text?.trim().toLowerCase();
      if (text === undefined || (field === "status" && text !== "success" && text !== "fail")) continue;
      this.#sent.set(field, text.length);
      this.#emit(field, text);
    }
  }

  /** Emits what was held back. */
  #finish(block: AttpDocument, judge: Judge): ReadDocument {
    const { thought, toolCall } = block;
    if (this.#options.onEvent) {
      const texts: Partial<Record<Field, string | undefined>> = { thought, ...toolCall };
      for (const field of fields) this.#emit(field, texts[field]?.slice(this.#sent.get(field) ?? 0));
    }
    return { block, diagnostics: judge.found };
  }

  #readJson(scan: Scan): ReadDocument {
    const judge = this.#judge.begin();
    const { source, start, end, truncated } = scan;
    const text = source.slice(start, end);
    judge.add("json-document", start, end);
    if (truncated) judge.add("truncated", start, end);
    let data: ReturnType<typeof toJson>;
    try {
      data = toJson(JSON.parse(text));
    } catch (error) {
      const message = `The JSON document is not valid: ${(error as Error).message.slice(0, 120)}`;
      if (!truncated) judge.add("syntax", start, end, { message });
      return this.#finish({ status: judge.status(truncated), extra: createRecord(), span: { start, end } }, judge);
    }
    if (!truncated) judgeFence(scan, judge);
    const read = fromData(isTable(data) ? data : {}, scan, judge);
    for (const key of Object.keys(read.extra)) {
      const at = text.indexOf(JSON.stringify(key));
      if (key !== "tool_call" && at >= 0) judge.add("unknown-key", start + at, start + at + key.length + 2);
    }
    return this.#finish(judgeFields({ ...read, entries: new Map(), fallback: scan }, scan, judge), judge);
  }

  #emit(field: Field, text = ""): void {
    const type = field === "status" || field === "target" ? field : (`${field}-delta` as const);
    if (text !== "") this.#options.onEvent?.({ phase: "delta", type, text });
  }
}
