import { isLineSpace } from "@toolglot/internal";
import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, EndOptions, ParseResult } from "../protocol.ts";
import type { BlockEnd, BlockGrammar, BlockReader, SegmentsEnd, TextScannerOptions } from "./block-grammar.ts";
import { FenceStack, ForeignFence, InlineCode } from "./code.ts";
import { boundFindings } from "./findings.ts";
import { ResultDraft } from "./result-draft.ts";
import { NextMark, Source } from "./source.ts";
import { OpenReasoning, type ReasoningMark, resultMarker } from "./text-marks.ts";

const defaultMaxInputLength = 16 * 1024 * 1024;
const noHeads: readonly NextMark[] = [];

/**
 * The layer under every text protocol. It owns fences, reasoning, inline code, results that the model made up and foreign
 * formats; the grammar only finds where a block begins and reads it. Text is scanned once, whatever the chunks.
 *
 * ```text
 *              ┌─ #lineStart: a fence, a result marker, or the grammar's answer about the line
 * plain text ──┤
 *              └─ #inLine: only "<" and the line's end count; a tag of reasoning, or a block within the line
 * a block ─────── its reader has the source until it returns where the block ends
 * ```
 */
export class TextScanner<Block extends BlockBase> {
  readonly #grammar: BlockGrammar<Block>;
  /** Blocks are looked for in reasoning too. */
  readonly #everywhere: boolean;
  readonly #source: Source;
  readonly #result: ResultDraft<Block>;
  readonly #fences = new FenceStack();
  readonly #code = new InlineCode();
  /**
   * Text from here on is held back until a line decides: it may belong to a block which begins further on.
   *
   * ````text
   * ```toml        the fence's opening line belongs to the block that it encloses; after it
   *                blank lines decide nothing
   * target = "a"   "hold": may stand above a document, or be any line of TOML
   * [tool_call]    a block begins at the held line; its segment begins at the fence
   * ````
   *
   * A line that begins no block releases it, and it is given out as text. This is the offset of a fence's opening line, while
   * only blank and held lines stand behind it.
   */
  #fenceStart: number | undefined;
  /** The first line that the grammar answered `hold` about. */
  #heldLine: number | undefined;
  readonly #nextTag = new NextMark("<");
  /** Other places where a block may begin within a line. */
  readonly #nextHeads: readonly NextMark[];
  readonly #nextBreak = new NextMark("\n");
  readonly #reasoning: OpenReasoning;
  readonly #foreign: ForeignFence;
  /** Offset of the first line that is not blank, and no reasoning. */
  #firstLine: number | undefined;
  /** Offset of the first text on the line at hand. */
  #lineText = -1;
  /** No more text comes. */
  #ended = false;
  /** Reading continues when a line break comes. */
  #waits = false;
  #reader: BlockReader<Block> | undefined;
  #atLineStart = true;
  /** Where the segment of the reader begins. */
  #blockStart = 0;
  /** The block that was read last stands in a fence whose closing line may still follow. */
  #awaitsFenceEnd = false;

  constructor(options: TextScannerOptions<Block>) {
    const { maxInputLength = defaultMaxInputLength, startsInReasoning, reasoning, grammar } = options;
    this.#reasoning = new OpenReasoning(options.reasoningTags, options.startsInReasoning ?? false);
    this.#foreign = new ForeignFence(grammar.begins);
    this.#grammar = grammar;
    this.#nextHeads = grammar.heads ? [...grammar.heads].map((head) => new NextMark(head)) : noHeads;
    this.#everywhere = reasoning === "search";
    this.#source = new Source(maxInputLength);
    this.#result = new ResultDraft(this.#source, options);
    if (startsInReasoning && !grammar.whole) this.#result.depth = 1;
    this.#reader = grammar.whole;
  }

