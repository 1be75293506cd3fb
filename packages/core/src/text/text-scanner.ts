import { isLineSpace } from "@toolglot/internal";
import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, EndOptions, ParseResult } from "../protocol.ts";
import type { BlockEnd, BlockReader, SegmentsEnd, TextScannerOptions } from "./block-grammar.ts";
import { FenceStack, InlineCode } from "./code.ts";
import { Segments } from "./segments.ts";
import { NextMark, Source } from "./source.ts";
import {
  fabricatedResult,
  fencedResults,
  finding,
  foreignCalls,
  mayBecomeResult,
  reasoningTag,
  rejectAll,
  resultMarker,
} from "./text-findings.ts";

const unopened = "A reasoning block is closed that was never opened; what stands before it is not run.";
const defaultMaxInputLength = 16 * 1024 * 1024;

/**
 * A line that is still undecided after so many units waits for its line break. Asking again at every chunk would cost the
 * square of a long line's length.
 */
const longestUndecided = 64;

/**
 * The layer under every text protocol. It owns fences, reasoning, inline code, results that the model made up and foreign
 * formats; the grammar only says where a block begins and reads it. Text is scanned once, whatever the chunks.
 *
 * ```text
 *              ┌─ #lineStart: a fence, a result marker, or the grammar's answer about the line
 * plain text ──┤
 *              └─ #inLine: only "<" and the line's end count; a tag of reasoning, or a block within the line
 * a block ─────── its reader has the source until it says where the block ends
 * ```
 */
export class TextScanner<Block extends BlockBase> {
  readonly #options: TextScannerOptions<Block>;
  readonly #source = new Source();
  readonly #segments: Segments<Block>;
  readonly #diagnostics: Diagnostic[] = [];
  /** Results in fences with no block before them: examples, unless the end shows something else. */
  readonly #fencedResults: Diagnostic[] = [];
  readonly #fences = new FenceStack();
  readonly #code = new InlineCode();
  /**
   * Text from this offset on is held back until a line decides: it may belong to a block which begins further on.
   *
   * ````text
   * ```toml        from here: the fence's opening line belongs to the block that it encloses
   *                blank lines decide nothing
   * target = "a"   "hold": may stand above a document, or be any line of TOML
   * [tool_call]    a block begins at the held line; its segment begins at the fence
   * ````
   *
   * A line that begins no block releases it, and it is given out as text.
   */
  #held: number | undefined;
  /** The first line that the grammar answered `hold` about. */
  #heldLine: number | undefined;
  /** Only blank and held lines stand behind a fence's opening line. */
  #firstInFence = false;
  readonly #nextTag = new NextMark("<");
  readonly #nextBreak = new NextMark("\n");
  readonly #maxLength: number;
  /** Reading goes on when a line break comes. */
  #waits = false;
  #tooLong = false;
  #reader: BlockReader<Block> | undefined;
  #atLineStart = true;
  /** Where the segment of a reader that holds begins. */
  #heldStart = 0;
  /** The block that was read last stands in a fence whose closing line may still follow. */
  #awaitsFenceEnd = false;

  constructor(options: TextScannerOptions<Block>) {
    const { maxInputLength, startsInReasoning } = options;
    this.#options = options;
    this.#maxLength = maxInputLength ?? defaultMaxInputLength;
    this.#segments = new Segments(this.#source, options);
    if (startsInReasoning) this.#segments.depth = 1;
  }

  /** Takes the next chunk. */
  feed(chunk: string): void {
    const source = this.#source;
    const room = this.#maxLength - source.length - source.deferred;
    if (chunk.length > room) {
      this.#tooLong = true;
      chunk = chunk.slice(0, room);
    }
    if (chunk === "") return;
    if (this.#waits && source.text.length - source.at > longestUndecided && !chunk.includes("\n")) {
      source.defer(chunk);
      return;
    }
    this.#append(chunk);
    this.#run();
  }

