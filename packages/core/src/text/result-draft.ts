import type { Diagnostic } from "../diagnostic.ts";
import { type BlockBase, isRunnable, type ParseResult, type ProtocolEvent, type Segment } from "../protocol.ts";
import type { Span } from "../span.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import type { BlockGrammar, TextScannerOptions } from "./block-grammar.ts";
import type { Fence } from "./code.ts";
import { findFabricated, lastCallOf } from "./fabricated.ts";
import { callTexts, findForeign, type TextSegment } from "./find-foreign.ts";
import { ShownBlocks } from "./shown.ts";
import type { Source } from "./source.ts";
import { findUnread } from "./unread.ts";

const shownBlock = "A block is shown here, and not sent: text or code stands around it. It is not run.";
const howToSend = "To send a block, write it on lines of its own, or as all that a fence holds.";
const unreadBlock = "This looks like a call that is not written as one; it was not read.";
const howToWrite =
  "Write the block as it is taught: not escaped, without signs before its lines, and in no other notation.";
const unopened = "A reasoning block is closed that was never opened; what stands before it is not run.";

/**
 * The result of a text while it is scanned: its segments, which leave no gap between them, what of their text was given out, and
 * findings, some of which say of blocks that they must not run.
 */
export class ResultDraft<Block extends BlockBase> {
  readonly blocks: Block[] = [];
  /** Reasoning blocks that are open, one inside the other. */
  depth = 0;
  /** Offset of the tag that opened the outermost of them. */
  reasoningStart = 0;
  /** The model wrote a result itself: blocks from now on follow it. */
  afterFabricatedResult = false;
  readonly #segments: Segment<Block>[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #source: Source;
  readonly #grammar: BlockGrammar<Block>;
  readonly #tools: readonly ToolDefinition[];
  readonly #isMarked: boolean;
  readonly #onEvent: TextScannerOptions<Block>["onEvent"];
  readonly #onEnd: TextScannerOptions<Block>["onEnd"];
  /** Offset of the segment that is being read. */
  #start = 0;
  /** Its text begins here: behind the tag of a reasoning block. */
  #textStart = 0;
  /** Text before this offset was given out. */
  #sent = 0;
  /** Offsets of results in fences with no block before them: examples, unless the end shows something else. */
  readonly #examples: [start: number, end: number][] = [];

  /** Where the last made-up result or turn began that was reported. */
  #lastFabricated = -1;
  /** Blocks whose places were not judged by those who read them. */
  readonly #unjudged = new Set<Block>();
  #judge: ShownBlocks<Block> | undefined;

  constructor(source: Source, options: TextScannerOptions<Block>) {
    this.#source = source;
    // Each by itself: the objects that callers give have all kinds of shapes, and it costs to ask one of several.
    this.#grammar = options.grammar;
    this.#tools = options.tools ?? [];
    this.#isMarked = options.shown !== "run";
    this.#onEvent = options.onEvent;
    this.#onEnd = options.onEnd;
  }

  /** Begins a segment at an offset; what stands before it is dealt with. */
  begin(offset: number): void {
    this.#start = this.#textStart = this.#sent = offset;
  }

  /** Emits text up to an offset; `isLast`: no block follows it. */
  flush(upTo: number, isLast = false): void {
    const end = isLast ? upTo : this.#beforeLayout(upTo);
    if (end <= this.#sent) return;
    const from = this.#sent;
    this.#sent = end;
    const phase = this.#kind;
    this.#onEvent?.({ phase, type: `${phase}-delta`, text: this.#source.slice(from, end) });
  }

  /** What the text at this place is. */
  get #kind(): "reasoning" | "text" {
    return this.depth > 0 ? "reasoning" : "text";
  }