  /** Takes the next chunk. */
  feed(chunk: string): void {
    const source = this.#source;
    if (!source.take(chunk, this.#waits)) return;
    if (source.offset === 0 && source.text.charCodeAt(0) === 0xfeff) {
      // A byte order mark is no text.
      source.at = this.#result.reasoningStart = 1;
      this.#result.begin(1);
    }
    this.#run();
  }

  /** Ends the text, and returns all that was understood. */
  end(options: EndOptions = {}): ParseResult<Block> {
    const source = this.#source;
    source.takeRest();
    this.#ended = true;
    const ending: EndOptions = source.tooLong ? { finish: "length" } : options;
    this.#run(ending);
    const hidden = this.#foreign.reopen();
    if (hidden !== undefined) {
      source.seek(hidden);
      this.#atLineStart = true;
      this.#fences.forget();
      this.#release();
      this.#run(ending);
    }
    this.#result.flush(source.length, true);
    return this.#result.end(this.#fences.ranges);
  }

  /** Adds a finding of the protocol to the result, and emits it. */
  diagnose(diagnostic: Diagnostic): void {
    this.#result.report([diagnostic]);
  }

  #run(end?: EndOptions): void {
    const source = this.#source;
    this.#waits = false;
    for (;;) {
      if (this.#reader) {
        const done = this.#reader.read(source, end);
        this.#waits = !done && this.#reader.waitsForLine;
        if (!done) return;
        this.#closeBlock(done, this.#reader);
      } else if (source.at >= source.text.length || !this.#step()) break;
    }
    if (!this.#atLineStart) this.#code.advance(source, source.offset);
    this.#flush(this.#foreign.suspect ?? this.#fenceStart ?? this.#heldLine ?? source.offset);
  }

  /** Reads on in plain text; false when only more text can decide. */
  #step(): boolean {
    if (this.#atLineStart && this.#searches) return this.#lineStart();
    if (this.#atLineStart) this.#beginLine();
    return this.#inLine();
  }

  /** Blocks are looked for here: outside of reasoning, or everywhere. */
  get #searches(): boolean {
    return this.#result.depth === 0 || this.#everywhere;
  }

  #beginLine(): void {
    this.#atLineStart = false;
    this.#code.startLine(this.#source.offset);
  }

  #wait(): false {
    this.#waits = true;
    return false;
  }

  /** Emits text, except where it may belong to a block. */
  #flush(end: number, isLast = false): void {
    if (!this.#awaitsFenceEnd) this.#result.flush(end, isLast);
  }

  /** Decides what a line is, or continues inside it as plain text. */
  #lineStart(): boolean {
    const source = this.#source;
    const { text, at } = source;
    const lineBreak = this.#nextBreak.find(text, at);
    const end = lineBreak < text.length ? lineBreak : this.#ended ? text.length : -1;
    let first = at;
    while (first < text.length && isLineSpace(text.charCodeAt(first))) first += 1;
    if (end >= 0 && first >= end) {
      // It ends what was held, except right behind a fence's opening line.
      if (this.#fenceStart === undefined) this.#release();
      return this.#passLine(end);
    }
    if (first >= text.length) return this.#wait();
    const mark = text[first];
    if (mark === "`" || mark === "~") {
      if (end < 0) {
        if (/^(.)(?:\1\1|\1?$)/.test(text.slice(first, first + 3))) return this.#wait();
      } else if (this.#fenceLine(text.slice(at, end), end)) return true;
    }
    this.#awaitsFenceEnd = false;
    if (this.#reasoning.mayBegin(mark)) {
      this.#lineText = source.base + first;
      const found = this.#reasoning.at(text, first, end >= 0 || this.#ended, true, this.#result.depth);
      if (found === "more") return this.#wait();
      if (found) {
        const start = source.base + first;
        this.#firstLine ??= start;
        this.#reasoningTag(start, start + found.length, found);
        return true;
      }
    }
    if (mark === "[" || mark === "<") {
      const marker = resultMarker(text.slice(first, end < 0 ? undefined : end), end >= 0);
      if (marker === "more") return this.#wait();
      if (marker && this.#result.depth === 0) this.#resultMarker(source.base + first, marker);
    }
    return this.#probe(first, end);
  }

  /** Continues behind a line. */
  #passLine(end: number): true {
    this.#source.at = Math.min(end + 1, this.#source.text.length);
    return true;
  }

  #resultMarker(start: number, length: number): void {
    const result = this.#result;
    const mayBeExample = this.#fences.top !== undefined && result.blocks.length === 0;
    if (!mayBeExample) {
      this.#release();
      this.#flush(Math.min(start, this.#foreign.suspect ?? start), true);
      // At the very beginning it may repeat the result that came last: there is no call before it that it could answer.
      result.afterFabricatedResult ||= this.#source.slice(0, start).trim() !== "";
    }
    result.fabricated(start, start + length, mayBeExample);
  }

  /** Asks the grammar about a line. */
  #probe(first: number, end: number): boolean {
    const source = this.#source;
    const { offset } = source;
    this.#firstLine ??= offset;
    this.#lineText = source.base + first;
    const { top } = this.#fences;
    if (this.#foreign.enter(top, this.#fenceStart !== undefined)) {
      const undecided = end < 0 && !this.#ended;
      const line = source.text.slice(source.at, end < 0 ? undefined : end);
      if (this.#result.depth === 0 && this.#foreign.look(line, undecided, offset, top)) return this.#wait();
      return this.#passIndent(first);
    }
    const answer = this.#grammar.line(
      {
        text: source.text,
        at: source.at,
        end,
        offset,
        fence: top,
        firstInFence: this.#fenceStart !== undefined,
        isFirst: offset === this.#firstLine,
        blockStart: this.#heldLine ?? offset,
        inReasoning: this.#result.depth > 0,
      },
      this.#ended,
    );
    if (answer === "more") return !this.#grammar.sendsInLine && this.#wait();
    if (answer === "hold") {
      this.#heldLine ??= offset;
      return this.#passLine(end < 0 ? source.text.length : end);
    }
    if (answer !== "no") {
      this.#openBlock(answer, this.#fenceStart ?? answer.start);
      return true;
    }
    this.#release();
    return this.#passIndent(first);
  }

