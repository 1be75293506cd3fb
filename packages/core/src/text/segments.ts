import type { BlockBase, Segment } from "../protocol.ts";
import type { TextScannerOptions } from "./block-grammar.ts";
import type { Source } from "./source.ts";

/** The segments of a text while it is scanned, and what of their text was given out. Segments leave no gap between them. */
export class Segments<Block extends BlockBase> {
  readonly list: Segment<Block>[] = [];
  readonly blocks: Block[] = [];
  /** Reasoning blocks that are open, one inside the other. */
  depth = 0;
  /** Offset of the tag that opened the outermost of them. */
  reasoningStart = 0;
  /** The model wrote a result itself: blocks from now on follow it. */
  afterFabricatedResult = false;
  /** Offset of the segment that is being read. */
  start = 0;
  readonly #source: Source;
  readonly #options: Pick<TextScannerOptions<Block>, "grammar" | "onEvent">;
  readonly #blockName: string;
  /** Its text begins here: behind the tag of a reasoning block. */
  #textStart = 0;
  /** Text before this offset was given out. */
  #sent = 0;

  constructor(source: Source, options: Pick<TextScannerOptions<Block>, "grammar" | "onEvent">) {
    this.#source = source;
    this.#options = options;
    this.#blockName = options.grammar.blockName ?? "block";
  }

  /** Begins a segment at an offset; what stands before it is dealt with. */
  begin(offset: number): void {
    this.start = this.#textStart = this.#sent = offset;
  }

  /** Gives out text up to an offset. */
  flush(end: number): void {
    if (end <= this.#sent) return;
    const from = this.#sent;
    this.#sent = end;
    const { onEvent } = this.#options;
    if (!onEvent) return;
    const text = this.#source.slice(from, end);
    const phase = this.depth > 0 ? "reasoning" : "text";
    onEvent({ phase, type: `${phase}-delta`, text });
  }

  /** Ends the text or reasoning: its text ends at one offset, its span at another, behind a closing tag. */
  close(textEnd: number, end: number = textEnd): void {
    const { start } = this;
    if (end > start)
      this.list.push({
        type: this.depth > 0 ? "reasoning" : "text",
        text: this.#source.slice(Math.min(this.#textStart, textEnd), textEnd),
        span: { start, end },
      });
    this.start = this.#textStart = end;
  }

  /**
   * A tag opens or closes reasoning: it belongs to the segment, but not to its text. Gives whether reasoning was open; a tag
   * that closes none belongs to no segment.
   */
  turn(opens: boolean, start: number, end: number): boolean {
    const wasOpen = this.depth > 0;
    this.close(start, wasOpen ? end : start);
    this.depth = Number(opens);
    this.begin(end);
    if (opens) this.start = this.reasoningStart = start;
    return wasOpen;
  }

  /** A block begins: its segment at one offset, where a fence may stand, the block itself at another. */
  openBlock(start: number, blockStart: number): void {
    this.close(start);
    this.#options.onEvent?.({ phase: "block-start", type: `${this.#blockName}-start`, start: blockStart });
  }

  /** The block that began is read, up to an offset. */
  closeBlock(block: Block, end: number): void {
    const { start } = this;
    this.addAll([{ type: "block", block, span: { start, end } }], start, end);
    this.#options.onEvent?.({ phase: "block-end", type: `${this.#blockName}-end`, block });
  }

  /** Segments that a reader made itself; the first one takes in the opening line of a fence before it. */
  addAll(segments: readonly Segment<Block>[], start: number, end: number): void {
    this.close(start);
    for (const segment of segments) {
      this.list.push(segment);
      if (segment.type !== "block") continue;
      const { block } = segment;
      if (this.depth > 0) block.inReasoning = true;
      if (this.afterFabricatedResult) block.afterFabricatedResult = true;
      this.blocks.push(block);
    }
    (segments[0] as Segment<Block>).span.start = start;
    this.begin(end);
  }

  /** Takes a closing fence, and the blank lines before it, into the last segment. */
  extend(end: number): void {
    const last = this.list.at(-1);
    if (last) last.span.end = end;
    this.begin(end);
  }
}
