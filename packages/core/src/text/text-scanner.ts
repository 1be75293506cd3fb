import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, EndOptions, ParseOptions, ParseResult, Segment } from "../protocol.ts";
import type { TextProtocol } from "./call-formats.ts";
import { closesFence, type Fence, openFence } from "./fence.ts";
import { type FenceRange, ForeignFinder } from "./find-foreign.ts";
import { InlineCode } from "./inline-code.ts";
import { type LineProbe, mayBecomeResult, reasoningTag, resultMarker } from "./marks.ts";
import { Source } from "./source.ts";

/**
 * What a grammar says of a place. `no`: no block begins here. `more`: that takes more text to say; the scanner asks again
 * with a longer text. `hold` (lines only): no block begins here, but a following line may begin one that takes this line
 * in; held lines are not given out as text until a line says `no`. A reader: a block begins here, or at the first held line.
 */
export type ProbeAnswer<Block> = "no" | "more" | "hold" | BlockReader<Block>;

/** What a protocol adds to the text layer: where its blocks begin, and a reader for each. */
export interface BlockGrammar<Block> {
  /** Its own id; what another text protocol writes is a foreign format to it. */
  protocol: TextProtocol | "native";
  /** Asked at the start of every line of plain text that is not blank, no fence and no result marker. */
  line(probe: LineProbe, ended: boolean): ProbeAnswer<Block>;
  /**
   * Asked at every `<` in plain text within a line, for protocols whose blocks begin there too. An answer for a place in
   * inline code is not used. `more` may look at a bounded stretch of text only, since it is asked again at every chunk.
   */
  inline?(probe: InlineProbe, ended: boolean): Exclude<ProbeAnswer<Block>, "hold">;
}

/** A `<` in plain text, as a grammar sees it. */
export interface InlineProbe {
  /** Text around it; it may go on after the line. */
  text: string;
  /** Its index in `text`. */
  at: number;
  /** Its offset in the whole text. */
  offset: number;
  /** The innermost open fence. */
  fence: Fence | undefined;
}

/** Reads one block. Made by a grammar's probe. */
export interface BlockReader<Block> {
  /** Offset where the reader wants to begin; the scanner puts the source there. */
  start: number;
  /** True while the reader can only go on after a line break: until one comes, `read` is not called again. */
  waitsForLine: boolean;
  /** It is not known yet whether anything begins here: no block start is told, and `read` answers with segments. */
  holds?: true;
  /**
   * Reads on from `source.at`, and moves it over what needs no second look. `end` is given once, when no more text
   * comes; then the reader must answer. Text that turned out not to belong to the block is given back through `end`.
   */
  read(source: Source, end?: EndOptions): BlockEnd<Block> | SegmentsEnd<Block> | undefined;
}

/** What a reader that holds found. It has told its events itself. */
export interface SegmentsEnd<Block> {
  /** In order. None: the text is ordinary text, and reading goes on where the reader began. */
  segments: Segment<Block>[];
  /** Offset up to which text belongs to them. */
  end: number;
}

/** How a block ended. */
export interface BlockEnd<Block> {
  block: Block;
  /** Offset up to which text belongs to the block, fences and trailing blank lines included. Reading goes on there. */
  end: number;
  /** The reader took the closing fence too. Otherwise the scanner takes one that follows directly. */
  closedFence: boolean;
}

/** What a protocol's parser hands to the text layer. */
export interface TextScannerOptions<Block> extends ParseOptions {
  grammar: BlockGrammar<Block>;
  onText(text: string): void;
  onReasoning(text: string): void;
  /** A block begins; its reader is asked next. */
  onBlockStart(start: number): void;
  onBlock(block: Block): void;
  onDiagnostic(diagnostic: Diagnostic): void;
  /** All is read; the last chance to add findings. */
  onEnd?(result: ParseResult<Block>): void;
}

const defaultMaxInputLength = 16 * 1024 * 1024;

/** Beyond this many undecided units the scanner waits for a line break instead of looking again at every chunk. */
const patience = 64;

/**
 * The layer under every text protocol. It owns fences, reasoning, inline code, results that the model made up and foreign
 * formats; the grammar only says where a block begins and reads it. Text is scanned once, whatever the chunks.
 */