  /** Ends the text or reasoning: its text ends at one offset, its span at another, behind a closing tag. */
  #close(textEnd: number, end: number = textEnd): void {
    const start = this.#start;
    if (end > start)
      this.#segments.push({
        type: this.#kind,
        text: this.#source.slice(Math.min(this.#textStart, textEnd), textEnd),
        span: { start, end },
      });
    this.#start = this.#textStart = end;
  }

  /**
   * Opens or closes reasoning at a tag: it belongs to the segment, but not to its text. A tag that closes none belongs to no
   * segment, and makes all before it reasoning.
   */
  turn(opens: boolean, start: number, end: number): void {
    const wasOpen = this.depth > 0;
    this.#close(start, wasOpen ? end : start);
    if (!opens && !wasOpen) {
      for (const block of this.blocks) block.inReasoning = true;
      this.warn("reasoning-unopened", start, end, unopened);
    }
    this.depth = Number(opens);
    this.begin(end);
    if (opens) this.#start = this.reasoningStart = start;
  }

  /** Begins a block: its segment at one offset, where a fence may stand, the block itself at another. */
  openBlock(start: number, blockStart: number, more?: object): void {
    this.#close(this.#beforeLayout(start), start);
    const type = `${this.#grammar.blockName ?? "block"}-start`;
    this.#onEvent?.({ phase: "block-start", type, start: blockStart, ...more });
  }

  /** Returns the offset of the line breaks that are layout before a block, as many as there are. */
  #beforeLayout(end: number): number {
    let before = end;
    const least = Math.max(this.#textStart, end - (this.#grammar.breaksBefore ?? 0));
    while (before > least && this.#source.slice(before - 1, before) === "\n") before -= 1;
    return before;
  }

  /** Ends the block that began, and adds its segment. */
  closeBlock(block: Block): void {
    this.#onEvent?.({ phase: "block-end", type: `${this.#grammar.blockName ?? "block"}-end`, block });
  }

  /**
   * Adds segments; the first one takes in the opening line of a fence before it. A block that is not alone stands in a notation of
   * its own: the text around it is no evidence about it.
   */
  addAll(segments: readonly Segment<Block>[], start: number, end: number, isAlone: boolean): void {
    if (!isAlone) this.flush(start, true);
    this.#close(start);
    for (const segment of segments) {
      this.#segments.push(segment);
      if (segment.type !== "block") continue;
      const { block } = segment;
      if (this.depth > 0) block.inReasoning = true;
      if (this.afterFabricatedResult) block.afterFabricatedResult = true;
      this.blocks.push(block);
      if (isAlone) this.#unjudged.add(block);
    }
    (segments[0] as Segment<Block>).span.start = start;
    this.begin(end);
  }

  /** Takes a closing fence, and the blank lines before it, into the last segment. */
  extend(end: number): void {
    const last = this.#segments.at(-1);
    if (last) last.span.end = end;
    this.begin(end);
  }

  /** Emits events that were held back. */
  emit(events: readonly ProtocolEvent<Block>[]): void {
    for (const event of events) this.#onEvent?.(event);
  }

  /** Takes in findings, and emits them. */
  report(found: readonly Diagnostic[] = []): void {
    for (const diagnostic of found) {
      this.#diagnostics.push(diagnostic);
      this.#onEvent?.({ phase: "diagnostic", type: "diagnostic", diagnostic });
    }
  }

  /** Warns of something that the text layer found itself. It affects no value. */
  warn(code: string, start: number, end: number, message: string, more?: Partial<Diagnostic>): void {
    const span = { start, end };
    this.report([
      { code: `core/${code}`, severity: "warning", affects: "none", message, span, source: "core", ...more },
    ]);
  }

  /** Adds a result that only the host may write, and that the model wrote. One that may be an example is judged at the end. */
  fabricated(start: number, end: number, mayBeExample = false): void {
    if (mayBeExample) this.#examples.push([start, end]);
    else if (start > this.#lastFabricated) {
      this.#lastFabricated = start;
      this.warn("fabricated-result", start, end, "The model wrote a result itself; calls after it are not run.", {
        hint: "Stop after the call, and wait for the result.",
      });
    }
  }

  /** Returns the result: all is read, and emitted. */
  end(fences: readonly Fence[]): ParseResult<Block> {
    const { length, tooLong, maxLength } = this.#source;
    const { protocol } = this.#grammar;
    const result = { segments: this.#segments, blocks: this.blocks, diagnostics: this.#diagnostics };
    if (this.depth > 0)
      this.warn("reasoning-unclosed", this.reasoningStart, length, "The reasoning block is not closed.");
    this.#close(length);
    const texts = callTexts(this.#segments);
    for (const [format, span] of findForeign(this.#grammar, this.#tools, fences, texts)) {
      const { start, end } = span;
      const own = this.#grammar.foreign?.(format, span, this.#source.slice(start, Math.min(length, start + 400)));
      if (own) this.report([own]);
      else this.warn("foreign-format", start, end, `This is ${format}, which is not read here.`);
    }
    if (tooLong) {
      for (const block of this.blocks) block.status = "invalid";
      this.warn("", length, length, `The text is longer than ${maxLength} units; nothing of it is run.`, {
        code: `${protocol}/input-too-long`,
        severity: "error",
        affects: "value",
        source: protocol,
      });
    }
    this.#markShown(fences);
    this.#onEnd?.(result);
    this.#judgeExamples();
    this.#markFabricated(fences);
    this.#reportUnread(texts, fences);
    this.#diagnostics.sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
    return result;
  }

  /** Reports text that was meant as a block, where nothing else was found in it. */
  #reportUnread(texts: readonly TextSegment[], fences: readonly Fence[]): void {
    const isTold = this.#diagnostics.some(
      ({ code, severity, affects }) =>
        severity === "error" || affects === "value" || /foreign-(?:format|call)|\/un(?:read|opened)-/.test(code),
    );
    if (isTold) return;
    const found = findUnread(texts, fences, this.#grammar, this.#tools, this.blocks.some(isRunnable));
    if (!found) return;
    const { start, end, isQuoted } = found;
    if (!isQuoted) this.warn("unread-block", start, end, unreadBlock, { hint: howToWrite });
    else if (this.#isMarked) this.warn("shown-block", start, end, shownBlock, { hint: howToSend });
  }

  /** Marks the blocks behind turns that the model made up, and behind what damaged blocks took in. */
  #markFabricated(fences: readonly Fence[]): void {
    const grammar = this.#grammar;
    const found = findFabricated(this.#segments, fences, this.#diagnostics, this.#source, grammar);
    const [first] = found;
    if (!first) return;
    for (const block of this.blocks) if (lastCallOf(grammar, block) > first.start) block.afterFabricatedResult = true;
    const turn = found.find(({ kind }) => kind === "turn");
    if (first.kind === "result") this.fabricated(first.start, first.end);
    if (turn)
      this.warn("fabricated-turn", turn.start, turn.end, "The model wrote a turn of the conversation itself.", {
        hint: "Stop at the end of your own turn. Calls after it are not run.",
      });
  }

  /** Marks the blocks that are shown and not sent. */
  #markShown(fences: readonly Fence[]): void {
    if (this.#unjudged.size === 0) return;
    this.#judge = new ShownBlocks(this.#segments, this.#source, fences, this.#grammar);
    const shown = this.#judge.find(this.#unjudged);
    let run: Span | undefined;
    const report = (): void => {
      if (run) this.warn("shown-block", run.start, run.end, shownBlock, { hint: howToSend });
      run = undefined;
    };
    for (const block of this.blocks) {
      if (!this.#isMarked || !shown.has(block)) {
        report();
        continue;
      }
      block.shown = true;
      run = { start: run?.start ?? block.span.start, end: block.span.end };
    }
    report();
    for (const { start, body } of this.#judge.unclosed)
      this.warn("unclosed-fence", start, body, "A code fence is never closed; blocks behind it are read.", {
        hint: "Close every code fence.",
      });
  }

  /** Those that stand behind a call that was lost, or written in another format, are no examples. Blocks behind them are not run. */
  #judgeExamples(): void {
    let first = Infinity;
    for (const { code, severity, span } of this.#diagnostics)
      if (severity === "error" || /\/foreign-(?:format|call)$/.test(code)) first = Math.min(first, span.start);
    for (const [start, end] of this.#examples) {
      if (start < first) continue;
      this.fabricated(start, end);
      for (const block of this.blocks) if (block.span.start > start) block.afterFabricatedResult = true;
    }
  }
}