  /** Says that no more text comes, and gives all that was understood. */
  end(options: EndOptions = {}): ParseResult<Block> {
    if (this.#source.deferred > 0) this.#append("");
    this.#run(this.#tooLong ? { finish: "length" } : options);
    this.#awaitsFenceEnd = false;
    const segments = this.#segments;
    const { list, blocks } = segments;
    const diagnostics = this.#diagnostics;
    const { length } = this.#source;
    const { grammar, tools = [], onEnd } = this.#options;
    const add = (found: readonly Diagnostic[]): void => {
      for (const diagnostic of found) this.diagnose(diagnostic);
    };
    segments.flush(length);
    if (segments.depth > 0)
      this.diagnose(
        finding("reasoning-unclosed", segments.reasoningStart, length, "The reasoning block is not closed."),
      );
    segments.close(length);
    add(foreignCalls(grammar.protocol, tools, this.#fences.ranges, list));
    if (this.#tooLong) this.diagnose(rejectAll(blocks, grammar.protocol, this.#maxLength, length));
    const result = { segments: list, blocks, diagnostics };
    onEnd?.(result);
    add(fencedResults(this.#fencedResults, diagnostics, blocks));
    diagnostics.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
    return result;
  }

  /** Adds a finding of the protocol to the result, and emits it. */
  diagnose(diagnostic: Diagnostic): void {
    this.#diagnostics.push(diagnostic);
    this.#options.onEvent?.({ phase: "diagnostic", type: "diagnostic", diagnostic });
  }

  #append(chunk: string): void {
    const source = this.#source;
    source.append(chunk);
    if (source.base !== 0 || source.at !== 0 || source.text.charCodeAt(0) !== 0xfeff) return;
    // A byte order mark is no text.
    source.at = 1;
    this.#segments.begin(1);
    this.#segments.reasoningStart = 1;
    this.#code.startLine(1);
  }

  #run(end?: EndOptions): void {
    const source = this.#source;
    this.#waits = false;
    for (;;) {
      if (this.#reader) {
        const done = this.#reader.read(source, end);
        if (!done) {
          this.#waits = this.#reader.waitsForLine;
          return;
        }
        if ("segments" in done) this.#closeHeld(done, this.#reader);
        else this.#closeBlock(done);
      } else if (source.at >= source.text.length || !this.#step(end !== undefined)) break;
    }
    if (!this.#atLineStart) this.#code.advance(source.text, source.base, source.offset);
    this.#flush(this.#held ?? source.offset);
  }

  /** Reads on in plain text; false when only more text can decide. */
  #step(ended: boolean): boolean {
    if (this.#atLineStart) {
      if (this.#searches) return this.#lineStart(ended);
      this.#beginLine();
    }
    return this.#inLine(ended);
  }

  /** Blocks are looked for here: outside of reasoning, or everywhere. */
  get #searches(): boolean {
    return this.#segments.depth === 0 || this.#options.reasoning === "search";
  }

  #beginLine(): void {
    this.#atLineStart = false;
    this.#code.startLine(this.#source.offset);
  }

  #wait(): false {
    this.#waits = true;
    return false;
  }

  /** Gives out text, except where it may belong to a block. */
  #flush(end: number): void {
    if (!this.#reader && !this.#awaitsFenceEnd) this.#segments.flush(end);
  }

  /** Decides what a line is, or goes on inside it as plain text. */
  #lineStart(ended: boolean): boolean {
    const source = this.#source;
    const { text, at } = source;
    const lineBreak = this.#nextBreak.find(text, source.at);
    const end = lineBreak < text.length ? lineBreak : ended ? text.length : -1;
    let first = at;
    while (first < text.length && isLineSpace(text.charCodeAt(first))) first += 1;
    if (end >= 0 && first >= end) {
      // It ends what was held, except right behind a fence's opening line.
      if (!this.#firstInFence) this.#release();
      return this.#passLine(end);
    }
    if (first >= text.length) return this.#wait();
    const mark = text[first];
    if (mark === "`" || mark === "~") {
      if (end < 0) {
        if (/^(?:`{1,2}$|~{1,2}$|```|~~~)/.test(text.slice(first, first + 3))) return this.#wait();
      } else if (this.#fenceLine(text.slice(at, end), end)) return true;
    }
    this.#awaitsFenceEnd = false;
    if (mark === "[" || mark === "<") {
      if (end < 0 && mayBecomeResult(text.slice(at))) return this.#wait();
      const line = end < 0 ? text.slice(at) : text.slice(at, end);
      const marker = this.#segments.depth === 0 ? resultMarker(line) : undefined;
      if (marker) this.#resultMarker(source.base + first, marker.length);
    }
    return this.#probe(first, end, ended);
  }

  /** Goes on behind a line. */
  #passLine(end: number): true {
    this.#source.at = Math.min(end + 1, this.#source.text.length);
    return true;
  }

  #resultMarker(start: number, length: number): void {
    const segments = this.#segments;
    const found = fabricatedResult(start, start + length);
    if (this.#fences.top && segments.blocks.length === 0) {
      this.#fencedResults.push(found);
      return;
    }
    this.#release();
    this.#flush(start);
    // At the very beginning it may repeat the result that came last: there is no call before it that it could answer.
    segments.afterFabricatedResult ||= this.#source.slice(0, start).trim() !== "";
    this.diagnose(found);
  }

  /** Asks the grammar about a line. */
  #probe(first: number, end: number, ended: boolean): boolean {
    const source = this.#source;
    const { offset } = source;
    const answer = this.#options.grammar.line(
      {
        text: source.text,
        at: source.at,
        end,
        offset,
        fence: this.#fences.top,
        firstInFence: this.#firstInFence,
        blockStart: this.#heldLine ?? offset,
      },
      ended,
    );
    if (answer === "more") return this.#wait();
    if (answer === "hold") {
      this.#held ??= offset;
      this.#heldLine ??= offset;
      return this.#passLine(end < 0 ? source.text.length : end);
    }
    if (answer !== "no") {
      this.#openBlock(answer, this.#firstInFence ? (this.#held ?? answer.start) : answer.start);
      return true;
    }
    this.#release();
    this.#beginLine();
    // Indentation is no place for a tag.
    source.at = first;
    return true;
  }