export class TextScanner<Block extends BlockBase> {
  readonly #options: TextScannerOptions<Block>;
  readonly #source = new Source();
  readonly #segments: Segment<Block>[] = [];
  readonly #blocks: Block[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #fences: Fence[] = [];
  readonly #code = new InlineCode();
  readonly #maxLength: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  #waits = false;
  #tooLong = false;
  #reader: BlockReader<Block> | undefined;
  #atLineStart = true;
  #nextTag = -1;
  #nextBreak = -1;
  /** Text from here on is held back for a block that may begin: from a fence's opening line, or a line held for it. */
  #held: number | undefined;
  /** The first line that a grammar wanted to hold. */
  #heldLine: number | undefined;
  #fencePending = false;
  /** Where the segment of a reader that holds begins. */
  #heldStart = 0;
  /** The fence of the block that was read last, until its closing line was looked for. */
  #ownedFence = false;
  #fabricated = false;
  /** Result markers in fences, with no block before: made up when something else before them was to be a call. */
  readonly #fencedResults: { start: number; marker: string }[] = [];
  /** Where the outermost fences are. */
  readonly #fenced: FenceRange[] = [];
  #depth = 0;
  #reasoningStart = 0;
  #segmentStart = 0;
  #textStart = 0;
  #sent = 0;

  constructor(options: TextScannerOptions<Block>) {
    this.#options = options;
    this.#maxLength = options.maxInputLength ?? defaultMaxInputLength;
    if (options.startsInReasoning) this.#depth = 1;
  }

  /** Takes the next chunk. */
  feed(chunk: string): void {
    const source = this.#source;
    const room = this.#maxLength - source.length - this.#waitingLength;
    if (chunk.length > room) {
      this.#tooLong = true;
      chunk = chunk.slice(0, room);
    }
    if (chunk === "") return;
    if (this.#waits && source.text.length - source.at > patience && !chunk.includes("\n")) {
      this.#waiting.push(chunk);
      this.#waitingLength += chunk.length;
      return;
    }
    this.#append(chunk);
    this.#run();
  }