  /** Continues within a line: indentation is no place for a tag. */
  #passIndent(first: number): true {
    this.#beginLine();
    this.#source.at = first;
    return true;
  }

  /** Nothing is held any more. */
  #release(): void {
    this.#fenceStart = this.#heldLine = undefined;
  }

  /** Opens or closes a fence; false when the line is no fence. */
  #fenceLine(line: string, end: number): boolean {
    const source = this.#source;
    const { offset } = source;
    const { top } = this.#fences;
    const opens = this.#fences.read(line, offset);
    if (opens === undefined) return false;
    this.#passLine(end);
    this.#release();
    if (opens) this.#fenceStart = offset;
    else if (this.#awaitsFenceEnd) this.#result.extend(source.offset);
    if (!opens) this.#foreign.left(top);
    this.#awaitsFenceEnd = false;
    return true;
  }

  /** Reads plain text within a line: nothing counts but the line's end and tags. */
  #inLine(): boolean {
    const source = this.#source;
    const { text } = source;
    const lineEnd = Math.min(this.#nextBreak.find(text, source.at), text.length);
    const isComplete = lineEnd < text.length;
    for (let at = this.#nextStop(text, source.at); at < lineEnd; at = this.#nextStop(text, at + 1)) {
      source.at = at;
      const answer = this.#tag(at, isComplete || this.#ended);
      if (answer !== undefined) return answer;
    }
    this.#atLineStart = isComplete;
    return this.#passLine(lineEnd);
  }

  /** Returns where a mark of reasoning or a block within the line may begin. */
  #nextStop(text: string, at: number): number {
    let next = this.#nextTag.find(text, at);
    for (const head of this.#nextHeads) next = Math.min(next, head.find(text, at));
    return this.#reasoning.nextBefore(next, text, at);
  }

  /** Reads a stop in plain text: true for a reasoning tag and the beginning of a block, false when only more text can decide. */
  #tag(at: number, lineComplete: boolean): boolean | undefined {
    const source = this.#source;
    const { text, offset } = source;
    const { depth } = this.#result;
    const tag = this.#reasoning.at(text, at, lineComplete, depth > 0 || offset === this.#lineText, depth);
    const block =
      !tag && this.#searches && !this.#foreign.inside && (text.charCodeAt(at) === 60 || this.#nextHeads.length > 0)
        ? this.#grammar.inline?.({ text, at, offset, fence: this.#fences.top, inReasoning: depth > 0 }, this.#ended)
        : undefined;
    if (tag === "more" || block === "more") return false;
    if (!tag && (!block || block === "no")) return undefined;
    const quoted = this.#code.covers(source, at, lineComplete);
    if (quoted === "more") return this.#wait();
    if (quoted) return undefined;
    if (tag) this.#reasoningTag(offset, offset + tag.length, tag);
    else this.#openBlock(block as BlockReader<Block>, offset);
    return true;
  }

  #reasoningTag(start: number, end: number, { opens, kind }: ReasoningMark): void {
    const source = this.#source;
    const result = this.#result;
    source.seek(end);
    // Reasoning within reasoning: only the outermost tags count.
    if (result.depth > Number(!opens)) {
      result.depth += opens ? 1 : -1;
      return;
    }
    this.#foreign.suspect = undefined;
    if (opens) this.#reasoning.open(kind);
    else this.#reasoning.close();
    const firstLine = this.#firstLine ?? start;
    if (start - firstLine < 200 && source.slice(firstLine, start).trim() === "") this.#firstLine = undefined;
    this.#flush(start, true);
    result.turn(opens, start, end);
    if (!opens) {
      while (this.#fences.pop(start));
      this.#release();
    }
    this.#atLineStart = true;
  }

  #openBlock(reader: BlockReader<Block>, start: number): void {
    this.#flush(start);
    this.#blockStart = start;
    if (!reader.holds) this.#result.openBlock(start, reader.start, reader.event);
    this.#awaitsFenceEnd = this.#fenceStart !== undefined;
    this.#release();
    this.#source.seek(reader.start);
    this.#reader = reader;
  }

  /** Takes a reader's answer: its block, its segments, or that this is text. */
  #closeBlock(done: BlockEnd<Block> | SegmentsEnd<Block>, reader: BlockReader<Block>): void {
    const result = this.#result;
    const start = this.#blockStart;
    const {
      end,
      block,
      segments,
      closedFence,
      diagnostics,
      events = [],
    } = done as BlockEnd<Block> & Partial<SegmentsEnd<Block>>;
    const span = { start, end };
    // A block that is nothing would be found again and again: its line is text.
    const found = segments ?? (end > start ? [{ type: "block", block, span }] : []);
    const isText = found.length === 0;
    this.#reader = undefined;
    this.#source.seek(isText ? reader.start : end);
    if (isText || closedFence) this.#awaitsFenceEnd = false;
    if (isText) {
      this.#beginLine();
      return;
    }
    this.#atLineStart = true;
    if (reader.holds && !segments) {
      result.openBlock(start, reader.start, reader.event);
      if (events) result.emit(events);
    }
    result.addAll(found, start, end, !segments);
    if (closedFence) this.#fences.pop(end);
    if (segments) return;
    result.closeBlock(block);
    if (diagnostics) result.report(boundFindings(diagnostics));
  }
}