  /** Nothing is held any more. */
  #release(): void {
    this.#held = this.#heldLine = undefined;
    this.#firstInFence = false;
  }

  /** Opens or closes a fence; false when the line is no fence. */
  #fenceLine(line: string, end: number): boolean {
    const source = this.#source;
    const { offset } = source;
    const found = this.#fences.read(line, offset, source.base + end + 1);
    if (!found) return false;
    this.#passLine(end);
    this.#release();
    if (found === "opens") {
      this.#held = offset;
      this.#firstInFence = true;
    } else if (this.#awaitsFenceEnd) this.#segments.extend(source.offset);
    this.#awaitsFenceEnd = false;
    return true;
  }

  /** Plain text within a line: nothing counts but the line's end and tags. */
  #inLine(ended: boolean): boolean {
    const source = this.#source;
    const { text } = source;
    const lineEnd = Math.min(this.#nextBreak.find(text, source.at), text.length);
    const isComplete = lineEnd < text.length;
    for (
      let tag = this.#nextTag.find(text, source.at);
      tag < lineEnd;
      tag = this.#nextTag.find(source.text, source.at)
    ) {
      source.at = tag;
      const answer = this.#tag(tag, isComplete || ended, ended);
      if (answer !== undefined) return answer;
      source.at = tag + 1;
    }
    source.at = lineEnd;
    if (isComplete) {
      source.at += 1;
      this.#atLineStart = true;
    }
    return true;
  }

  /** A `<` in plain text: true for a reasoning tag and the beginning of a block, false when only more text can decide. */
  #tag(at: number, lineComplete: boolean, ended: boolean): boolean | undefined {
    const source = this.#source;
    const { text, base } = source;
    const tag = reasoningTag(text, at, lineComplete);
    const { grammar } = this.#options;
    const block =
      !tag && this.#searches
        ? grammar.inline?.({ text, at, offset: base + at, fence: this.#fences.top }, ended)
        : undefined;
    if (tag === "more" || block === "more") return false;
    if (!tag && (!block || block === "no")) return undefined;
    const quoted = this.#code.covers(text, base, at, lineComplete);
    if (quoted === "more") return this.#wait();
    if (quoted) return undefined;
    if (tag) this.#reasoningTag(at, tag.length, tag.opens);
    else this.#openBlock(block as BlockReader<Block>, source.offset);
    return true;
  }

  #reasoningTag(at: number, length: number, opens: boolean): void {
    const source = this.#source;
    const segments = this.#segments;
    const start = source.base + at;
    const end = start + length;
    source.at = at + length;
    // Reasoning within reasoning: only the outermost tags count.
    if (opens ? segments.depth > 0 : segments.depth > 1) {
      segments.depth += opens ? 1 : -1;
      return;
    }
    this.#flush(start);
    const wasOpen = segments.turn(opens, start, end);
    if (!opens) {
      if (!wasOpen) {
        for (const block of segments.blocks) block.inReasoning = true;
        this.diagnose(finding("reasoning-unopened", start, end, unopened));
      }
      while (this.#fences.pop(start));
      this.#release();
    }
    this.#atLineStart = true;
    this.#code.startLine(source.offset);
  }

  #openBlock(reader: BlockReader<Block>, start: number): void {
    this.#flush(start);
    if (reader.holds) this.#heldStart = start;
    else {
      this.#segments.openBlock(start, reader.start);
      this.#awaitsFenceEnd = this.#firstInFence;
      this.#release();
    }
    this.#source.seek(reader.start);
    this.#reader = reader;
  }

  /** A reader that held has answered: its segments, or that this is text. */
  #closeHeld({ segments, end }: SegmentsEnd<Block>, reader: BlockReader<Block>): void {
    const isText = segments.length === 0;
    this.#awaitsFenceEnd = !isText && this.#firstInFence;
    this.#release();
    this.#leaveBlock(isText ? reader.start : end);
    if (isText) this.#beginLine();
    else {
      this.#segments.addAll(segments, this.#heldStart, end);
      this.#atLineStart = true;
    }
  }

  #closeBlock({ block, end, closedFence, diagnostics }: BlockEnd<Block>): void {
    this.#leaveBlock(end);
    // A block that is nothing would be found again and again: its line is text.
    if (end <= this.#segments.start) {
      this.#beginLine();
      return;
    }
    if (closedFence) {
      this.#fences.pop(end);
      this.#awaitsFenceEnd = false;
    }
    this.#atLineStart = true;
    this.#segments.closeBlock(block, end);
    for (const diagnostic of diagnostics ?? []) this.diagnose(diagnostic);
  }

  #leaveBlock(end: number): void {
    this.#reader = undefined;
    this.#source.seek(end);
  }
}