  /** Says that no more text comes, and gives all that was understood. */
  end(options: EndOptions = {}): ParseResult<Block> {
    if (this.#waiting.length > 0) this.#append("");
    this.#run(this.#tooLong ? { finish: "length" } : options);
    this.#ownedFence = false;
    this.#flush(this.#source.length);
    if (this.#depth > 0)
      this.#report(
        "reasoning-unclosed",
        this.#reasoningStart,
        this.#source.length,
        "The reasoning block is not closed.",
      );
    this.#closeSegment(this.#source.length, this.#source.length);
    this.#reportForeign();
    if (this.#tooLong) this.#rejectAll();
    const result = { segments: this.#segments, blocks: this.#blocks, diagnostics: this.#diagnostics };
    this.#options.onEnd?.(result);
    this.#reportFencedResults();
    this.#diagnostics.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
    return result;
  }

  /** Adds a finding of the protocol to the result, and tells the host. */
  diagnose(diagnostic: Diagnostic): void {
    this.#diagnostics.push(diagnostic);
    this.#options.onDiagnostic(diagnostic);
  }

  #append(chunk: string): void {
    if (this.#waitingLength > 0) {
      chunk = this.#waiting.join("") + chunk;
      this.#waiting = [];
      this.#waitingLength = 0;
    }
    this.#source.append(chunk);
    this.#nextTag = this.#nextBreak = -1;
    this.#skipBom();
  }

  #skipBom(): void {
    if (this.#source.base !== 0 || this.#source.at !== 0 || this.#source.text.charCodeAt(0) !== 0xfeff) return;
    this.#source.at = 1;
    this.#segmentStart = this.#textStart = this.#sent = this.#reasoningStart = 1;
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
    const safe = this.#held ?? source.offset;
    if (!this.#atLineStart) this.#code.advance(source.text, source.base, source.offset);
    this.#flush(safe);
  }

  #step(ended: boolean): boolean {
    if (this.#atLineStart && (this.#depth === 0 || this.#options.reasoning === "search")) return this.#lineStart(ended);
    if (this.#atLineStart) this.#beginLine();
    return this.#inLine(ended);
  }

  #beginLine(): void {
    this.#atLineStart = false;
    this.#code.startLine(this.#source.offset);
  }

  /** Decides what the line at hand is, or goes on inside it as plain text. */
  #lineStart(ended: boolean): boolean {
    const source = this.#source;
    const { text, at } = source;
    const found = this.#lineBreak();
    const end = found >= 0 ? found : ended ? text.length : -1;
    let first = at;
    while (first < text.length && isBlank(text.charCodeAt(first))) first += 1;
    if (end >= 0 && first >= end) {
      if (this.#held !== undefined && !this.#fencePending) this.#release();
      source.at = Math.min(end + 1, text.length);
      return true;
    }
    if (first >= text.length) return this.#wait();
    const mark = text[first];
    if (mark === "`" || mark === "~") {
      if (end < 0) {
        if (/^(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[^\n]*)$/.test(text.slice(first))) return this.#wait();
      } else if (this.#fenceLine(text.slice(at, end), end)) return true;
    }
    this.#ownedFence = false;
    if (mark === "[" || mark === "<") {
      if (end < 0 && mayBecomeResult(text.slice(at))) return this.#wait();
      const line = end < 0 ? text.slice(at) : text.slice(at, end);
      const marker = this.#depth === 0 ? resultMarker(line) : undefined;
      const start = source.base + first;
      if (marker && this.#fences.length > 0 && this.#blocks.length === 0) this.#fencedResults.push({ start, marker });
      else if (marker) {
        this.#release();
        this.#flush(start);
        // At the very beginning it may repeat the result that came last: there is nothing that it could be the answer to.
        this.#fabricated ||= this.#source.slice(0, start).trim() !== "";
        this.#reportFabricated(start, marker);
      }
    }
    return this.#probe(first, end, ended);
  }

  #probe(first: number, end: number, ended: boolean): boolean {
    const source = this.#source;
    const answer = this.#options.grammar.line(
      {
        text: source.text,
        at: source.at,
        end,
        offset: source.offset,
        fence: this.#fences.at(-1),
        firstInFence: this.#fencePending,
        blockStart: this.#heldLine ?? source.offset,
      },
      ended,
    );
    if (answer === "more") return this.#wait();
    if (answer === "hold") {
      this.#held ??= source.offset;
      this.#heldLine ??= source.offset;
      source.at = Math.min((end < 0 ? source.text.length : end) + 1, source.text.length);
      return true;
    }
    if (answer !== "no") {
      this.#openBlock(answer, this.#fencePending ? (this.#held ?? answer.start) : answer.start);
      return true;
    }
    this.#release();
    this.#beginLine();
    // Indentation is no place for a tag.
    source.at = first;
    return true;
  }

  /** Index of the next line break, -1 for none yet. Many tags on one line must not look for it many times. */
  #lineBreak(): number {
    const source = this.#source;
    if (this.#nextBreak < source.offset) {
      const index = source.text.indexOf("\n", source.at);
      this.#nextBreak = index < 0 ? Number.POSITIVE_INFINITY : source.base + index;
    }
    return this.#nextBreak === Number.POSITIVE_INFINITY ? -1 : this.#nextBreak - source.base;
  }

  #wait(): boolean {
    this.#waits = true;
    return false;
  }

  #release(): void {
    this.#held = this.#heldLine = undefined;
    this.#fencePending = false;
  }

  /** Opens or closes a fence; false when the line is no fence. */
  #fenceLine(line: string, end: number): boolean {
    const source = this.#source;
    const top = this.#fences.at(-1);
    if (top && closesFence(line, top)) {
      this.#closeFence(source.offset);
      const owned = this.#ownedFence;
      this.#release();
      source.at = Math.min(end + 1, source.text.length);
      this.#ownedFence = false;
      if (owned) this.#extendBlock(source.offset);
      return true;
    }
    const fence = openFence(line, source.offset);
    if (!fence) return false;
    if (this.#fences.push(fence) === 1)
      this.#fenced.push({ body: source.base + end + 1, end: Number.POSITIVE_INFINITY });
    this.#held = source.offset;
    this.#heldLine = undefined;
    this.#fencePending = true;
    this.#ownedFence = false;
    source.at = Math.min(end + 1, source.text.length);
    return true;
  }

  /** Closes the innermost fence at an offset. */
  #closeFence(offset: number): void {
    this.#fences.pop();
    const range = this.#fenced.at(-1);
    if (range && this.#fences.length === 0) range.end = offset;
  }

  /** Plain text within a line: nothing counts but the line's end and tags. */
  #inLine(ended: boolean): boolean {
    const source = this.#source;
    const { text } = source;
    const lineBreak = this.#lineBreak();
    const lineEnd = lineBreak < 0 ? text.length : lineBreak;
    for (;;) {
      if (this.#nextTag < source.offset) {
        const index = text.indexOf("<", source.at);
        this.#nextTag = index < 0 ? Number.POSITIVE_INFINITY : source.base + index;
      }
      const tag = this.#nextTag - source.base;
      if (tag >= lineEnd) break;
      source.at = tag;
      const answer = this.#tag(tag, lineBreak >= 0 || ended, ended);
      if (answer !== "no") return answer === "yes";
      source.at = tag + 1;
    }
    if (lineBreak < 0) {
      source.at = text.length;
      return true;
    }
    source.at = lineBreak + 1;
    this.#atLineStart = true;
    return true;
  }

  /** A `<` in plain text: a reasoning tag, the beginning of a block, or nothing. */
  #tag(at: number, lineComplete: boolean, ended: boolean): "yes" | "no" | "more" {
    const source = this.#source;
    const tag = reasoningTag(source.text, at, lineComplete);
    const { grammar, reasoning } = this.#options;
    const searched = !tag && (this.#depth === 0 || reasoning === "search");
    const place = { text: source.text, at, offset: source.base + at, fence: this.#fences.at(-1) };
    const block = searched ? grammar.inline?.(place, ended) : undefined;
    if (tag === "more" || block === "more") return "more";
    if (!tag && (!block || block === "no")) return "no";
    const quoted = this.#code.covers(source.text, source.base, at, lineComplete);
    if (quoted === "more") {
      this.#waits = true;
      return "more";
    }
    if (quoted) return "no";
    if (tag) this.#reasoningTag(at, tag.length, tag.opens);
    else this.#openBlock(block as BlockReader<Block>, source.offset);
    return "yes";
  }

  #reasoningTag(at: number, length: number, opens: boolean): void {
    const source = this.#source;
    const offset = source.base + at;
    source.at = at + length;
    if (opens ? this.#depth > 0 : this.#depth > 1) {
      this.#depth += opens ? 1 : -1;
      return;
    }
    this.#flush(offset);
    if (opens) {
      this.#closeSegment(offset, offset);
      this.#depth = 1;
      this.#reasoningStart = offset;
      this.#textStart = offset + length;
    } else {
      const lone = this.#depth === 0;
      if (lone) {
        this.#report(
          "reasoning-unopened",
          offset,
          offset + length,
          "A reasoning block is closed that was never opened; what stands before it is not run.",
        );
        for (const block of this.#blocks) block.inReasoning = true;
      }
      this.#closeSegment(offset, lone ? offset : offset + length);
      this.#depth = 0;
      while (this.#fences.length > 0) this.#closeFence(offset);
      this.#release();
      this.#segmentStart = this.#textStart = offset + length;
    }
    this.#sent = offset + length;
    this.#atLineStart = true;
    this.#code.startLine(source.offset);
  }

  #openBlock(reader: BlockReader<Block>, start: number): void {
    if (reader.holds) {
      this.#flush(start);
      this.#heldStart = start;
      this.#source.seek(reader.start);
      this.#reader = reader;
      return;
    }
    this.#flush(start);
    this.#closeSegment(start, start);
    this.#segmentStart = start;
    this.#ownedFence = this.#fencePending;
    this.#release();
    this.#source.seek(reader.start);
    this.#nextTag = this.#nextBreak = -1;
    this.#reader = reader;
    this.#options.onBlockStart(reader.start);
  }

  /** A reader that held has answered: its segments, or that this is text. */
  #closeHeld({ segments, end }: SegmentsEnd<Block>, reader: BlockReader<Block>): void {
    this.#reader = undefined;
    this.#nextTag = this.#nextBreak = -1;
    const start = this.#heldStart;
    this.#ownedFence = segments.length > 0 && this.#fencePending;
    this.#release();
    if (segments.length === 0) {
      this.#source.seek(reader.start);
      this.#beginLine();
      return;
    }
    this.#source.seek(end);
    this.#closeSegment(start, start);
    // The fence's opening line belongs to the first.
    (segments[0] as Segment<Block>).span.start = start;
    for (const segment of segments) {
      this.#segments.push(segment);
      if (segment.type === "block") this.#addBlock(segment.block);
    }
    this.#segmentStart = this.#textStart = this.#sent = end;
    this.#atLineStart = true;
  }

  #addBlock(block: Block): void {
    if (this.#depth > 0) block.inReasoning = true;
    if (this.#fabricated) block.afterFabricatedResult = true;
    this.#blocks.push(block);
  }

  #closeBlock({ block, end, closedFence }: BlockEnd<Block>): void {
    this.#reader = undefined;
    this.#source.seek(end);
    this.#nextTag = this.#nextBreak = -1;
    // A block that is nothing would be found again and again: its line is text.
    if (end <= this.#segmentStart) {
      this.#beginLine();
      return;
    }
    this.#addBlock(block);
    this.#segments.push({ type: "block", block, span: { start: this.#segmentStart, end } });
    this.#segmentStart = this.#textStart = this.#sent = end;
    if (closedFence) {
      this.#closeFence(end);
      this.#ownedFence = false;
    }
    this.#atLineStart = true;
    this.#options.onBlock(block);
  }

  /** Takes a closing fence, and the blank lines before it, into the block that was read last. */
  #extendBlock(end: number): void {
    const segment = this.#segments.at(-1);
    if (segment) segment.span.end = end;
    this.#segmentStart = this.#textStart = this.#sent = end;
  }

  /** Gives out text up to an offset. */
  #flush(end: number): void {
    if (end <= this.#sent || this.#reader || this.#ownedFence) return;
    const text = this.#source.slice(this.#sent, end);
    this.#sent = end;
    if (this.#depth > 0) this.#options.onReasoning(text);
    else this.#options.onText(text);
  }

  /** Ends the text or reasoning at hand: its text ends at one offset, its span at another that takes in a closing tag. */
  #closeSegment(textEnd: number, end: number): void {
    const start = this.#segmentStart;
    if (end > start)
      this.#segments.push({
        type: this.#depth > 0 ? "reasoning" : "text",
        text: this.#source.slice(Math.min(this.#textStart, textEnd), textEnd),
        span: { start, end },
      });
    this.#segmentStart = this.#textStart = end;
  }

  #report(code: string, start: number, end: number, message: string, hint?: string): void {
    const diagnostic: Diagnostic = {
      code: `core/${code}`,
      severity: "warning",
      affects: "none",
      message,
      span: { start, end },
      source: "core",
    };
    if (hint) diagnostic.hint = hint;
    this.diagnose(diagnostic);
  }

  #reportFabricated(start: number, marker: string): void {
    this.#report(
      "fabricated-result",
      start,
      start + marker.length,
      "The model wrote a result itself; calls after it are not run.",
      "Stop after the call, and wait for the result.",
    );
  }

  #reportForeign(): void {
    const { grammar, tools = [] } = this.#options;
    const finder = new ForeignFinder(
      grammar.protocol,
      tools.map(({ name }) => name),
      this.#fenced,
    );
    for (const segment of this.#segments) if (segment.type === "text") finder.find(segment.text, segment.span.start);
    for (const { format, start, end } of finder.end())
      this.#report("foreign-format", start, end, `This is ${format}, which is not read here.`);
  }

  /** A result in a fence is an example, unless it stands behind a call that was lost, or written in another format. */
  #reportFencedResults(): void {
    const calls = this.#diagnostics.filter(
      ({ code, severity }) => severity === "error" || code === "core/foreign-format",
    );
    const first = Math.min(...calls.map(({ span }) => span.start));
    for (const { start, marker } of this.#fencedResults) {
      if (start < first) continue;
      this.#reportFabricated(start, marker);
      for (const block of this.#blocks) if (block.span.start > start) block.afterFabricatedResult = true;
    }
  }

  #rejectAll(): void {
    const end = this.#source.length;
    const source = this.#options.grammar.protocol;
    for (const block of this.#blocks) block.status = "invalid";
    this.diagnose({
      code: `${source}/input-too-long`,
      severity: "error",
      affects: "value",
      message: `The text is longer than ${this.#maxLength} units; nothing of it is run.`,
      span: { start: end, end },
      source,
    });
  }
}

/** Space, tab, carriage return. */
function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}
